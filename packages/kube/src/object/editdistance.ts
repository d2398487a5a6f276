/** Words that are nearly the same: for messages that say what was probably meant. */

/** Insertions, deletions, changes and swaps of neighbours that turn one word into the other. */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, rows[i - 2]![j - 2]! + 1)
      row.push(least)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

/** The word that was probably meant: at most two edits away, and less than half of it. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = 3
  for (const k of known) {
    const d = editDistance(word.toLowerCase(), k.toLowerCase())
    if (d < least && d * 2 <= Math.max(word.length, k.length)) {
      best = k
      least = d
    }
  }
  return best
}
