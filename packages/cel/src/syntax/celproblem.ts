/** What is wrong with an expression, and where: lines and columns count from 1, columns in code points. */
export interface CelProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** A problem at an offset of the text, as the phases of compiling find it. */
export interface FoundAt {
  readonly at: number
  readonly message: string
}

/** In the order of the text, each one once. */
export function problemsIn(text: string, found: readonly FoundAt[]): CelProblem[] {
  const sorted = found.toSorted((a, b) => a.at - b.at)
  return sorted.map(({ at, message }) => {
    const before = text.slice(0, at)
    const lineStart = before.lastIndexOf('\n') + 1
    return { line: before.split('\n').length, column: [...before.slice(lineStart)].length + 1, message }
  })
}

const LONGEST_SNIPPET = 16_384

/** All problems as kube-apiserver prints them: each with its line of the text, and a mark below the place. */
export function renderProblems(text: string, problems: readonly CelProblem[]): string {
  const lines = text.split('\n')
  return problems.map((p) => renderProblem(p, lines[p.line - 1] ?? '')).join('\n')
}

function renderProblem(p: CelProblem, line: string): string {
  const head = `ERROR: <input>:${p.line}:${p.column}: ${p.message}`
  const shown = [...line.replaceAll('\t', ' ')]
  if (shown.length > LONGEST_SNIPPET) return head
  const dots = shown.slice(0, p.column - 1).map((c) => (c.charCodeAt(0) > 127 ? '．' : '.'))
  const mark = (shown[p.column - 1] ?? ' ').charCodeAt(0) > 127 ? '＾' : '^'
  return `${head}\n | ${shown.join('')}\n | ${dots.join('')}${mark}`
}

/** What the API server says of an expression that it cannot use. */
export function detailOf(text: string, problems: readonly CelProblem[]): string {
  const [first] = problems
  if (first?.line === 0) return `program instantiation failed: ${first.message}`
  return `compilation failed: ${renderProblems(text, problems)}`
}
