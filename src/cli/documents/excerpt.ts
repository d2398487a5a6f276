/** The lines around a place, with a caret under what is meant. */
export interface At {
  readonly line: number
  readonly column: number
}

const MAX_LINE = 88

/** The line before, the line itself and a caret with `note`. */
export function excerpt(text: string, place: At, note = ''): string {
  const lines = text.split('\n')
  const index = Math.min(Math.max(1, place.line), lines.length) - 1
  const gutter = String(index + 1).length + 1
  const shown = [index - 1, index].filter((i) => i >= 0)
  const numbered = shown.map((i) => `${String(i + 1).padStart(gutter + 2)} | ${short(lines[i] ?? '')}`)
  const start = Math.min(place.column, MAX_LINE) - 1
  const length = Math.max(1, Math.min(tokenLength((lines[index] ?? '').slice(start)), MAX_LINE - start))
  const caret = `${' '.repeat(gutter + 2)} | ${' '.repeat(start)}${'^'.repeat(length)}${note ? ` ${note}` : ''}`
  return [...numbered, caret].join('\n')
}

const short = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1)}…` : line)

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
