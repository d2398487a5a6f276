/** The thread that keeps the Lease: with an event loop and connections of its own, so that no amount of work delays a renewal. */

import { createHttpClient } from '@lockstep/kube/client'
import { withTimeout } from '@lockstep/kube/env'
import { SharedTerm, startElection } from '@lockstep/kube/leaderelection'
import { createNodeEnv, inThread, nodeLog } from '@lockstep/kube/node'
import { MANAGER, SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import type { ThreadInput, ThreadMessage } from './threadmessage.ts'

const thread = inThread()
const { endpoint, cluster, memory, level, ...o } = thread.input as ThreadInput
const env = createNodeEnv(nodeLog(level))
const shared = new SharedTerm(o.times, memory)
// Two tries while a renewal counts (client-go: RenewDeadline/2).
const connection = withTimeout(env.net.connect(endpoint, 'operator'), o.times.renewMs / 2)
const client = createHttpClient(env, cluster, connection, 'lockstep-leader-election')
const election = startElection(env, client, {
  ...o,
  manager: MANAGER,
  ownNamespace: SYSTEM_NAMESPACE,
  isAlive: () => shared.isAlive(env.clock.steady()),
  renewed: (_, at) => shared.renewed(at),
})
const post = (message: ThreadMessage): void => thread.post(message)

let stopped: Promise<void> | undefined
thread.hear(() => {
  stopped = election.stop()
})
void election.elected.then((term) => term && post({ type: 'leads', generation: term.generation }))
void election.ended.then(async (end) => {
  await stopped
  post({ type: 'ended', end })
  thread.close()
  await client.close()
})
