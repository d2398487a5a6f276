/** Counts a file may still have, by rule. They only fall. A baseline is `{ rules, files }`. */

/** Counts of hits as `{ [path]: { [rule]: count } }`, sorted. */
export function countsOf(hits) {
  const files = {}
  for (const { path, rule, weight = 1 } of hits) {
    files[path] ??= {}
    files[path][rule] = (files[path][rule] ?? 0) + weight
  }
  return sorted(files)
}

const byKey = ([a], [b]) => (a < b ? -1 : 1)
const sorted = (files) =>
  Object.fromEntries(
    Object.entries(files)
      .map(([path, counts]) => [path, Object.fromEntries(Object.entries(counts).sort(byKey))])
      .sort(byKey),
  )

/** Each `{ path, rule, count, allowed }` in which counts and baseline differ. */
export function differences(counts, { files }) {
  const paths = new Set([...Object.keys(counts), ...Object.keys(files)])
  return [...paths].sort().flatMap((path) => {
    const rules = new Set([...Object.keys(counts[path] ?? {}), ...Object.keys(files[path] ?? {})])
    return [...rules].sort().flatMap((rule) => {
      const count = counts[path]?.[rule] ?? 0
      const allowed = files[path]?.[rule] ?? 0
      return count === allowed ? [] : [{ path, rule, count, allowed }]
    })
  })
}

/**
 * The baseline of today's counts, or the differences that would raise it. A rule that the baseline has not listed so far
 * is recorded as it is; from then on its counts only fall.
 */
export function lowered(counts, baseline, ruleNames) {
  const raised = differences(counts, baseline).filter(
    ({ rule, count, allowed }) => count > allowed && baseline.rules.includes(rule),
  )
  if (raised.length > 0) return { raised }
  return { raised, baseline: { rules: [...ruleNames].sort(), files: counts } }
}

/** The baseline after files moved; entries that meet at one path are added. */
export function moved({ rules, files }, moves) {
  const result = {}
  for (const [path, counts] of Object.entries(files)) {
    const target = Object.hasOwn(moves, path) ? moves[path] : path
    result[target] ??= {}
    for (const [rule, count] of Object.entries(counts))
      result[target][rule] = (result[target][rule] ?? 0) + count
  }
  return { rules, files: sorted(result) }
}

const WIDTH = 110
const inline = (counts) =>
  `{ ${Object.entries(counts)
    .map(([rule, count]) => `"${rule}": ${count}`)
    .join(', ')} }`

/** JSON in the layout of the formatter: a line for each file, unless it is too long. */
export function baselineText({ rules, files }) {
  const lines = Object.entries(files).map(([path, counts], i, all) => {
    const comma = i < all.length - 1 ? ',' : ''
    const line = `    "${path}": ${inline(counts)}${comma}`
    if (line.length <= WIDTH) return line
    return `    "${path}": ${JSON.stringify(counts, null, 2).replaceAll('\n', '\n    ')}${comma}`
  })
  const names = rules.map((name) => `    "${name}"`).join(',\n')
  const body = lines.length > 0 ? `{\n${lines.join('\n')}\n  }` : '{}'
  return `{\n  "rules": [\n${names}\n  ],\n  "files": ${body}\n}\n`
}
