/** What a takeover would do to each cluster, and whether it may begin. Pure; nothing is decided here that controllers decide. */
import type { Stored } from '@lockstep/kube/object'
import {
  type BindingResource,
  CAPI_PAUSED,
  type ClusterResourceSet,
  type ResourceSetSourceRef,
  SET,
  type SetMode,
} from '../../../api/kinds/index.ts'
import {
  entryCounts,
  pausePatch,
  type SourceAction,
  settingsOf,
  sourceActionOf,
} from '../../../decisions/resourceset/index.ts'

/** One of `spec.resources`: its hash, or what is wrong with it. */
export type TakeoverSourceFacts = { readonly ref: ResourceSetSourceRef } & (
  | { readonly hash: string }
  | { readonly problem: string }
)

export interface TakeoverClusterFacts {
  readonly cluster: string
  /** What on its object says that nothing is written there. */
  readonly paused: string | undefined
  /** What its binding says of the set. */
  readonly entries: readonly BindingResource[]
  /** When the cluster that answers now was made, milliseconds; a text: why that is not known. Undefined: nobody asked. */
  readonly madeAt: number | string | undefined
}

export interface TakeoverFacts {
  readonly set: Stored<ClusterResourceSet>
  readonly sources: readonly TakeoverSourceFacts[]
  readonly clusters: readonly TakeoverClusterFacts[]
}

export interface TakeoverClusterPlan {
  readonly cluster: string
  readonly notes: readonly string[]
  readonly sources: readonly { readonly kind: string; readonly name: string; readonly plan: SourceAction }[]
}

export interface TakeoverPlan {
  readonly mode: SetMode | undefined
  /** Why it cannot be taken over. */
  readonly refused: string | undefined
  readonly warnings: readonly string[]
  readonly clusters: readonly TakeoverClusterPlan[]
}

export function planTakeover(facts: TakeoverFacts): TakeoverPlan {
  const { set } = facts
  const { settings, problems } = settingsOf(set)
  const mode = settings?.mode
  return {
    mode,
    refused: refusalOf(set, problems),
    warnings: [...(mode ? modeWarnings(set, mode) : []), ...otherWarnings(facts)],
    clusters: mode ? facts.clusters.map((x) => planCluster(mode, facts.sources, x)) : [],
  }
}

function refusalOf(
  { metadata }: Stored<ClusterResourceSet>,
  problems: readonly { readonly message: string }[],
): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'terminating'
  return problems.length > 0 ? problems.map((p) => p.message).join('; ') : undefined
}

/** What each mode does that others do not. */
const FROM_THEN_ON: Readonly<Record<SetMode, string>> = {
  ApplyOnce: 'changes of its sources are no longer deployed',
  Reconcile: 'changes of its sources are deployed from then on',
  Continuous: 'drift is reverted from then on, and each object gets a label and annotations of Lockstep',
}

function modeWarnings({ spec }: ClusterResourceSet, mode: SetMode): string[] {
  const strategy = spec.strategy || 'ApplyOnce'
  if (mode === strategy) return []
  return [`${SET.mode}: ${mode} overrides spec.strategy: ${strategy} of Cluster API: ${FROM_THEN_ON[mode]}`]
}

function otherWarnings({ set, sources, clusters }: TakeoverFacts): string[] {
  const becomesPaused = pausePatch(set.metadata)?.[SET.paused] !== undefined
  return [
    ...sources.flatMap((s) => ('problem' in s ? [s.problem] : [])),
    ...(becomesPaused
      ? [
          `${CAPI_PAUSED} exists: it becomes a pause by ${SET.paused}, and nothing is written until it is removed`,
        ]
      : []),
    ...(clusters.length === 0 ? ['spec.clusterSelector selects no Cluster of its namespace'] : []),
  ]
}

function planCluster(
  mode: SetMode,
  sources: readonly TakeoverSourceFacts[],
  { cluster, paused, entries, madeAt }: TakeoverClusterFacts,
): TakeoverClusterPlan {
  const old = typeof madeAt === 'number' ? entries.filter((e) => !entryCounts(e, madeAt)) : []
  const counting = entries.filter((e) => !old.includes(e))
  return {
    cluster,
    notes: [
      ...(paused === undefined ? [] : [`nothing is written while it is paused (${paused})`]),
      ...(old.length === 0
        ? []
        : ['its binding is older than the cluster: it belongs to an earlier cluster of that name']),
      ...(typeof madeAt === 'string'
        ? [`its binding is assumed valid, because its age is unknown: ${madeAt}`]
        : []),
    ],
    sources: sources.flatMap((s) => {
      if (!('hash' in s)) return []
      const { kind, name } = s.ref
      const entry = counting.find((e) => e.kind === kind && e.name === name)
      return [{ kind, name, plan: sourceActionOf(mode, entry, s.hash) }]
    }),
  }
}

/** How often each is planned, in the order in which it is said. */
export function sourcePlanCounts(
  clusters: readonly TakeoverClusterPlan[],
): readonly (readonly [SourceAction, number])[] {
  const all = clusters.flatMap((x) => x.sources.map((s) => s.plan))
  const order: SourceAction[] = ['nothing', 'metadata only', 'apply (hash differs)', 'apply (not applied)']
  return order.flatMap((plan) => {
    const count = all.filter((p) => p === plan).length
    return count === 0 ? [] : [[plan, count] as const]
  })
}
