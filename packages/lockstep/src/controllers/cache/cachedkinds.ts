/** Cached kinds of the hub, with their projections and indexes. */
import { controllerRevisionKind, secretKind } from '@lockstep/kube/kinds'
import { type Kind, type KubeObject, type Stored, withoutManagers } from '@lockstep/kube/object'
import {
  type Approval,
  approvalKind,
  bootstrapModuleKind,
  type DisruptionBudget,
  disruptionBudgetKind,
  type ExternalAssemblage,
  type Hold,
  holdKind,
  type Inventory,
  inventoryKind,
  type Module,
  moduleKind,
  type Pipeline,
  type Promotion,
  pipelineKind,
  promotionKind,
  type RemoteAssemblage,
  remoteAssemblageKind,
} from '../../api/kinds/index.ts'
import { BUNDLE_DIGEST_ANNOTATION, BUNDLE_LABEL, MANAGED_BY_LABEL, MODULE_LABEL } from '../../api/labels.ts'
import { type ModuleRef, moduleEdges, moduleId, waveEdges } from '../../decisions/graph/index.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import { withoutManagersButWriter } from '../runtime/index.ts'
import { type RevisionRecord, revisionRecordOf } from './revisions.ts'
import { isUnhealthy } from './unithealth.ts'

/** Namespace and digest of the bundle of which a Secret holds something. */
const shardOf = ({ metadata }: Stored): string =>
  `${metadata.namespace} ${metadata.annotations?.[BUNDLE_DIGEST_ANNOTATION] ?? ''}`

/** Id of the target. */
const targetIndexes = {
  module: (o: Stored<Hold | Approval>) => [moduleId(targetModuleOf(o))],
}

/** The module that a Hold or an Approval is about; of a Pipeline one that no module is. */
export const targetModuleOf = ({ metadata, spec: { targetRef } }: Stored<Hold | Approval>): ModuleRef => ({
  ...targetRef,
  namespace: metadata.namespace ?? '',
})

/** The target is a Pipeline, and not a Module. */
export const targetsPipeline = ({ spec: { targetRef } }: Stored<Hold | Approval>): boolean =>
  targetRef.kind === 'Pipeline'

const inventoryIndexes = {
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
    [i.spec.admitted?.bundle, i.spec.admitted?.values].flatMap((digest) =>
      digest === undefined ? [] : [`${i.metadata.namespace} ${digest}`],
    ),
}

const modulesOfRecords = ({ metadata: { namespace = '' }, spec }: Stored<RemoteAssemblage>): string[] =>
  (spec.syncs ?? []).map(({ kind, name }) => moduleId({ kind, namespace, name }))

const moduleIndexes = {
  namespace: (m: Stored<Module>) => [m.metadata.namespace ?? ''],
}

/** Options of the informer of each kind. */
export const CACHED_KINDS = {
  modules: { kind: moduleKind, project: withoutManagersButWriter<Stored<Module>>, indexes: moduleIndexes },
  bootstrapModules: {
    kind: bootstrapModuleKind,
    project: withoutManagersButWriter<Stored<Module>>,
    indexes: moduleIndexes,
  },
  assemblages: {
    kind: remoteAssemblageKind,
    labelSelector: `!${MANAGED_BY_LABEL}`,
    project: withoutManagers<Stored<RemoteAssemblage>>,
    indexes: { module: modulesOfRecords },
  },
  foreign: {
    kind: remoteAssemblageKind as unknown as Kind<ExternalAssemblage>,
    labelSelector: MANAGED_BY_LABEL,
    project: withoutManagers<Stored<ExternalAssemblage>>,
    indexes: {
      namespace: (a: Stored<ExternalAssemblage>) => [a.metadata.namespace ?? ''],
      cluster: (a: Stored<ExternalAssemblage>) => [`${a.metadata.namespace}/${a.spec.clusterRef.name}`],
    },
  },
  inventories: {
    kind: inventoryKind,
    project: withoutManagers<Stored<Inventory>>,
    indexes: inventoryIndexes,
  },
  holds: { kind: holdKind, project: withoutManagers<Stored<Hold>>, indexes: targetIndexes },
  approvals: { kind: approvalKind, project: withoutManagers<Stored<Approval>>, indexes: targetIndexes },
  disruptionBudgets: {
    kind: disruptionBudgetKind,
    project: withoutManagers<Stored<DisruptionBudget>>,
    indexes: { namespace: (b: Stored<DisruptionBudget>) => [b.metadata.namespace ?? ''] },
  },
  pipelines: {
    kind: pipelineKind,
    project: withoutManagers<Stored<Pipeline>>,
    indexes: { identity: (p: Stored<Pipeline>) => [p.spec.identity] },
  },
  promotions: {
    kind: promotionKind,
    project: withoutManagers<Stored<Promotion>>,
    indexes: { pipeline: (p: Stored<Promotion>) => [`${p.metadata.namespace}/${p.spec.pipelineRef.name}`] },
  },
  revisions: {
    kind: controllerRevisionKind,
    labelSelector: MODULE_LABEL,
    project: revisionRecordOf,
    indexes: {
      module: (r: RevisionRecord) => [moduleId(r.module)],
      needs: (r: RevisionRecord) => moduleEdges(r.edges).map((e) => moduleId(e.to)),
      /** Modules that it needs at a wave. */
      waves: (r: RevisionRecord) => waveEdges(r.edges).map((e) => moduleId(e.to)),
      revision: (r: RevisionRecord) => [`${r.namespace} ${r.revision}`],
      release: (r: RevisionRecord) => (r.release === undefined ? [] : [`${r.namespace}/${r.release}`]),
    },
  },
  shards: {
    kind: secretKind,
    labelSelector: BUNDLE_LABEL,
    fields: 'metadata',
    project: withoutManagers<Stored<KubeObject>>,
    indexes: { bundle: (s: Stored) => [shardOf(s)] },
  },
} as const
