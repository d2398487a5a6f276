/**
 * A ClusterResourceSet in Continuous is delivered as a Module that is its own, as a Deployment has its ReplicaSets: what a
 * Module can do the set can, and nothing is done twice. Pure.
 */

import { digestOf, type ObjectMeta, short10 } from '@lockstep/kube/object'
import {
  ADDONS_GROUP,
  type ClusterResourceSet,
  type ModuleSpec,
  type ModuleSpecGiven,
  type ResourceSetSourceRef,
} from '../../api/kinds/index.ts'
import { ADOPT_FROM, SHARED_MANAGERS } from '../../api/toolmanagers.ts'
import { selectsNothing } from './clusterselector.ts'
import type { SetSettings } from './setsettings.ts'

const KIND = 'ClusterResourceSet'
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const MOST = 63
const KEPT = 48

export const isModuleName = (name: string): boolean => name.length <= MOST && LABEL.test(name)

/** Of the Module of a set: names of sets may be longer, and have dots. */
export function companionName(set: string): string {
  const name = `crs-${set}`
  if (isModuleName(name)) return name
  const readable = name.replace(/[^-a-z0-9]/g, '-').slice(0, KEPT)
  return `${readable}-${short10(digestOf('companion/1', set))}`
}

/** Who delivers what an edge names: of a set its Module. */
export const deliveredBy = (named: { readonly kind: string; readonly name: string }) =>
  named.kind === KIND
    ? { kind: 'Module', name: companionName(named.name) }
    : { kind: named.kind, name: named.name }

/** The set that a Module is of; undefined: of none. */
export const setOf = ({ ownerReferences = [] }: ObjectMeta): { name: string; uid: string } | undefined =>
  ownerReferences.find(
    (o) => o.controller === true && o.kind === KIND && o.apiVersion.startsWith(`${ADDONS_GROUP}/`),
  )

/** Units by their kind and name, in the namespace of the set. */
const unit = (kind: 'Module' | typeof KIND, name: string) => ({ kind, name })

/** Each once, in the place where it is named first. */
export const distinctRefs = (refs: readonly ResourceSetSourceRef[] = []): ResourceSetSourceRef[] =>
  refs.filter((r, i) => refs.findIndex((o) => o.kind === r.kind && o.name === r.name) === i)

/** What is written; all else has the defaults of a Module. */
export function companionSpec(
  { metadata, spec }: Pick<ClusterResourceSet, 'metadata' | 'spec'>,
  settings: SetSettings,
): ModuleSpecGiven {
  const { takeOverFrom: former, reapply } = settings
  return {
    source: { resources: distinctRefs(spec.resources), ordering: settings.ordering },
    targets: targetsOf(spec),
    ...(settings.dependsOn.length > 0 ? { dependsOn: [...settings.dependsOn] } : {}),
    rollout: { maxUnavailable: settings.maxUnavailable, maxUnreachable: '100%' },
    apply: {
      prune: settings.prune,
      allowEmpty: settings.allowEmpty,
      deletionPolicy: settings.deletionPolicy,
      adopt: settings.existing === 'Take' || reapply !== undefined ? 'Listed' : 'Never',
      adoptFrom: [...ADOPT_FROM, ...SHARED_MANAGERS],
      // Also what a Module of this set had before it was made anew: the set was moved by clusterctl, or its hub restored.
      takeOverFrom: [
        unit(KIND, metadata.name ?? ''),
        unit('Module', companionName(metadata.name ?? '')),
        ...(former === undefined ? [] : [unit('Module', companionName(former)), unit(KIND, former)]),
      ],
      replaceImmutable: settings.replaceImmutable,
      // One object that is refused keeps no other one from being delivered, as with Cluster API.
      dryRun: 'Never',
      drift: settings.drift === 'Report' ? 'Observe' : settings.drift,
      driftInterval: `${Math.ceil(settings.intervalMs / 1000)}s`,
    },
    health: { timeoutSeconds: Math.ceil(settings.healthTimeoutMs / 1000) },
    attempt: reapply === undefined ? 0 : attemptFor(reapply),
  }
}

/**
 * As it was written last, with what the set says beside its settings: where these are not valid, those that were stay in
 * force, and a Module has them over a restart.
 */
export const keptSpec = (
  before: ModuleSpec,
  { spec }: Pick<ClusterResourceSet, 'spec'>,
): ModuleSpecGiven => ({
  ...before,
  source: { ...before.source, resources: distinctRefs(spec.resources) },
  targets: targetsOf(spec),
})

function targetsOf({ clusterSelector }: ClusterResourceSet['spec']): ModuleSpecGiven['targets'] {
  return {
    inventories: ['ClusterAPI'],
    ...(selectsNothing(clusterSelector) ? {} : { clusterSelector: clusterSelector as never }),
  }
}

/** Any other value has everything verified, and asked for, once more. */
const attemptFor = (reapply: string): number =>
  Number.parseInt(short10(digestOf('reapply/1', reapply)).slice(0, 7), 16) + 1
