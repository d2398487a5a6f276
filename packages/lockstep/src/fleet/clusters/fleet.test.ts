/** Lines of the log about one cluster name it. */
import { expect, it } from 'vitest'
import type { KubeClient } from '../../../../kube/src/client/client.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { type ClusterView, hubView } from './cluster.ts'
import { Fleet, type FleetEvents } from './fleet.ts'

const TOKEN = '/token'
const view: ClusterView = {
  ...hubView('platform'),
  kind: 'Secret',
  name: 'c1',
  objectName: 'c1',
  uid: 'u',
  access: {
    type: 'Source',
    source: { type: 'Files', endpoint: { url: 'https://c1.test' }, files: { token: TOKEN } },
    version: '1',
  },
}
const nobody: FleetEvents = {
  cluster() {},
  object() {},
  judged() {},
  selected: () => true,
  isAtRest: () => false,
  isAwaited: () => true,
}

/** A cluster that answers 503 to everything, as its controllers meet it. */
async function met(guard: (client: KubeClient) => KubeClient) {
  const env = createSimEnv('fleet')
  await env.files.writeAtomic(TOKEN, 'abc')
  env.net.serve('https://c1.test', async () => ({ status: 503, headers: {}, body: '' }))
  const fleet = new Fleet(env, {} as never, guard, nobody)
  fleet.observe(undefined, view)
  fleet.connection(view)
  const pass = (ms: number) => env.clock.run(() => false, ms)
  await pass(1000)
  return { env, fleet, pass }
}

it('a credential that can be read no more, and then again', async () => {
  const { env, fleet, pass } = await met((client) => client)
  await env.files.remove(TOKEN)
  await pass(120_000)
  await env.files.writeAtomic(TOKEN, 'def')
  await pass(120_000)
  expect(env.lines.map(({ level, fields }) => [level, fields.reason, fields.cluster])).toEqual([
    ['warn', 'CredentialUnreadable', 'platform/c1'],
    ['info', 'CredentialRead', 'platform/c1'],
  ])
  fleet.stop()
})

it('an exception in its session', async () => {
  const watch = (): never => {
    throw new Error('bug')
  }
  const { env, fleet } = await met((client) => ({ ...client, get: watch, list: watch, watch }))
  expect(env.lines.map(({ level, fields }) => [level, fields.cluster])).toEqual([['error', 'platform/c1']])
  fleet.stop()
})
