/** Two texts, line by line, as `diff -u` shows them. */

type LineEdit = readonly [' ' | '-' | '+', string]

/** More differences than that are shown as one: everything out, everything in. */
const MOST_EDITS = 2000

/** Lines of hunks, with `@@ … @@` before each; none if the texts are equal. `context`: equal lines around a change. */
export function unifiedDiff(before: readonly string[], after: readonly string[], context = 3): string[] {
  const edits = editsOf(before, after)
  const changed = edits.flatMap(([op], i) => (op === ' ' ? [] : [i]))
  const out: string[] = []
  for (let i = 0; i < changed.length; ) {
    const from = Math.max(0, changed[i]! - context)
    let last = changed[i]!
    while (i < changed.length && changed[i]! - last <= 2 * context) last = changed[i++]!
    out.push(...hunk(edits, from, Math.min(edits.length, last + context + 1)))
  }
  return out
}

function hunk(edits: readonly LineEdit[], from: number, to: number): string[] {
  const lines = edits.slice(from, to)
  const count = (list: readonly LineEdit[], not: '+' | '-'): number =>
    list.filter(([op]) => op !== not).length
  const place = (not: '+' | '-'): string => {
    const [start, size] = [count(edits.slice(0, from), not), count(lines, not)]
    // An empty side stands after the line before it.
    return `${size === 0 ? start : start + 1},${size}`
  }
  return [`@@ -${place('+')} +${place('-')} @@`, ...lines.map(([op, text]) => `${op}${text}`)]
}

/** Shortest way from one to the other (Myers, "An O(ND) difference algorithm"), what both begin and end with apart. */
function editsOf(before: readonly string[], after: readonly string[]): LineEdit[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  const most = Math.min(before.length, after.length) - head
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  const [a, b] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  const same = (text: string): LineEdit => [' ', text]
  return [
    ...before.slice(0, head).map(same),
    ...middleOf(a, b),
    ...before.slice(before.length - tail).map(same),
  ]
}

function middleOf(a: readonly string[], b: readonly string[]): LineEdit[] {
  const rounds: Map<number, number>[] = []
  let reach = new Map([[1, 0]])
  for (let d = 0; d <= Math.min(a.length + b.length, MOST_EDITS); d++) {
    rounds.push(reach)
    const next = new Map<number, number>()
    for (let k = -d; k <= d; k += 2) {
      let x = isDown(reach, k, d) ? reach.get(k + 1)! : reach.get(k - 1)! + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      next.set(k, x)
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, rounds)
    }
    reach = next
  }
  return [...a.map((text): LineEdit => ['-', text]), ...b.map((text): LineEdit => ['+', text])]
}

const isDown = (reach: ReadonlyMap<number, number>, k: number, d: number): boolean =>
  k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1))

function walkBack(
  a: readonly string[],
  b: readonly string[],
  rounds: readonly ReadonlyMap<number, number>[],
): LineEdit[] {
  const out: LineEdit[] = []
  let [x, y] = [a.length, b.length]
  for (let d = rounds.length - 1; d >= 0; d--) {
    const reach = rounds[d]!
    const k = x - y
    const from = isDown(reach, k, d) ? k + 1 : k - 1
    const [px, py] = [reach.get(from)!, reach.get(from)! - from]
    while (x > px && y > py && x > 0 && y > 0) {
      out.push([' ', a[--x]!])
      y--
    }
    if (d === 0) break
    if (x === px) out.push(['+', b[--y]!])
    else out.push(['-', a[--x]!])
  }
  return out.reverse()
}
