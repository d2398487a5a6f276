/** The lines around a place, with a caret under what is meant. */
export interface ExcerptPosition {
  readonly line: number
  readonly column: number
}

const MAX_LINE = 70
/** Columns that are shown before a place far to the right. */
const BEFORE = 30

/** The line before, the line itself and a caret with `note`. */
export function excerpt(text: string, place: ExcerptPosition, note = ''): string {
  const lines = text.split('\n')
  const index = Math.min(Math.max(1, place.line), lines.length) - 1
  const gutter = String(index + 1).length + 1
  const shown = [index - 1, index].filter((i) => i >= 0)
  const from = place.column + BEFORE <= MAX_LINE ? 0 : place.column - BEFORE
  const numbered = shown.map((i) => `${String(i + 1).padStart(gutter + 2)} | ${part(lines[i] ?? '', from)}`)
  const start = place.column - 1 - from
  const token = tokenLength((lines[index] ?? '').slice(place.column - 1))
  const length = Math.max(1, Math.min(token, MAX_LINE - start))
  const caret = `${' '.repeat(gutter + 2)} | ${' '.repeat(start)}${'^'.repeat(length)}${note ? ` ${note}` : ''}`
  return [...numbered, caret].join('\n')
}

/** What is left out at either end is a `…`. */
function part(line: string, from: number): string {
  const rest = from > 0 && line.length > from ? `…${line.slice(from + 1)}` : line.slice(from)
  return rest.length > MAX_LINE ? `${rest.slice(0, MAX_LINE - 1)}…` : rest
}

/** A quoted text, a key before its colon, or what goes on to a comment or the end of the line. */
function tokenLength(rest: string): number {
  const quoted = /^"(?:[^"\\]|\\.)*"|^'(?:[^']|'')*'/.exec(rest)
  if (quoted) return quoted[0].length
  const key = /^[\w./-]+(?=\s*:(\s|$))/.exec(rest)
  if (key) return key[0].length
  const inFlow = /^[^\s,{}[\]#][^,{}[\]#]*(?=[,}\]])/.exec(rest)
  if (inFlow) return inFlow[0].trimEnd().length
  return rest.replace(/\s+#.*$/, '').trimEnd().length
}
