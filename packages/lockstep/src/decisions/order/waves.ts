/** Steps, phases, waves and weights: which of them are in use, as barriers and chains. */
import { parseApiVersion } from '@lockstep/kube/object'
import { STEP_ANNOTATION } from './dialect/owndialect.ts'
import type { GraphBuilder } from './graphbuilder.ts'
import type { OrderNode, OrderPosition } from './ordergraph.ts'
import { isMainPhase, SYNC_PHASES } from './orderposition.ts'

export const WAVE = 'argocd.argoproj.io/sync-wave'

/** A node that has a place; a wait is of no kind. */
interface PlacedNode {
  readonly n: number
  readonly node: OrderNode
  readonly place: OrderPosition
  readonly kindRank: number | undefined
}

/** What a bundle asks for, beside phases. */
export interface OrderFeatures {
  /** More than one step has something in it. */
  readonly isStepped: boolean
  readonly isWaved: boolean
}

/**
 * One barrier for each step, phase and wave in use: what is in it is healthy, or complete, before the next begins. With
 * waves also one for each kind inside, which asks only that the former kind is applied, as Argo CD does. Without waves
 * and with one step and phase there is nothing to lay. An Application that nobody has put into a wave keeps no wave open, only
 * the end of its phase (ADR 0085).
 */
export function addWaveEdges(builder: GraphBuilder, ways: OrderFeatures): void {
  const { isWaved } = ways
  const groups = groupsOf(membersOf(builder), ({ place }) => numberOf(place, isWaved))
  if (groups.length < 2 && !isWaved) return
  let previous: { readonly barrier: number; readonly place: OrderPosition } | undefined
  let loose: readonly PlacedNode[] = []
  for (const [i, group] of groups.entries()) {
    const { place } = group[0]!
    const name = nameOf(place, ways)
    const end = builder.barrier(name, { phase: place.phase, wave: isWaved ? place.wave : 0 })
    const why = previous ? beforeText(previous.place, place) : ''
    if (previous) required(builder, previous.barrier, end, 'Applied', why)
    const heads = isWaved ? layKinds(builder, group, name) : group
    if (previous) for (const { n } of heads) required(builder, previous.barrier, n, 'Applied', why)
    const isLast = !isSamePart(place, groups[i + 1]?.[0]?.place)
    const free = isLast ? [] : group.filter(isUnplaced)
    for (const { n } of free) required(builder, n, end, 'Applied', name)
    for (const m of group) if (!free.includes(m)) required(builder, m.n, end, builder.endOf(m.n), name)
    if (isLast) for (const { n } of loose) required(builder, n, end, builder.endOf(n), name)
    loose = isLast ? [] : [...loose, ...free]
    previous = { barrier: end, place }
  }
}

/** Only their waves differ. */
const isSamePart = (a: OrderPosition, b: OrderPosition | undefined): boolean =>
  b !== undefined && a.step === b.step && a.phase === b.phase

/**
 * An Application of Argo CD without a wave: it is before all operators of later waves and may need one of them. Argo CD itself
 * has no health of it, and goes on at once.
 */
function isUnplaced({ node }: PlacedNode): boolean {
  if (node.type !== 'object' || node.object.kind !== 'Application') return false
  const { apiVersion, metadata } = node.object
  return parseApiVersion(apiVersion).group === 'argoproj.io' && metadata.annotations?.[WAVE] === undefined
}

/** Places as one number: a wave has at most nine digits. */
const numberOf = ({ step, phase, wave }: OrderPosition, isWaved: boolean): number =>
  step * 1e11 + SYNC_PHASES.indexOf(phase) * 1e10 + (isWaved ? wave : 0)

/** `sync-wave 5 before 10`, as an edge between two places is called: by the first thing in which they differ. */
export function beforeText(
  a: Omit<OrderPosition, 'phase'> & { readonly phase: string },
  b: Omit<OrderPosition, 'phase'> & { readonly phase: string },
): string {
  if (a.step !== b.step) return `${STEP_ANNOTATION} ${a.step} before ${b.step}`
  return a.phase === b.phase ? `${WAVE} ${a.wave} before ${b.wave}` : `${a.phase} before ${b.phase}`
}

