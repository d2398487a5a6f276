import { MAX_REFS, type WaitRefOf } from '../../api/reasons/index.ts'
import { cycleThrough } from './cycle.ts'
import { dependencyName, type ModuleEdge, moduleId, refOfId } from './moduleref.ts'
import { moduleWaitRef } from './waitref.ts'

/** A cycle of Modules that need each other. */
export interface ModuleCycle {
  /** Names of the Modules as their edges have them; it ends where it begins. */
  readonly names: readonly string[]
  /** Its Modules, the first ones. */
  readonly members: readonly WaitRefOf<'Module'>[]
  /** Module and the Module that it needs, by `moduleId`. */
  readonly steps: readonly (readonly [from: string, to: string])[]
}

/** A shortest cycle through a Module; undefined: there is none. `edges`: what a Module needs, by `moduleId`. */
export function moduleCycle(
  start: string,
  edges: (id: string) => readonly ModuleEdge[],
): ModuleCycle | undefined {
  const ids = cycleThrough(start, (id) => edges(id).map((e) => moduleId(e.to)))
  if (!ids) return undefined
  const steps = ids.slice(1).map((to, i) => [ids[i]!, to] as const)
  const names = steps.map(([from, to]) => {
    const edge = edges(from).find((e) => moduleId(e.to) === to)!
    return `${dependencyName(edge)}${edge.cluster === undefined ? '' : `@${edge.cluster}`}`
  })
  const members = [...new Set(ids)].map((id) => moduleWaitRef({ to: refOfId(id) }))
  return { names: [names.at(-1)!, ...names], members: members.slice(0, MAX_REFS), steps }
}
