/** Sums of hits by rule, for people and for `npm run measure`. */

const COLUMNS = ['strings', 'comments', 'markdown', 'adr', 'tests', 'readability']

/** Tests and benchmarks are one column, and so are ADRs: their bodies are history. */
function columnOf({ path, surface }) {
  if (/^(?:test|bench)\/|\.(?:test|cases)\.ts$/.test(path) && surface !== 'markdown') return 'tests'
  return surface === 'markdown' && /(?:^|\/)docs\/adr\//.test(path) ? 'adr' : surface
}

/** Hits as `{ totals: { [column]: n }, rules: { [rule]: { [column]: n } } }`. */
export function summaryOf(hits) {
  const totals = Object.fromEntries(COLUMNS.map((column) => [column, 0]))
  const rules = {}
  for (const hit of hits) {
    const column = columnOf(hit)
    rules[hit.rule] ??= {}
    rules[hit.rule][column] = (rules[hit.rule][column] ?? 0) + 1
    totals[column]++
  }
  return { totals, rules }
}

export function summaryText({ totals, rules }) {
  const sum = (counts) => Object.values(counts).reduce((a, b) => a + b, 0)
  const rows = Object.entries(rules).sort(([, a], [, b]) => sum(b) - sum(a))
  const line = (name, counts) =>
    name.padEnd(20) + COLUMNS.map((column) => String(counts[column] ?? 0).padStart(12)).join('')
  const head = ''.padEnd(20) + COLUMNS.map((column) => column.padStart(12)).join('')
  return [head, ...rows.map(([name, counts]) => line(name, counts)), line('all', totals)].join('\n')
}
