/** Which stage each cluster belongs to: the first one that takes it. */
import { type LabelSelector, matchesSelector } from '../../object/object.ts'
import { amountOf } from './amount.ts'
import type { RolloutPolicy, StagePolicy } from './policy.ts'

/** The one stage of strategies without stages. */
export const WHOLE_STAGE = 'all'
/** What is in no stage comes last. */
const REST_STAGE = 'rest'
/** Stages of a rollout, with what `groupBy` makes of them. */
export const MAX_STAGES = 64
/** Batches of a rollout. */
const MAX_BATCHES = 32

export interface Member {
  readonly cluster: string
  readonly labels: Readonly<Record<string, string>>
  /** A hash of module and cluster. */
  readonly order: string
  /** The stage in which it was started: there it stays. */
  readonly startedIn: string | undefined
}

/** A stage with its members, in the order in which they start. */
export interface StageMembers<M extends Member = Member> {
  readonly name: string
  readonly policy: StagePolicy
  /** Those of `size`: members have a hash of at most this. Frozen when the rollout starts. */
  readonly cut?: string | undefined
  readonly members: readonly M[]
}

/** Cuts as the rollout's start has frozen them, by stage. */
export type Cuts = ReadonlyMap<string, string>

/** All stages of a policy with the members of each; every member is in exactly one. */
export function stagesOf<M extends Member>(
  policy: RolloutPolicy,
  members: readonly M[],
  frozen: Cuts,
): StageMembers<M>[] {
  if (policy.strategy !== 'Staged') return [whole(members)]
  const stages = policy.stages ?? batchesOf(policy, members.length, frozen)
  if (stages.length === 0) return [whole(members)]
  return divided(stages, members, frozen)
}

const whole = <M extends Member>(members: readonly M[]): StageMembers<M> => ({
  name: WHOLE_STAGE,
  policy: { name: WHOLE_STAGE },
  members: inOrder({ name: WHOLE_STAGE }, members),
})

/** Stages of equal size, by hash. A small fleet is one stage. A rollout that has begun keeps its number of batches. */
function batchesOf({ batches }: RolloutPolicy, total: number, frozen: Cuts): StagePolicy[] {
  if (!batches) return []
  const begun = [...frozen.keys()].filter((name) => /^batch-\d+$/.test(name)).length
  if (begun === 0 && total < batches.minClusters) return []
  const size = Math.max(1, amountOf(batches.size, total, true), Math.ceil(total / MAX_BATCHES))
  const count = begun > 0 ? begun : Math.max(1, Math.ceil(total / size))
  return Array.from({ length: count }, (_, i) => ({
    name: `batch-${i + 1}`,
    ...(i === count - 1 ? { clusterSelector: {} } : { size }),
  }))
}

function divided<M extends Member>(
  stages: readonly StagePolicy[],
  members: readonly M[],
  frozen: Cuts,
): StageMembers<M>[] {
  const out: StageMembers<M>[] = []
  const names = new Set(stages.map((s) => s.name))
  let left: readonly M[] = members
  for (const [i, policy] of stages.entries()) {
    const { taken, cut } = taking(policy, left, names, frozen)
    const isTaken = new Set(taken)
    left = left.filter((m) => !isTaken.has(m))
    const groups = grouped(policy, taken, MAX_STAGES - out.length - (stages.length - i))
    out.push(...groups.map((g) => (cut === undefined ? g : { ...g, cut })))
  }
  if (left.length > 0) {
    const name = names.has(REST_STAGE) ? `${REST_STAGE}-of-all` : REST_STAGE
    out.push({ name, policy: { name }, members: inOrder({ name }, left) })
  }
  return out
}

const stageOf = (name: string): string => name.split('/')[0]!

function taking<M extends Member>(
  policy: StagePolicy,
  left: readonly M[],
  names: ReadonlySet<string>,
  frozen: Cuts,
): { taken: M[]; cut?: string } {
  const startedHere = (m: M): boolean => m.startedIn !== undefined && stageOf(m.startedIn) === policy.name
  const startedElsewhere = (m: M): boolean =>
    m.startedIn !== undefined && !startedHere(m) && names.has(stageOf(m.startedIn))
  const fits = (m: M): boolean => !startedElsewhere(m) && isSelected(policy, m)
  if (policy.size === undefined) return { taken: left.filter((m) => startedHere(m) || fits(m)) }
  const cut = frozen.get(policy.name) ?? cutOf(policy.size, left.filter(fits))
  return { taken: left.filter((m) => startedHere(m) || (m.order <= cut && fits(m))), cut }
}

