/** Readability of pages and help: length of sentences and of table cells. */

const MOST_WORDS = 25
const MEDIAN_WORDS = 16
const CELL_WORDS = 20
const LONG_SHARE = 0.05

/** Names that counts of readability have in the baseline. */
export const READABILITY = ['long-sentence', 'median-sentence', 'long-cell']

const wordCount = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}\uFFFC]/u.test(word)).length

/** Sentences of a piece as `{ at, text, words }`. */
function sentencesOf({ at, text }) {
  const sentences = []
  let from = 0
  const add = (to) => {
    const words = wordCount(text.slice(from, to))
    const lead = /^\s*/.exec(text.slice(from, to))[0].length
    if (words > 0) sentences.push({ at: at + from + lead, text: text.slice(from, to).trim(), words })
    from = to
  }
  for (const { 0: gap, index } of text.matchAll(/(?<=[.!?]["')\]*]*)\s+(?=["'([*]*[\p{Lu}\p{N}\uFFFC])/gu))
    add(index + gap.length)
  add(text.length)
  return sentences
}

const start = (text) => {
  const words = text.replace(/\uFFFC+/g, '…').split(/\s+/)
  return words.length > 6 ? `${words.slice(0, 6).join(' ')} …` : words.join(' ')
}

/**
 * Hits of a page or of the help of a file, each with a `weight`: long sentences beyond their share, long cells, and a
 * long median, which weighs as many words as it exceeds its limit by.
 */
export function readabilityHits(path, pieces, lineAt) {
  const sentences = pieces.filter((p) => p.kind === 'prose').flatMap(sentencesOf)
  const cells = pieces
    .filter((p) => p.kind === 'cell')
    .map((p) => ({ at: p.at, text: p.text.trim(), words: wordCount(p.text) }))
  const hit = (rule, { at, text, words }, use) => ({
    path,
    line: lineAt(at),
    hit: start(text),
    rule,
    surface: 'readability',
    weight: 1,
    use: `${use} (${words} words)`,
  })
  const tooLong = sentences.filter((s) => s.words > MOST_WORDS).sort((a, b) => b.words - a.words)
  const excess = Math.max(0, tooLong.length - Math.floor(sentences.length * LONG_SHARE))
  const lengths = sentences.map((s) => s.words).sort((a, b) => a - b)
  const median = lengths[Math.floor((lengths.length - 1) / 2)] ?? 0
  const hits = [
    ...tooLong.slice(0, excess).map((s) => hit('long-sentence', s, `use at most ${MOST_WORDS} words`)),
    ...cells
      .filter((c) => c.words > CELL_WORDS)
      .map((c) => hit('long-cell', c, `use at most ${CELL_WORDS} words in a cell`)),
  ]
  if (median > MEDIAN_WORDS) {
    const whole = hit(
      'median-sentence',
      { at: 0, text: 'median', words: median },
      `use at most ${MEDIAN_WORDS}`,
    )
    hits.push({ ...whole, weight: median - MEDIAN_WORDS })
  }
  return hits
}
