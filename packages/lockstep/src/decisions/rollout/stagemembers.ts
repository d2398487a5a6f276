/** Which stage each cluster belongs to: the first one that takes it. */
import { type LabelSelector, matchesSelector, sortedByText } from '@lockstep/kube/object'
import { amountOf } from './budgets/amount.ts'
import type { RolloutPolicy, StagePolicy } from './policy.ts'

/** The one stage of strategies without stages. */
export const WHOLE_STAGE = 'all'
/** What is in no stage comes last. */
const REST_STAGE = 'rest'
/** Stages of a rollout, with what `groupBy` makes of them. */
export const MAX_STAGES = 64
/** Batches of a rollout. */
const MAX_BATCHES = 32

export interface StageMember {
  readonly cluster: string
  readonly labels: Readonly<Record<string, string>>
  /** A hash of module and cluster. */
  readonly order: string
}

/** The stage in which a cluster was started: there it stays. */
export type StartedIn = (cluster: string) => string | undefined

/** The stage that a record names, where it was written in this rollout; what was only verified again was started in none. */
export const recordedStage = (
  recorded: string | undefined,
  stage: string | undefined,
  target: string | undefined,
): string | undefined => (recorded !== undefined && recorded === target ? stage : undefined)

/** A stage with its members, in the order in which they start. */
export interface StageMembers<M extends StageMember = StageMember> {
  readonly name: string
  readonly policy: StagePolicy
  /** Those of `size`: members have a hash of at most this. Frozen when the rollout starts. */
  readonly cut?: string | undefined
  readonly members: readonly M[]
}

/** The stages with which the rollout has begun, and their cuts, if they have any: both are frozen by its start. */
export type FrozenStages = ReadonlyMap<string, string | undefined>

/** What a rollout's start has frozen, of the stages that its status knows: those of `groupBy` are one, with one cut. */
export const frozenBy = (stages: readonly { name: string; cut?: string | undefined }[]): FrozenStages =>
  new Map(stages.map(({ name, cut }) => [stageOf(name), cut]))

/** All stages of a policy with the members of each; every member is in exactly one. */
export function stagesOf<M extends StageMember>(
  policy: RolloutPolicy,
  members: readonly M[],
  frozen: FrozenStages,
  startedIn: StartedIn,
): StageMembers<M>[] {
  // Once: every part of it is in this order, too.
  const byHash = sortedByText(
    members,
    (m) => m.order,
    (a, b) => compareText(a.cluster, b.cluster),
  )
  if (policy.strategy !== 'Staged') return [whole(byHash)]
  const stages = policy.stages ?? batchesOf(policy, members.length, frozen)
  if (stages.length === 0) return [whole(byHash)]
  return divided(stages, byHash, frozen, startedIn)
}

const whole = <M extends StageMember>(members: readonly M[]): StageMembers<M> => ({
  name: WHOLE_STAGE,
  policy: { name: WHOLE_STAGE },
  members,
})

/** Stages of equal size, by hash. A small fleet is one stage. A rollout that has begun keeps its number of batches. */
function batchesOf({ batches }: RolloutPolicy, total: number, frozen: FrozenStages): StagePolicy[] {
  if (!batches) return []
  // By name: the last one has no cut, it takes what is left.
  const begun = [...frozen.keys()].filter((name) => /^batch-\d+$/.test(name)).length
  if (begun === 0 && total < batches.minClusters) return []
  const size = Math.max(1, amountOf(batches.size, total, true), Math.ceil(total / MAX_BATCHES))
  const count = begun > 0 ? begun : Math.max(1, Math.ceil(total / size))
  return Array.from({ length: count }, (_, i) => ({
    name: `batch-${i + 1}`,
    ...(i === count - 1 ? { clusterSelector: {} } : { size }),
  }))
}

