/** A process that leads, and whose main thread is busy: for a second, then for longer than it may. Says how its writes end. */

import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { leaderClient } from '../../packages/kube/src/leaderelection/leaderclient.ts'
import { threadedElection } from '../../packages/lockstep/src/cli/kit/leader/threadedelection.ts'
import { quiet } from '../kube/subjects.ts'

/** Renewed for longer than a stall may last, so that only the stall can end it. */
const TIMES = { leaseMs: 15_000, renewMs: 12_000, retryMs: 500 }

process.once('message', async (message) => {
  const { url } = message as { url: string }
  const env = createNodeEnv(quiet)
  const election = threadedElection(env, {
    source: { type: 'Static', endpoint: { url } },
    cluster: 'hub',
    namespace: 'default',
    name: 'stall',
    identity: 'main',
    times: TIMES,
    log: { level: 'silent', format: 'json' },
    authorities: '',
  })
  const term = (await election.elected)!
  const plain = createHttpClient(env, 'hub', env.net.connect({ url }, 'operator'), 'stalling')
  const client = leaderClient(plain, term, env.meters)
  const write = async (name: string): Promise<void> => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }
    const done = await client.create(configMapKind, body, { purpose: 'user', manager: 'm' })
    process.send!({ name, result: done.ok ? 'written' : done.error.kind })
  }
  await write('at-once')
  busy(1000)
  await write('after-a-second')
  await sleep(env.clock, 1500)
  busy(5500)
  await write('after-a-stall')
  while (!term.isHeld) await sleep(env.clock, 50)
  await write('renewed')
  await election.stop()
  await write('stopped')
  await plain.close()
  process.disconnect()
})

/** Nothing else gets its turn. */
function busy(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}
