/** What is to be deleted, and how it may stand with it. */
import fc from 'fast-check'
import type { KubeObject, ObjectReference } from '../../packages/kube/src/object/index.ts'
import { blocked, type NewBlocker } from '../../packages/lockstep/src/api/blocker.ts'
import type { PruneFate, PruneView } from '../../packages/lockstep/src/deliver/deletion/prune.ts'
import { objectWaitRef } from '../../packages/lockstep/src/deliver/state/objectwaitref.ts'
import { entryOf, liveOf, matter, UID } from './arbitraryunit.ts'

const OTHER = { kind: 'Module', namespace: 'platform', name: 'other' }

const waiting: NewBlocker = blocked('WaitingForClaims', [{ kind: 'Module', name: 'other' }], {
  because: 'Unpublished',
  module: 'other',
})

const deniedOf = (ref: ObjectReference): NewBlocker =>
  blocked('PruneBlocked', [objectWaitRef(ref, 'c1')], { because: 'Refused', error: 'denied' })

const fates: readonly (PruneFate | undefined)[] = [
  undefined,
  undefined,
  undefined,
  { type: 'HandOver', to: OTHER, inherited: false, isMoved: false },
  { type: 'Orphan' },
  { type: 'Wait', blocker: waiting, retryInMs: 1000 },
]

const ref = fc.constantFrom<ObjectReference>(
  { group: '', kind: 'Namespace', name: 'default' },
  { group: '', kind: 'Namespace', name: 'a' },
  { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', name: 'w' },
  { group: '', kind: 'ConfigMap', namespace: 'a', name: 'c' },
  { group: 'apps', kind: 'Deployment', namespace: 'a', name: 'd' },
  { group: '', kind: 'ServiceAccount', namespace: 'a', name: 's' },
  { group: 'example.com', kind: 'Widget', namespace: 'a', name: 'w' },
)

export const pruneViews: fc.Arbitrary<PruneView> = fc
  .uniqueArray(
    fc.record({
      ref,
      matter,
      isUnserved: fc.constantFrom(false, false, false, true),
      fate: fc.constantFrom(...fates),
      asked: fc.constantFrom(false, false, true),
      level: fc.nat(3),
      part: fc.constantFrom(undefined, 'p', 'q'),
      early: fc.constantFrom(undefined, undefined, undefined, true),
      kept: fc.constantFrom(false, false, true),
      confirm: fc.constantFrom(false, false, true),
      isRefused: fc.constantFrom(false, false, false, true),
      terminatingMs: fc.constantFrom(0, 60_000, 3_600_000),
    }),
    { selector: (e) => `${e.ref.kind}/${e.ref.name}`, maxLength: 7 },
  )
  .map((rows) => ({
    inventoryUid: UID,
    module: { namespace: 'platform', name: 'm' },
    cluster: 'c1',
    entries: rows.map(({ ref: r, matter: m, isUnserved, level, part, early, isRefused, ...rest }) => {
      const live = liveOf(r, refObject(r), m)
      return {
        entry: {
          ...entryOf(r, 'x'),
          level,
          ...(part ? { part } : {}),
          ...(early ? { early } : {}),
        },
        live: isUnserved ? ('unserved' as const) : (live ?? ('gone' as const)),
        ...rest,
        unlisted: live === 'unknown' ? { reason: 'Forbidden' as const, words: 'no' } : undefined,
        refused: isRefused ? { blocker: deniedOf(r), retryInMs: 1000 } : undefined,
      }
    }),
  }))

const refObject = (r: ObjectReference): KubeObject => ({
  apiVersion: r.group === '' ? 'v1' : `${r.group}/v1`,
  kind: r.kind,
  metadata: { name: r.name },
})
