/** Indexes of the caches of the hub. */
import type { Stored } from '@lockstep/kube/object'
import type { Approval, Hold, Inventory, Module } from '../../api/kinds/index.ts'
import { BUNDLE_DIGEST_ANNOTATION } from '../../api/labels.ts'
import { type ModuleRef, moduleEdges, moduleId, waveEdges } from '../../decisions/graph/index.ts'
import { claimKeysOf } from '../../decisions/ownership/index.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import type { RevisionRecord } from './revisions.ts'
import { isUnhealthy } from './unithealth.ts'

/** Namespace and digest of the bundle of which a Secret holds something. */
const shardOf = ({ metadata }: Stored): string =>
  `${metadata.namespace} ${metadata.annotations?.[BUNDLE_DIGEST_ANNOTATION] ?? ''}`

/** The module that a Hold or an Approval is about; of a Pipeline one that no module is. */
export const targetModuleOf = ({ metadata, spec: { targetRef } }: Stored<Hold | Approval>): ModuleRef => ({
  ...targetRef,
  namespace: metadata.namespace ?? '',
})

/** The target is a Pipeline, and not a Module. */
export const targetsPipeline = ({ spec: { targetRef } }: Stored<Hold | Approval>): boolean =>
  targetRef.kind === 'Pipeline'

/** Values by which objects of a kind are found. */
export const cacheIndexes = {
  modules: {
    namespace: (m: Stored<Module>) => [m.metadata.namespace ?? ''],
    deleting: (m: Stored<Module>) => (m.metadata.deletionTimestamp === undefined ? [] : ['']),
  },
  inventories: {
    module: (i: Stored<Inventory>) => [moduleId(refOfInventory(i))],
    /** The assemblage of another owner that has the record of the unit. */
    owner: (i: Stored<Inventory>) =>
      i.spec.moduleRef.owner === undefined ? [] : [`${i.metadata.namespace}/${i.spec.moduleRef.owner}`],
    /** The admitted revision of a unit of another owner. */
    foreign: (i: Stored<Inventory>) =>
      i.spec.moduleRef.owner === undefined || !i.spec.admitted
        ? []
        : [`${i.metadata.namespace} ${i.spec.admitted.revision}`],
    unwell: (i: Stored<Inventory>) => (isUnhealthy(i) ? [i.metadata.namespace ?? ''] : []),
    cluster: (i: Stored<Inventory>) => [`${i.metadata.namespace}/${i.spec.clusterRef.name}`],
    bundle: (i: Stored<Inventory>) =>
      [i.spec.assigned, i.spec.admitted]
        .flatMap((s) => [s?.bundle, s?.values])
        .flatMap((digest) => (digest === undefined ? [] : [`${i.metadata.namespace} ${digest}`])),
  },
  /** Holds and Approvals. */
  targets: { module: (o: Stored<Hold | Approval>) => [moduleId(targetModuleOf(o))] },
  revisions: {
    module: (r: RevisionRecord) => [moduleId(r.module)],
    needs: (r: RevisionRecord) => moduleEdges(r.edges).map((e) => moduleId(e.to)),
    /** Modules that it needs at a wave. */
    waves: (r: RevisionRecord) => waveEdges(r.edges).map((e) => moduleId(e.to)),
    revision: (r: RevisionRecord) => [`${r.namespace} ${r.revision}`],
    /** Revisions that may have an object (`keysOfObject`), of all namespaces. */
    claim: ({ claims, spec }: RevisionRecord) => claimKeysOf({ claims, namespace: spec.render?.namespace }),
    release: (r: RevisionRecord) => (r.release === undefined ? [] : [`${r.namespace}/${r.release}`]),
  },
  shards: { bundle: (s: Stored) => [shardOf(s)] },
}
