import {
  compareText,
  type FieldPath,
  type FieldSet,
  printPath,
  FieldSet as Sets,
} from '@lockstep/kube/fields'

/** A field that somebody else owns. `manager` is the identifier. */
export interface Conflict {
  readonly manager: string
  readonly path: FieldPath
}

/** An apply without force that would take fields from others. */
export class ConflictError extends Error {
  readonly conflicts: readonly Conflict[]
  constructor(conflicts: readonly Conflict[]) {
    super(conflictText(conflicts, (m) => JSON.stringify(m)))
    this.conflicts = conflicts
  }
}

/** Conflicts by manager, sorted, each manager's fields in the order of its set. */
export function conflictsOf(sets: ReadonlyMap<string, FieldSet>): Conflict[] {
  return [...sets]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([manager, set]) => [...set.paths()].map((path) => ({ manager, path })))
}

/** Message as structured-merge-diff words it (`merge/conflict.go`). */
export function conflictText(conflicts: readonly Conflict[], print: (manager: string) => string): string {
  const [first] = conflicts
  if (conflicts.length === 1 && first)
    return `conflict with ${print(first.manager)}: ${printPath(first.path)}`
  const lines: string[] = []
  for (const [i, c] of conflicts.entries()) {
    if (conflicts[i - 1]?.manager !== c.manager) lines.push(`conflicts with ${print(c.manager)}:`)
    lines.push(`- ${printPath(c.path)}`)
  }
  return lines.join('\n')
}

export const pathsOf = (conflicts: readonly Conflict[]): FieldSet =>
  Sets.fromPaths(conflicts.map((c) => c.path))
