/** What a module declares: which bindings are shared by all clusters, and what is wrong with them. */
import type { ModuleBinding } from '../../api/kinds/index.ts'
import { fieldPathOf } from './fieldpath.ts'
import { mentionsIn, takenIn } from './mention.ts'

/** Every cluster has these. */
export const BUILT_IN_NAMES: ReadonlySet<string> = new Set(['CLUSTER_NAME', 'CLUSTER_NAMESPACE'])

/** Other names whose values the source of a binding takes. */
export const bindingReferences = (b: ModuleBinding): string[] => takenIn(textOfSource(b))

/** Names that the source of a binding has as text: `$$(NAME)`. */
export function escapesOf(b: ModuleBinding): string[] {
  const text = textOfSource(b)
  const taken = new Set(takenIn(text))
  return mentionsIn(text).filter((name) => !taken.has(name))
}

/** Where a binding may mention others. */
function textOfSource(b: ModuleBinding): string {
  const name = (b.configMapKeyRef ?? b.secretKeyRef ?? b.objectFieldRef ?? b.workloadFieldRef)?.name
  return b.value ?? name ?? ''
}

/** Bindings whose value is the same on every cluster: nothing that they are made of is a cluster's. */
export function sharedOf(bindings: readonly ModuleBinding[]): ModuleBinding[] {
  const isOwn = (b: ModuleBinding): boolean => b.cluster !== undefined || b.workloadFieldRef !== undefined
  // Whether an escape is one is known where the name is.
  const own = madeOf(bindings, isOwn, BUILT_IN_NAMES, (b) => [...bindingReferences(b), ...escapesOf(b)])
  return bindings.filter((b) => !own(b.name))
}

/** Names whose values come of Secrets. */
export function needsSecret(bindings: readonly ModuleBinding[]): ReadonlySet<string> {
  const secret = madeOf(bindings, (b) => b.secretKeyRef !== undefined, new Set())
  return new Set(bindings.map((b) => b.name).filter(secret))
}

/** Whether a name is something, or is made of what is, over any number of mentions. */
function madeOf(
  bindings: readonly ModuleBinding[],
  is: (b: ModuleBinding) => boolean,
  given = BUILT_IN_NAMES,
  needs = bindingReferences,
): (name: string) => boolean {
  const byName = new Map(bindings.map((b) => [b.name, b]))
  const known = new Map<string, boolean>([...given].map((name) => [name, true]))
  const answer = (name: string): boolean => {
    const found = known.get(name)
    if (found !== undefined) return found
    // A circle is refused elsewhere.
    known.set(name, false)
    const b = byName.get(name)
    const holds = b !== undefined && (is(b) || needs(b).some(answer))
    known.set(name, holds)
    return holds
  }
  return answer
}

/** What no schema says; undefined: nothing is wrong. */
export function bindingProblem(bindings: readonly ModuleBinding[]): string | undefined {
  for (const [i, b] of bindings.entries()) {
    const where = `spec.bindings[${i}]`
    if (BUILT_IN_NAMES.has(b.name)) return `${where}.name: ${b.name} is given; choose another name`
    if (bindings.findIndex((x) => x.name === b.name) < i) return `${where}.name: ${b.name} is declared twice`
    for (const field of ['cluster', 'objectFieldRef', 'workloadFieldRef'] as const) {
      const text = b[field]?.fieldPath
      const path = text === undefined ? undefined : fieldPathOf(text)
      if (path && !path.ok) return `${where}.${field}.fieldPath: ${path.error}`
    }
  }
  const cycle = cycleOf(bindings)
  return cycle && `bindings: ${cycle.join(' → ')}; remove one of these mentions`
}

/** The first circle in the order of the list; it ends where it begins. */
function cycleOf(bindings: readonly ModuleBinding[]): string[] | undefined {
  const byName = new Map(bindings.map((b) => [b.name, b]))
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): string[] | undefined => {
    const begin = path.indexOf(name)
    if (begin >= 0) return [...path.slice(begin), name]
    const b = byName.get(name)
    if (!b || done.has(name)) return undefined
    for (const next of bindingReferences(b)) {
      const found = visit(next, [...path, name])
      if (found) return found
    }
    done.add(name)
    return undefined
  }
  for (const { name } of bindings) {
    const found = visit(name, [])
    if (found) return found
  }
  return undefined
}
