/** What a module declares: which bindings are shared by all clusters, and what is wrong with them. */
import type { Binding } from '../../api/kinds/module/modulebindings.ts'
import { fieldPathOf } from './fieldpath.ts'
import { mentionsIn, takenIn } from './mention.ts'

/** Every cluster has these. */
export const GIVEN: ReadonlySet<string> = new Set(['CLUSTER_NAME', 'CLUSTER_NAMESPACE'])

/** Other names whose values the source of a binding takes. */
export const needsOf = (b: Binding): string[] => takenIn(textOfSource(b))

/** Names that the source of a binding has as text: `$$(NAME)`. */
export function escapesOf(b: Binding): string[] {
  const text = textOfSource(b)
  const taken = new Set(takenIn(text))
  return mentionsIn(text).filter((name) => !taken.has(name))
}

/** Where a binding may mention others. */
function textOfSource(b: Binding): string {
  const name = (b.configMapKeyRef ?? b.secretKeyRef ?? b.objectFieldRef ?? b.workloadFieldRef)?.name
  return b.value ?? name ?? ''
}

/** Bindings whose value is the same on every cluster: nothing that they are made of is a cluster's. */
export function sharedOf(bindings: readonly Binding[]): Binding[] {
  const isOwn = (b: Binding): boolean => b.cluster !== undefined || b.workloadFieldRef !== undefined
  // Whether an escape is one is known where the name is.
  const own = madeOf(bindings, isOwn, GIVEN, (b) => [...needsOf(b), ...escapesOf(b)])
  return bindings.filter((b) => !own(b.name))
}

/** Names whose values come of Secrets. */
export function needsSecret(bindings: readonly Binding[]): ReadonlySet<string> {
  const secret = madeOf(bindings, (b) => b.secretKeyRef !== undefined, new Set())
  return new Set(bindings.map((b) => b.name).filter(secret))
}

/** Whether a name is something, or is made of what is, over any number of mentions. */
function madeOf(
  bindings: readonly Binding[],
  is: (b: Binding) => boolean,
  given = GIVEN,
  needs = needsOf,
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
export function bindingProblem(bindings: readonly Binding[]): string | undefined {
  for (const [i, b] of bindings.entries()) {
    const where = `spec.bindings[${i}]`
    if (GIVEN.has(b.name)) return `${where}.name: ${b.name} is given; choose another name`
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
function cycleOf(bindings: readonly Binding[]): string[] | undefined {
  const byName = new Map(bindings.map((b) => [b.name, b]))
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): string[] | undefined => {
    const begin = path.indexOf(name)
    if (begin >= 0) return [...path.slice(begin), name]
    const b = byName.get(name)
    if (!b || done.has(name)) return undefined
    for (const next of needsOf(b)) {
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
