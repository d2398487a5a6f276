/** Characters that one number can stand for: six times 8 bits. */
const SHOWN = 6
const WIDEST = 0xff

/**
 * By text (code units, as `<` compares), then by `tie`. As `sort` with a comparison of texts would, several times faster for
 * thousands of hashes: what follows their common beginning is compared as a number.
 */
export function sortedByText<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  tie: (a: T, b: T) => number,
): T[] {
  const texts = items.map(textOf)
  const skip = commonLength(texts)
  const ranks = new Float64Array(texts.length)
  for (let i = 0; i < texts.length; i++) ranks[i] = rankOf(texts[i]!, skip)
  const order = Uint32Array.from(ranks.keys())
  order.sort((a, b) => {
    const [x, y] = [ranks[a]!, ranks[b]!]
    if (x !== y) return x - y
    const [s, t] = [texts[a]!, texts[b]!]
    if (s !== t) return s < t ? -1 : 1
    return tie(items[a]!, items[b]!)
  })
  return Array.from(order, (i) => items[i]!)
}

/** Never greater for what comes first. A character that is too wide ends what the number says. */
function rankOf(text: string, skip: number): number {
  let rank = 0
  let isOver = false
  for (let i = skip; i < skip + SHOWN; i++) {
    const code = isOver || i >= text.length ? 0 : text.charCodeAt(i)
    rank = rank * (WIDEST + 1) + Math.min(code, WIDEST)
    if (code >= WIDEST) isOver = true
  }
  return rank
}

function commonLength([first = '', ...others]: readonly string[]): number {
  let length = first.length
  for (const text of others) {
    let i = 0
    while (i < length && text.charCodeAt(i) === first.charCodeAt(i)) i++
    length = i
  }
  return length
}
