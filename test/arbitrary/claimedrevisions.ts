/** Revisions of 60 Modules with 50 objects each, as the cache of the hub has them: the same for 500 clusters as for one. */
import { ObjectStore } from '../../packages/kube/src/cache/objectstore.ts'
import type { ControllerRevision } from '../../packages/kube/src/kinds/types.ts'
import type { Stored } from '../../packages/kube/src/object/index.ts'
import { CACHED_KINDS } from '../../packages/lockstep/src/controllers/cache/hubcaches.ts'
import type { RevisionRecord } from '../../packages/lockstep/src/controllers/cache/index.ts'

export const MODULES = 60
export const OBJECTS = 50
/** Revisions that a Module keeps (`revisionHistoryLimit`). */
export const REVISIONS = 10

export const claimsOf = (module: number): string[] => [
  `Namespace app-${module}`,
  ...Array.from(
    { length: OBJECTS - 1 },
    (_, i) => `apps/Deployment app-${module}/component-with-a-name-${i}`,
  ),
]

export function storedRevision(
  module: number,
  number: number,
  claims?: readonly string[],
): Stored<ControllerRevision> {
  const name = `m${module}`
  const data = {
    kind: 'Module',
    module: name,
    revision: `sha256:${module}-${number}`,
    bundle: `sha256:bundle-${module}-${number}`,
    sourceRevision: '1',
    spec: { source: { none: {} }, targets: {}, apply: {}, health: {}, rollout: {} },
    inputs: [],
    ...(claims ? { claims } : {}),
  }
  const metadata = {
    name: `${name}-${number}`,
    namespace: 'platform',
    uid: `${name}-${number}`,
    resourceVersion: '1',
  }
  return { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, data, revision: number } as never
}

export function claimStore(isIndexed = true): ObjectStore<ControllerRevision, RevisionRecord> {
  const { project, indexes } = CACHED_KINDS.revisions
  const { claim: _, ...others } = indexes
  const store = new ObjectStore<ControllerRevision, RevisionRecord>(
    project as never,
    (isIndexed ? indexes : others) as never,
  )
  const all = Array.from({ length: MODULES }, (_, m) => m).flatMap((m) =>
    Array.from({ length: REVISIONS }, (_, n) => storedRevision(m, n, claimsOf(m))),
  )
  store.replace(
    all.map((o) => store.listed(o)),
    '1',
    0,
  )
  return store
}