function divided<M extends StageMember>(
  stages: readonly StagePolicy[],
  members: readonly M[],
  frozen: FrozenStages,
  startedIn: StartedIn,
): StageMembers<M>[] {
  const out: StageMembers<M>[] = []
  const names = new Set(stages.map((s) => s.name))
  let left: readonly M[] = members
  for (const [i, policy] of stages.entries()) {
    const { isTaken, cut } = taking(policy, left, names, frozen, startedIn)
    const taken: M[] = []
    const others: M[] = []
    for (const m of left) (isTaken(m) ? taken : others).push(m)
    left = others
    const groups = grouped(policy, taken, MAX_STAGES - out.length - (stages.length - i), startedIn)
    out.push(...groups.map((g) => (cut === undefined ? g : { ...g, cut })))
  }
  if (left.length > 0) {
    const name = restOf(names)
    out.push({ name, policy: { name }, members: left })
  }
  return out
}

/** The name of the stage of those that are in none. */
const restOf = (names: ReadonlySet<string>): string =>
  names.has(REST_STAGE) ? `${REST_STAGE}-of-all` : REST_STAGE

/** Without the value of its label, where it is one of `groupBy`. */
const stageOf = (name: string): string => name.split('/')[0]!

/** `left` is by hash. */
function taking<M extends StageMember>(
  policy: StagePolicy,
  left: readonly M[],
  names: ReadonlySet<string>,
  frozen: FrozenStages,
  startedIn: StartedIn,
): { isTaken: (m: M) => boolean; cut?: string } {
  /** Undefined: it was started in none of these. */
  const wasHere = (m: M): boolean | undefined => {
    const name = startedIn(m.cluster)
    if (name === undefined) return undefined
    const stage = stageOf(name)
    return names.has(stage) || stage === restOf(names) ? stage === policy.name : undefined
  }
  const fits = (m: M): boolean => wasHere(m) !== false && isSelected(policy, m)
  if (policy.size === undefined) return { isTaken: (m) => wasHere(m) === true || fits(m) }
  const cut = frozen.get(policy.name) ?? cutOf(policy.size, left.filter(fits))
  return { isTaken: (m) => wasHere(m) === true || (m.order <= cut && fits(m)), cut }
}

function isSelected({ clusterSelector, clusters, size, groupBy }: StagePolicy, m: StageMember): boolean {
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
  members: readonly StageMember[],
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

const isMatching = (selector: LabelSelector | undefined, m: StageMember): boolean =>
  selector !== undefined && matchesSelector(selector, m.labels)

/** The greatest hash of the first `size` of what is by hash; empty: nobody. */
const cutOf = (size: number | string, members: readonly StageMember[]): string =>
  members[amountOf(size, members.length, true) - 1]?.order ?? ''

/** One stage a value of the label; what is beyond the number that is possible joins the last. */
function grouped<M extends StageMember>(
  policy: StagePolicy,
  members: readonly M[],
  room: number,
  startedIn: StartedIn,
): StageMembers<M>[] {
  const { groupBy, name } = policy
  if (groupBy === undefined) return [{ name, policy, members: inOrder(policy, members) }]
  const partOf = (m: M): string | undefined => groupOf(m, name, groupBy, startedIn)
  const values = [...new Set(members.map(partOf))].sort(compareValues).slice(0, Math.max(1, room))
  const groups = new Map(values.map((v) => [v, [] as M[]]))
  const last = groups.get(values.at(-1))
  for (const m of members) (groups.get(partOf(m)) ?? last)?.push(m)
  return [...groups].map(([value, of]) => ({
    name: `${name}/${value ?? ''}`,
    policy,
    members: inOrder(policy, of),
  }))
}

/** Who was started in a group stays there, too. */
function groupOf(m: StageMember, stage: string, label: string, startedIn: StartedIn): string | undefined {
  const group = startedIn(m.cluster)
  if (group?.startsWith(`${stage}/`) !== true) return m.labels[label]
  return group.slice(stage.length + 1) || undefined
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

/** Of members that are by hash; sorting keeps that order where nothing else says so. */
function inOrder<M extends StageMember>(policy: StagePolicy, members: readonly M[]): readonly M[] {
  const { order = 'Hash', orderLabel } = policy
  if (order === 'Name') return [...members].sort((a, b) => compareText(a.cluster, b.cluster))
  if (order === 'Label' && orderLabel !== undefined)
    return [...members].sort((a, b) => compareValues(a.labels[orderLabel], b.labels[orderLabel]))
  return members
}

/** Of names of clusters, which differ. */
const compareText = (a: string, b: string): number => (a < b ? -1 : 1)