function isSelected({ clusterSelector, clusters, size, groupBy }: StagePolicy, m: Member): boolean {
  if (clusterSelector === undefined && clusters === undefined)
    return size !== undefined || groupBy !== undefined
  return isMatching(clusterSelector, m) || clusters?.includes(m.cluster) === true
}

/**
 * Clusters that two stages select, and which ones: they are in the first. Cuts by `size` and selectors of all clusters take
 * what is left.
 */
export function selectedTwice(
  { strategy, stages = [] }: RolloutPolicy,
  members: readonly Member[],
): { readonly cluster: string; readonly stages: readonly [string, string] }[] {
  if (strategy !== 'Staged') return []
  const bySelector = stages.filter((s) => s.clusters !== undefined || !isOfAll(s.clusterSelector))
  return members.flatMap((m) => {
    const [first, second] = bySelector.filter((s) => isSelected(s, m))
    return first && second ? [{ cluster: m.cluster, stages: [first.name, second.name] as const }] : []
  })
}

const isOfAll = (s: LabelSelector | undefined): boolean =>
  Object.keys(s?.matchLabels ?? {}).length === 0 && (s?.matchExpressions ?? []).length === 0

const isMatching = (selector: LabelSelector | undefined, m: Member): boolean =>
  selector !== undefined && matchesSelector(selector, m.labels)

/** The greatest hash of the first `size`; empty: nobody. */
function cutOf(size: number | string, members: readonly Member[]): string {
  const count = amountOf(size, members.length, true)
  if (count === 0) return ''
  return members.map((m) => m.order).sort()[count - 1] ?? ''
}

/** One stage a value of the label; what is beyond the number that is possible joins the last. */
function grouped<M extends Member>(
  policy: StagePolicy,
  members: readonly M[],
  room: number,
): StageMembers<M>[] {
  const { groupBy, name } = policy
  if (groupBy === undefined) return [{ name, policy, members: inOrder(policy, members) }]
  const byValue = new Map<string | undefined, M[]>()
  for (const m of members) {
    const value = groupOf(m, name, groupBy)
    const known = byValue.get(value)
    if (known) known.push(m)
    else byValue.set(value, [m])
  }
  const values = [...byValue.keys()].sort(compareValues)
  const alone = values.slice(0, Math.max(0, room - 1))
  const others = values.slice(alone.length)
  const stage = (part: string | undefined, of: readonly (string | undefined)[]): StageMembers<M> => ({
    name: `${name}/${part ?? ''}`,
    policy,
    members: inOrder(
      policy,
      of.flatMap((v) => byValue.get(v) ?? []),
    ),
  })
  const last = others.length === 0 ? [] : [stage(others[0], others)]
  return [...alone.map((v) => stage(v, [v])), ...last]
}

/** Who was started in a group stays there, too. */
function groupOf({ startedIn, labels }: Member, stage: string, label: string): string | undefined {
  if (startedIn?.startsWith(`${stage}/`) !== true) return labels[label]
  return startedIn.slice(stage.length + 1) || undefined
}

/** Integers by number, then text, then what has no value. */
export function compareValues(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1
  const isNumber = (v: string): boolean => /^-?\d{1,15}$/.test(v)
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1
  if (isNumber(a) && Number(a) !== Number(b)) return Number(a) - Number(b)
  return a < b ? -1 : 1
}

function inOrder<M extends Member>(policy: StagePolicy, members: readonly M[]): M[] {
  const byHash = (a: M, b: M): number => compareText(a.order, b.order) || compareText(a.cluster, b.cluster)
  const { order = 'Hash', orderLabel } = policy
  if (order === 'Name') return [...members].sort((a, b) => compareText(a.cluster, b.cluster))
  if (order === 'Label' && orderLabel !== undefined)
    return [...members].sort(
      (a, b) => compareValues(a.labels[orderLabel], b.labels[orderLabel]) || byHash(a, b),
    )
  return [...members].sort(byHash)
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
