import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type ArbitraryPlatform,
  CLUSTER,
  OBJECTS,
  platforms,
} from '../../../../../test/arbitrary/arbitraryplatform.ts'
import { decidesAlike, sameAnswer, shuffled } from '../../../../../test/arbitrary/decision.ts'
import { type DependencyEdge, isModuleEdge, type ModuleEdge } from '../graph/moduleref.ts'
import { type GateResult, gate, targetGateDigest } from './gate.ts'
import type { UnitObservation } from './observation.ts'

/** Of its waves enough is done, or all of it is healthy. */
const isDoneFor = ({ beforeWave }: ModuleEdge, unit: UnitObservation | undefined): boolean =>
  unit?.healthy === true ||
  (beforeWave !== undefined && unit?.doneBeforeWave !== undefined && beforeWave <= unit.doneBeforeWave)

/** Whatever is below a unit, at any depth, is verified at what is published now; or done with the waves that are needed of it. */
function isSettled(
  edges: readonly DependencyEdge[],
  cluster: string,
  seen: ArbitraryPlatform['seen'],
  way: readonly string[],
): boolean {
  for (const e of edges) {
    if (!isModuleEdge(e) || e.release === 'Any') continue
    const there = e.cluster ?? seen.home(e.to) ?? cluster
    const own = seen.module(e.to)?.published
    const isPassed = e.optional && seen.module(e.to)?.isDeleting === true
    if (!own || isPassed || !seen.selects(e.to, there) || way.includes(`${e.to.name}@${there}`)) continue
    const wanted = targetGateDigest({ module: e.to, cluster: there, published: own }, seen)
    const unit = seen.unit(e.to, there)
    const isFarEnough =
      e.beforeWave !== undefined && unit?.admittedGateDigest === wanted && isDoneFor(e, unit)
    if (unit?.verifiedGateDigest !== wanted && !isFarEnough) return false
    if (!isSettled(own.edges, there, seen, [...way, `${e.to.name}@${there}`])) return false
  }
  return true
}

/** Said in other words than the gate's: what an edge asks, or that it may be passed over. */
function isSatisfied(edge: DependencyEdge, { wanting, seen }: ArbitraryPlatform): boolean {
  if (!isModuleEdge(edge)) {
    const { seen: found, isOne, isHealthy } = OBJECTS[edge.object.name]!
    if (found.type === 'Absent') return edge.optional
    return edge.readyExpr === undefined ? isHealthy : isOne
  }
  const { to, optional } = edge
  const there = edge.cluster ?? seen.home(to) ?? CLUSTER
  const module = seen.module(to)
  if (!module || module.isDeleting || !seen.selects(to, there)) return optional
  const unit = seen.unit(to, there)
  if (!module.published || !unit || !isDoneFor(edge, unit)) return false
  if (there !== CLUSTER && (seen.silence(there) || !unit.current)) return false
  const releases = [module.published.release, wanting.published.release].filter((r) => r !== undefined)
  return (
    unit.admittedRevision === module.published.revision &&
    (edge.release === 'Any' || new Set(releases).size < 2) &&
    (edge.beforeWave === undefined ? unit.verifiedGateDigest : unit.admittedGateDigest) ===
      targetGateDigest({ module: to, cluster: there, published: module.published }, seen) &&
    isSettled(module.published.edges, there, seen, [])
  )
}

const names = (result: GateResult): readonly string[] =>
  result.outcome === 'Open'
    ? result.evidence.map((e) => e.edge)
    : result.blockers.map((b) => String(b.facts?.edge))

it('gate decides, whatever it is shown', () => {
  decidesAlike(
    fc.tuple(platforms, fc.nat()),
    ([{ wanting, seen }]) => ({ result: gate(wanting, seen), digest: targetGateDigest(wanting, seen) }),
    {
      'it is open exactly if each edge is satisfied, and names each one that is not': ([p], { result }) => {
        const unmet = p.wanting.published.edges.filter((e) => !isSatisfied(e, p)).map((e) => e.id)
        if (result.outcome === 'Closed') expect(names(result)).toEqual(unmet)
        else expect(unmet).toEqual([])
      },
      'who asks of a module for waves alone waits for no more than who asks for all of it, with the same digest':
        ([{ wanting, seen }], { result, digest }) => {
          const { published } = wanting
          const edges = published.edges.map((e) => (isModuleEdge(e) ? { beforeWave: 0, ...e } : e))
          const less = { ...wanting, published: { ...published, edges } }
          sameAnswer(digest, targetGateDigest(less, seen))
          if (result.outcome === 'Open') sameAnswer(result, gate(less, seen))
        },
      'with its edges in another order it is the same gate with the same digest': (
        [{ wanting, seen }, n],
        { result, digest },
      ) => {
        const edges = shuffled(wanting.published.edges, n)
        const other = { ...wanting, published: { ...wanting.published, edges } }
        sameAnswer(digest, targetGateDigest(other, seen))
        const again = gate(other, seen)
        sameAnswer([result.outcome, [...names(result)].sort()], [again.outcome, [...names(again)].sort()])
      },
    },
  )
})
