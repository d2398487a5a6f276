/** The thread that keeps the Lease: with an event loop and connections of its own, so that no amount of work delays a renewal. */

import { createHttpClient } from '@lockstep/kube/client'
import { supervise, trusting, withTimeout } from '@lockstep/kube/env'
import { BEAT_MS, SharedTerm, startElection } from '@lockstep/kube/leaderelection'
import { createNodeEnv, inThread, nodeLog } from '@lockstep/kube/node'
import { MANAGER, SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { CredentialCache, renewingConnection } from '../../../fleet/credentials/index.ts'
import type { ThreadInput, ThreadMessage } from './threadmessage.ts'

const thread = inThread()
const { source, cluster, memory, log, authorities, ...o } = thread.input as ThreadInput
const outside = createNodeEnv(nodeLog(log.level, log.format))
const env = { ...outside, net: trusting(outside.net, authorities) }
const shared = new SharedTerm(o.times, memory)
// Two tries while a renewal counts (client-go: RenewDeadline/2).
const credential = new CredentialCache(env, source, { by: 'operator' })
const connection = withTimeout(renewingConnection(env, credential, 'operator'), o.times.renewMs / 2)
const client = createHttpClient(env, cluster, connection, 'lockstep-leader-election')
const election = startElection(env, client, {
  ...o,
  manager: MANAGER,
  ownNamespace: SYSTEM_NAMESPACE,
  isAlive: () => shared.isAlive(env.clock.steady()),
  renewed: (_, at) => shared.renewed(at),
  answered: () => shared.answered(env.clock.steady()),
})
const post = (message: ThreadMessage): void => thread.post(message)

let beating = (): void => {}
const beat = (): void => {
  const now = env.clock.steady()
  shared.threadBeat(now)
  beating = env.clock.at(now + BEAT_MS, beat)
}
beat()

let stopped: Promise<void> | undefined
thread.hear(() => {
  stopped = election.stop()
})
supervise(env, async () => {
  const term = await election.elected
  if (term) post({ type: 'leads', generation: term.generation })
})
supervise(env, async () => post({ type: 'moved', problem: await credential.moved }))
supervise(env, async () => {
  const end = await election.ended
  await stopped
  beating()
  post({ type: 'ended', end })
  thread.close()
  await client.close()
})