/** Whether a reason is the text of two places. */
export const isBeforeText = (why: string): boolean =>
  [WAVE, STEP_ANNOTATION, ...SYNC_PHASES].some(
    (begin) => why.startsWith(`${begin} `) && why.includes(' before '),
  )

const nameOf = ({ step, phase, wave }: OrderPosition, { isStepped, isWaved }: OrderFeatures): string =>
  [
    ...(isStepped ? [`step ${step}`] : []),
    ...(phase === 'Sync' ? [] : [phase]),
    ...(isWaved ? [`wave ${wave}`] : []),
  ].join(' ') || phase

/** Gives those of the first kind, for which all others wait, and those of no kind. */
function layKinds(builder: GraphBuilder, group: readonly PlacedNode[], name: string): readonly PlacedNode[] {
  const kinds = groupsOf(
    group.filter((m) => m.kindRank !== undefined),
    ({ kindRank }) => kindRank!,
  )
  const why = `kind order in ${name}`
  for (const [i, members] of kinds.entries()) {
    const next = kinds[i + 1]
    if (!next) continue
    const end = builder.barrier(`${name} kinds ${members[0]!.kindRank}`)
    for (const { n } of members) required(builder, n, end, 'Applied', why)
    for (const { n } of next) required(builder, end, n, 'Applied', why)
  }
  return [...(kinds[0] ?? []), ...group.filter((m) => m.kindRank === undefined)]
}

/** Without waves hooks of Helm of one step and phase run one after another: by weight, then name. */
export function addWeightEdges(builder: GraphBuilder, weights: ReadonlyMap<number, number>): void {
  const hooks = membersOf(builder).filter(({ n }) => weights.has(n))
  for (const group of groupsOf(hooks, ({ place }) => numberOf(place, false))) {
    const chain = group.sort((a, b) => byWeight(a, b, weights))
    for (const [i, { n }] of chain.entries()) {
      const next = chain[i + 1]
      if (!next) continue
      const why = `helm.sh/hook-weight ${weights.get(n)} before ${weights.get(next.n)}`
      required(builder, n, next.n, 'Complete', why)
    }
  }
}

/** Nodes are in the order of kinds, which decides among equal names (helm `pkg/action/hooks.go`). */
function byWeight(a: PlacedNode, b: PlacedNode, weights: ReadonlyMap<number, number>): number {
  const nameOfMember = ({ node }: PlacedNode): string =>
    'object' in node ? (node.object.metadata.name ?? '') : ''
  const [x, y] = [nameOfMember(a), nameOfMember(b)]
  return weights.get(a.n)! - weights.get(b.n)! || (x < y ? -1 : x > y ? 1 : a.n - b.n)
}

const required = (
  builder: GraphBuilder,
  from: number,
  to: number,
  ask: ReturnType<GraphBuilder['endOf']>,
  why: string,
): boolean => builder.edge(from, to, { ask, strength: 'Required', why })

function membersOf(builder: GraphBuilder): PlacedNode[] {
  return builder.nodes.flatMap((node, n): PlacedNode[] => {
    if (node.type === 'wait') return node.place ? [{ n, node, place: node.place, kindRank: undefined }] : []
    const isOrdered = (node.type === 'object' && node.options.mode !== 'Ignore') || node.type === 'hook'
    if (!isOrdered) return []
    const { step, phase, wave, kindRank } = node
    return isMainPhase(phase) ? [{ n, node, place: { step, phase, wave }, kindRank }] : []
  })
}

/** Groups in ascending order of their number. */
export function groupsOf<T>(items: readonly T[], of: (item: T) => number): T[][] {
  const groups = new Map<number, T[]>()
  for (const item of items) {
    const number = of(item)
    const there = groups.get(number)
    if (there) there.push(item)
    else groups.set(number, [item])
  }
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group)
}
