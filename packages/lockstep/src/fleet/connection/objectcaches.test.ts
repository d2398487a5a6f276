/** Caches of an account with rights in single namespaces, on an embedded API with RBAC, in virtual time. */
import { expect, it } from 'vitest'
import { createApiServer } from '../../../../apiserver/src/server/index.ts'
import { createHttpClient } from '../../../../kube/src/client/httpclient.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { ObjectCaches } from './objectcaches.ts'

const URL = 'https://hub.test'
const USER = 'jane'
const RESOURCE = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
} as never

/** An account that may read ConfigMaps in these namespaces, and its caches. */
function accountIn(namespaces: readonly string[]) {
  const env = createSimEnv('objectcaches')
  const api = createApiServer(env, { name: 'hub' })
  env.net.serve(URL, api.handleFor({ anonymous: 'admin', tokens: new Map() }))
  const rbac = 'rbac.authorization.k8s.io'
  for (const namespace of namespaces) {
    const make = (o: object): void => void api.local.create(o as never, 'test')
    const metadata = { name: 'reader', namespace }
    make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
    make({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules })
    make({
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'reader' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: USER }],
    })
  }
  let changes = 0
  const connection = env.net.connect({ url: URL, impersonate: { user: USER } }, 'operator')
  const caches = new ObjectCaches(env, createHttpClient(env, 'hub', connection), {
    changed: () => changes++,
    object: () => {},
    definition: () => {},
    unserved: () => {},
    health: () => {},
    answered: () => {},
  })
  const settle = () => env.clock.run(() => false, 10_000)
  return {
    caches,
    settle,
    changes: () => changes,
    state: () => caches.of(RESOURCE).freshness.state,
    use: (unit: string, ...inNamespaces: string[]) =>
      caches.use(
        unit,
        inNamespaces.map((namespace) => ({ group: '', kind: 'ConfigMap', namespace })),
      ),
  }
}

it('units that come and go in a namespace that others have are no news', async () => {
  const { caches, settle, changes, state, use } = accountIn(['a', 'b'])
  use('first', 'a')
  expect(state()).toBe('Syncing')
  await settle()
  expect(state()).toBe('Live')
  const before = changes()
  for (let i = 0; i < 100; i++) use(`unit-${i}`, 'a')
  await settle()
  for (let i = 0; i < 100; i++) caches.lookNoMore(`unit-${i}`)
  await settle()
  expect(changes()).toBe(before)
  use('other', 'a', 'b')
  expect(state()).toBe('Syncing')
  await settle()
  expect([state(), changes()]).toEqual(['Live', before + 1])
  caches.stop()
})

it('a kind that no unit has in any namespace is complete', async () => {
  const { caches, settle, state, use } = accountIn(['a'])
  use('first')
  expect(state()).toBe('Syncing')
  await settle()
  expect(state()).toBe('Live')
  caches.stop()
})
