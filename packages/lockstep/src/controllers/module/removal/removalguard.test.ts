/** A confirmed deletion counts removals only while a Module that it deletes exists. */
import { ObjectStore } from '@lockstep/kube/cache'
import { ok } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { expect, it } from 'vitest'
import { createSimEnv } from '../../../../../kube/src/env/sim/simenv.ts'
import type { Inventory, Module } from '../../../api/kinds/index.ts'
import { CONFIRM_DELETION_ANNOTATION } from '../../../api/labels.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { CACHED_KINDS, type HubInformers, lookupsOf } from '../../cache/hubcaches.ts'
import { RemovalGuard, type RemovalGuardDeps } from './removalguard.ts'

const NAMESPACE = 'platform'
const refOf = (name: string): ModuleRef => ({ kind: 'Module', namespace: NAMESPACE, name })
const meta = (name: string) => ({ name, namespace: NAMESPACE, uid: name, resourceVersion: '1' })

const moduleOf = (name: string, isDeleting: boolean): Stored<Module> =>
  ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { ...meta(name), ...(isDeleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { targets: { clusters: ['c1'] }, apply: {} },
  }) as never

const inventoryOf = (module: string): Stored<Inventory> =>
  ({
    kind: 'Inventory',
    metadata: meta(`m.${module}.c1`),
    spec: {
      moduleRef: { kind: 'Module', name: module },
      clusterRef: { name: 'c1' },
      admitted: { serial: 1 },
    },
  }) as never

/** A guard over Modules, each with one unit, in a Namespace whose deletion was confirmed. */
function guardOf(modules: readonly Stored<Module>[]) {
  const env = createSimEnv('guard')
  const kinds = ['modules', 'bootstrapModules', 'assemblages', 'inventories', 'holds', 'revisions'] as const
  const caches = Object.fromEntries(
    kinds.map((kind) => {
      const { project, indexes } = CACHED_KINDS[kind] as unknown as { project: never; indexes: never }
      return [kind, { store: new ObjectStore<Stored, object>(project, indexes) }]
    }),
  )
  const fill = (kind: (typeof kinds)[number], objects: readonly Stored[], version: string): void => {
    const { store } = caches[kind]!
    store.replace(
      objects.map((o) => store.listed(o)),
      version,
      0,
    )
  }
  fill('modules', modules, '1')
  fill(
    'inventories',
    modules.map((m) => inventoryOf(m.metadata.name)),
    '1',
  )
  const namespace = {
    metadata: {
      name: NAMESPACE,
      uid: 'old',
      deletionTimestamp: '2026-01-01T00:00:00Z',
      annotations: { [CONFIRM_DELETION_ANNOTATION]: 'old' },
    },
  }
  let isRecreated = false
  const own = {
    serverTime: undefined,
    get: async (_: unknown, { name }: { name: string }) =>
      name === NAMESPACE && !isRecreated ? ok(namespace) : { ok: false, error: { kind: 'NotFound' } },
  }
  const hub = { ...caches, ...lookupsOf(caches as never), own } as unknown as HubInformers
  const fleet = { view: (_: string, name: string) => ({ name, namespace: NAMESPACE, labels: {} }) }
  const requests = { add: () => {} }
  const guard = new RemovalGuard({ env, hub, fleet, requests } as unknown as RemovalGuardDeps)
  const recreateNamespace = () => {
    isRecreated = true
  }
  return { guard, env, recreateNamespace }
}

it('the Modules of a Namespace that was deleted, and made again, do not leave with it', async () => {
  const stay = Array.from({ length: 30 }, (_, i) => moduleOf(`m${i}`, false))
  const doomed = ['first', 'second'].map((name) => moduleOf(name, true))
  const { guard, env, recreateNamespace } = guardOf([...stay, ...doomed])
  const look = (name: string) => guard.look(refOf(name), moduleOf(name, true))
  expect(await look('first')).toMatchObject({ ok: true, value: { tooMany: { facts: { removals: 32 } } } })
  guard.forget(refOf('first'))
  recreateNamespace()
  await env.clock.run(() => false, 60_000)
  expect(await look('second')).toEqual({ ok: true, value: {} })
})
