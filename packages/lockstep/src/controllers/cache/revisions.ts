/** ControllerRevisions: the history of a module. revision → bundle never changes (I11). */

import type { ControllerRevision } from '@lockstep/kube/kinds'
import {
  at,
  type Digest,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  microTimestamp,
  parseTimestampMs,
  type Stored,
  short10,
} from '@lockstep/kube/object'
import { applySettings, healthSettings, type ModuleSpec } from '../../api/kinds/index.ts'
import {
  COMPLETED_ANNOTATION,
  MODULE_LABEL,
  PUBLISHED_ANNOTATION,
  PUBLISHED_BY_ANNOTATION,
} from '../../api/labels.ts'
import type { Application } from '../../decisions/clustergroup/index.ts'
import {
  type DependencyEdge,
  type ModuleEdge,
  type ModuleRef,
  moduleWaitRef,
} from '../../decisions/graph/index.ts'
import { deliveredBy } from '../../decisions/resourceset/index.ts'
import { contentOfSpec, type ResolvedInput } from '../../decisions/revision/index.ts'
import { fault, type SourceFailure } from '../../sources/intake/index.ts'
import type { RevisionRecord } from '../runtime/index.ts'
import { packClaims, type StoredClaims, unpackClaims } from './packclaims.ts'

export type { RevisionRecord }

interface RevisionData {
  readonly kind: ModuleRef['kind']
  readonly module: string
  readonly revision: Digest
  readonly bundle: Digest
  readonly sourceRevision: string
  readonly spec: RevisionRecord['spec'] & { release?: string }
  readonly inputs: readonly ResolvedInput[]
  readonly values?: Digest
  readonly mentions?: readonly string[]
  readonly claims?: StoredClaims
  readonly applications?: readonly Application[]
}

const LETTER: Readonly<Record<string, string>> = { Module: 'm', BootstrapModule: 'b' }

export const moduleRevisionsLabel = (m: ModuleRef): string =>
  `${LETTER[m.kind]}.${m.name}`.slice(0, 63).replace(/[^A-Za-z0-9]+$/, '')

export const revisionName = (m: ModuleRef, revision: Digest): string => `${m.name}-${short10(revision)}`

export function revisionRecordOf(o: Stored<ControllerRevision>): RevisionRecord {
  const data = o.data as RevisionData
  const namespace = o.metadata.namespace ?? ''
  return {
    name: o.metadata.name,
    namespace,
    module: { kind: data.kind, namespace, name: data.module },
    revision: data.revision,
    bundle: data.bundle,
    release: data.spec.release,
    sourceRevision: data.sourceRevision,
    number: o.revision,
    createdAt: o.metadata.creationTimestamp,
    publishedAt: publishedAtOf(o.metadata),
    completedAt: parseTimestampMs(o.metadata.annotations?.[COMPLETED_ANNOTATION] ?? ''),
    spec: { ...data.spec, ...settingsOf(data.spec) },
    inputs: data.inputs,
    values: data.values,
    mentions: data.mentions ?? [],
    claims: unpackClaims(data.claims as JsonValue | undefined),
    applications: data.applications ?? [],
    edges: edgesOf(data.spec.dependsOn, namespace),
    stored: o.metadata,
  }
}

/**
 * The same for data that may be anything: users with the right to write ControllerRevisions can give one our label. Undefined: it
 * is not a revision of a Module.
 */
export function readRevision(o: Stored<ControllerRevision>): RevisionRecord | undefined {
  const data = o.data as JsonValue | undefined
  const texts = ['kind', 'module', 'revision', 'bundle', 'sourceRevision']
  const spec = at(data, 'spec')
  const [inputs, edges] = [at(data, 'inputs'), at(spec, 'dependsOn') ?? []]
  const isOurs =
    texts.every((name) => isString(at(data, name))) &&
    isObject(spec) &&
    [inputs, edges].every((list) => isArray(list) && list.every(isObject)) &&
    applySettings.safeParse(spec.apply ?? {}).success &&
    healthSettings.safeParse(spec.health ?? {}).success
  return isOurs ? revisionRecordOf(o) : undefined
}

