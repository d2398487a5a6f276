import type { FieldError } from './schematypes.ts'

/**
 * What the checks of one value found. `matches` counts the checks made: of several alternatives that all fail, the one
 * that got furthest is reported (kube-openapi `validate/result.go`).
 */
export class ValidationOutcome {
  readonly errors: FieldError[] = []
  matches = 0
  private seen: Set<string> | undefined

  /** A finding with the same text is reported once. */
  add(error: FieldError, text: string = error.message): void {
    this.seen ??= new Set()
    const key = `${error.field}\n${text}`
    if (this.seen.has(key)) return
    this.seen.add(key)
    this.errors.push(error)
  }

  merge(other: ValidationOutcome): void {
    this.matches += other.matches
    for (const e of other.errors) this.add(e)
  }

  get isValid(): boolean {
    return this.errors.length === 0
  }
}
