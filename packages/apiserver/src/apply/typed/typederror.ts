/** What is wrong with a value, and where. */
export interface TypedIssue {
  readonly path: string
  readonly message: string
}

/** A value that does not fit its type. The message reads as that of structured-merge-diff (`typed/helpers.go`). */
export class TypedError extends Error {
  readonly issues: readonly TypedIssue[]
  constructor(issues: readonly TypedIssue[]) {
    super(render(issues))
    this.issues = issues
  }
}

function render(issues: readonly TypedIssue[]): string {
  const texts = issues.map((i) => (i.path === '' ? i.message : `${i.path}: ${i.message}`))
  return texts.length === 1 ? (texts[0] as string) : ['errors:', ...texts.map((t) => `  ${t}`)].join('\n')
}