/** To the second, of one that does not say it. */
const publishedAtOf = ({ annotations, creationTimestamp }: Stored['metadata']): number =>
  parseTimestampMs(annotations?.[PUBLISHED_ANNOTATION] ?? '') ?? parseTimestampMs(creationTimestamp) ?? 0

/** Settings that a revision was published before get their defaults. */
const settingsOf = ({ apply, health }: RevisionRecord['spec']) => ({
  apply: applySettings.parse(apply ?? {}),
  health: healthSettings.parse(health ?? {}),
})

/** A ClusterResourceSet is delivered as the Module that is its own. */
const needed = (
  named: { readonly kind: string; readonly name: string },
  namespace: string,
): Pick<ModuleEdge, 'to' | 'set'> => ({
  to: { ...deliveredBy(named), namespace },
  ...(named.kind === 'ClusterResourceSet' ? { set: named.name } : {}),
})

export function edgesOf(dependsOn: ModuleSpec['dependsOn'], namespace: string): DependencyEdge[] {
  return (dependsOn ?? []).flatMap(
    ({ id, module, object, readyExpr, beforeWave, ...rest }): DependencyEdge[] => {
      const { release, optional } = rest
      if (module) {
        const cluster = module.clusterRef && { cluster: module.clusterRef.name }
        const wave = beforeWave === undefined ? {} : { beforeWave }
        return [{ id, ...needed(module, namespace), ...cluster, ...wave, release, optional }]
      }
      return object ? [{ id, object, ...(readyExpr === undefined ? {} : { readyExpr }), optional }] : []
    },
  )
}

export interface NewRevision {
  readonly module: ModuleRef
  readonly uid: string
  readonly spec: ModuleSpec
  readonly inputs: readonly ResolvedInput[]
  readonly revision: Digest
  readonly bundle: Digest
  readonly values: Digest | undefined
  readonly mentions: readonly string[]
  /** Undefined: those of its bundle were not recorded, and the bundle is not read. */
  readonly claims: readonly string[] | undefined
  readonly applications?: readonly Application[]
  readonly sourceRevision: string
  readonly number: number
  /** Wall clock, milliseconds. */
  readonly now: number
  /** Who has changed the spec, where that is known. */
  readonly by?: string
}

/** Create only: what is stored wins. */
export function controllerRevisionOf(n: NewRevision): ControllerRevision {
  const data: RevisionData = {
    kind: n.module.kind,
    module: n.module.name,
    revision: n.revision,
    bundle: n.bundle,
    sourceRevision: n.sourceRevision,
    spec: contentOfSpec(n.spec as unknown as JsonObject) as unknown as RevisionData['spec'],
    inputs: n.inputs,
    ...(n.values === undefined ? {} : { values: n.values }),
    ...(n.mentions.length === 0 ? {} : { mentions: n.mentions }),
    ...(n.claims === undefined ? {} : { claims: packClaims(n.claims) }),
    ...(n.applications?.length ? { applications: n.applications } : {}),
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(n.module, n.revision),
      namespace: n.module.namespace,
      labels: { [MODULE_LABEL]: moduleRevisionsLabel(n.module) },
      annotations: {
        [PUBLISHED_ANNOTATION]: microTimestamp(n.now),
        ...(n.by === undefined ? {} : { [PUBLISHED_BY_ANNOTATION]: n.by }),
      },
      ownerReferences: [
        {
          apiVersion: 'lockstep.dev/v1alpha1',
          kind: n.module.kind,
          name: n.module.name,
          uid: n.uid,
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    revision: n.number,
    data,
  }
}

/** The settings of the revision are needed, and the cache does not have them: it is behind, or they were deleted. */
export const unknownRevision = (ref: ModuleRef, revision: string): SourceFailure =>
  fault('BundleLost', { revision: revisionName(ref, revision) }, true, [
    moduleWaitRef({ to: ref, set: undefined }),
  ])
