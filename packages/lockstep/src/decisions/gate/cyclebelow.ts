/** Dependencies that never start, since a Module below them is on a cycle and has no published revision. Pure. */
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { type ModuleCycle, moduleCycle } from '../graph/modulecycle.ts'
import { type ModuleEdge, type ModuleRef, moduleEdges, moduleId, refOfId } from '../graph/moduleref.ts'
import { clusterOf, type Observation } from './observation.ts'

/** Undefined: nothing that the unit of a dependency needs waits for such a Module. */
export function cycleBelow(edge: ModuleEdge, cluster: string, seen: Observation): NewBlocker | undefined {
  if (refusedBelow(edge.to, seen).size === 0) return undefined
  const done = new Set<string>()
  const open: [ModuleRef, string][] = [[edge.to, cluster]]
  for (let next = open.shift(); next; next = open.shift()) {
    const [ref, at] = next
    const id = `${moduleId(ref)}@${at}`
    // A Module that does not select the cluster is not waited for, or is a cause of its own.
    if (done.has(id) || !seen.selects(ref, at)) continue
    done.add(id)
    const cycle = refusedBelow(ref, seen).get(moduleId(ref))
    if (cycle)
      return blocked('CycleDetected', cycle.members, { of: 'Modules', cycle: cycle.names, edge: edge.id })
    for (const e of neededBy(ref, seen)) open.push([e.to, clusterOf(e, at, seen)])
  }
  return undefined
}

/** Dependencies of a published Module; an unpublished one waits for a cause of its own. */
const neededBy = (ref: ModuleRef, seen: Observation): ModuleEdge[] =>
  moduleEdges(seen.module(ref)?.published?.edges ?? [])

type Cycles = ReadonlyMap<string, ModuleCycle>

/** By observation and `moduleId`: asked for on every cluster. */
const known = new WeakMap<Observation, Map<string, Cycles>>()

/** Cycles of unpublished Modules that a Module needs, and its own, on any cluster: mostly none. */
function refusedBelow(ref: ModuleRef, seen: Observation): Cycles {
  const memo = known.get(seen) ?? new Map<string, Cycles>()
  known.set(seen, memo)
  const found = memo.get(moduleId(ref)) ?? findRefused(ref, seen)
  memo.set(moduleId(ref), found)
  return found
}

function findRefused(start: ModuleRef, seen: Observation): Cycles {
  const edges = (id: string): ModuleEdge[] => moduleEdges(seen.module(refOfId(id))?.edges ?? [])
  const found = new Map<string, ModuleCycle>()
  const done = new Set<string>()
  const open = [start]
  for (let ref = open.pop(); ref; ref = open.pop()) {
    const id = moduleId(ref)
    const module = seen.module(ref)
    if (done.has(id) || !module) continue
    done.add(id)
    const cycle = module.published ? undefined : moduleCycle(id, edges)
    if (cycle) found.set(id, cycle)
    open.push(...neededBy(ref, seen).map((e) => e.to))
  }
  return found
}
