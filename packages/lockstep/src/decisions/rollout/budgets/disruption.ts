/**
 * What a DisruptionBudget counts: clusters, not units. A cluster is disrupted while anything of any module is in flight
 * there, has failed, is unwell or leaves, or while it cannot be reached.
 */
import { type LabelSelector, matchesSelector } from '@lockstep/kube/object'
import type { Amount } from '../policy.ts'
import { amountOf } from './amount.ts'

/** `spec`, as far as it can be read. */
export interface BudgetSpec {
  readonly clusterSelector?: LabelSelector | undefined
  readonly maxUnavailable?: Amount | undefined
  readonly minAvailable?: Amount | undefined
}

/** A place that a start has taken: of one module on one cluster. */
export interface BudgetEntry {
  /** `Module/web`. */
  readonly module: string
  readonly cluster: string
  readonly since: string
}

/** A module that found the budget full. */
export interface BudgetWaiter {
  readonly module: string
  readonly since: string
}

/** A cluster of the namespace that is in a total: nobody has taken it away, and it was up once. */
export interface CountedCluster {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly isUnreachable: boolean
}

export interface BudgetFacts {
  readonly name: string
  readonly spec: BudgetSpec
  /** As it is stored: the base of the compare-and-swap. */
  readonly ledger: readonly BudgetEntry[]
  /** The one that waits longest first. */
  readonly waiters: readonly BudgetWaiter[]
  readonly clusters: readonly CountedCluster[]
  /** Clusters on which a unit of the namespace is in flight, has failed, is unwell or leaves, whoever counted it. */
  readonly unwell: ReadonlySet<string>
  /** Milliseconds of the monotonic clock for which it has had room, as far as this process knows. */
  readonly freeMs: number
}

/** A budget as a decision looks at it. */
export interface DisruptionBudgetView {
  readonly name: string
  /** Names of the clusters that it counts. */
  readonly clusters: ReadonlySet<string>
  /** Those of them that are disrupted. */
  readonly disrupted: ReadonlySet<string>
  readonly max: number
  readonly ledger: readonly BudgetEntry[]
  readonly waiters: readonly BudgetWaiter[]
  readonly freeMs: number
  /** Why it cannot be read; nothing starts in it then. */
  readonly problem: string | undefined
}

export function disruptionBudgetView(f: BudgetFacts): DisruptionBudgetView {
  const problem = specProblem(f.spec)
  // Whom it protects cannot be known: everybody then.
  const selector = selectorProblem(f.spec.clusterSelector) === undefined ? f.spec.clusterSelector! : {}
  const counted = f.clusters.filter((c) => matchesSelector(selector, c.labels))
  const clusters = new Set(counted.map((c) => c.name))
  const disrupted = new Set(counted.filter((c) => c.isUnreachable || f.unwell.has(c.name)).map((c) => c.name))
  for (const { cluster } of f.ledger) if (clusters.has(cluster)) disrupted.add(cluster)
  const { name, ledger, waiters, freeMs } = f
  const max = problem === undefined ? allowedOf(f.spec, clusters.size) : 0
  return { name, clusters, disrupted, max, ledger, waiters, freeMs, problem }
}

/**
 * How many of `total` clusters may be disrupted. A percentage of `maxUnavailable` rounds down, to at least one; one of
 * `minAvailable` rounds up, in favour of what is to stay.
 */
export function allowedOf({ maxUnavailable, minAvailable }: BudgetSpec, total: number): number {
  if (maxUnavailable !== undefined) return amountOf(maxUnavailable, total, total > 0)
  const percent = /^(\d+)%$/.exec(String(minAvailable))
  if (!percent) return Math.max(0, total - Number(minAvailable))
  return Math.max(0, total - Math.ceil((Number(percent[1]) * total) / 100))
}

const AMOUNT = /^([0-9]+|[0-9]{1,2}%|100%)$/

/** What the API server refuses may be there all the same: it was written under another definition. */
export function specProblem(spec: BudgetSpec): string | undefined {
  const { maxUnavailable, minAvailable } = spec
  if ((maxUnavailable === undefined) === (minAvailable === undefined))
    return 'spec: give exactly one of maxUnavailable and minAvailable'
  for (const [name, amount] of Object.entries({ maxUnavailable, minAvailable }))
    if (amount !== undefined && !AMOUNT.test(String(amount)))
      return `spec.${name}: ${String(amount)} is neither a number nor a percentage such as 10%`
  return selectorProblem(spec.clusterSelector)
}

const OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist'])

function selectorProblem(selector: LabelSelector | undefined): string | undefined {
  if (selector === undefined) return 'spec.clusterSelector: is missing; {} selects all clusters'
  const bad = (selector.matchExpressions ?? []).find((e) => !OPERATORS.has(e.operator))
  return bad && `spec.clusterSelector: ${bad.key}: unknown operator ${String(bad.operator)}`
}

const MOST_NAMES = 5

/** `3/3 (edge-1, edge-4, edge-9)`. */
export function useText({ disrupted, max }: Pick<DisruptionBudgetView, 'disrupted' | 'max'>): string {
  const use = `${disrupted.size}/${max}`
  if (disrupted.size === 0) return use
  const names = [...disrupted].sort()
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : ''
  return `${use} (${names.slice(0, MOST_NAMES).join(', ')}${more})`
}

export const hasRoom = ({ disrupted, max, problem }: DisruptionBudgetView): boolean =>
  problem === undefined && disrupted.size < max
