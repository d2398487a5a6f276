/** A stream of YAML documents as text: taken apart so that the parts put together are the stream again, byte for byte. */

export interface YamlPart {
  /** One document with the `---` before it, and the `...` behind it. */
  readonly text: string
  /** Where it begins in the stream, in UTF-16 units. */
  readonly offset: number
  /** The line it begins on, from 1. */
  readonly line: number
}

/**
 * A marker at the start of a line is one wherever it stands: no scalar, not even a literal one, may hold such a line
 * (YAML 1.2.2, c-forbidden).
 */
const MARKER = /(?:^|(?<=[\r\n]))\uFEFF?(---|\.\.\.)(?=[ \t\r\n]|$)/g
/** Directives stand before the `---` of the document that they are for. */
const ONLY_DIRECTIVES = /^\uFEFF?(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|[\r\n])|%[^\r\n]*(?:\r\n|[\r\n]))*$/

/** The documents of a stream, in order; also those that are empty or broken. */
export function splitYaml(text: string): YamlPart[] {
  const starts = [0]
  for (const found of text.matchAll(MARKER)) {
    const last = starts.at(-1)!
    if (found[1] === '...') {
      const end = /\r\n|[\r\n]/g
      end.lastIndex = found.index
      const next = end.exec(text)
      if (next) starts.push(next.index + next[0].length)
    } else if (found.index > last && !isHead(text.slice(last, found.index))) starts.push(found.index)
  }
  let line = 1
  return starts.flatMap((offset, i) => {
    const part = { text: text.slice(offset, starts[i + 1]), offset, line }
    line += lineBreaks(part.text)
    return part.text === '' ? [] : [part]
  })
}

const isHead = (text: string): boolean =>
  text === '\uFEFF' || (text.includes('%') && ONLY_DIRECTIVES.test(text))

function lineBreaks(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
