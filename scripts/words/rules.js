/** Rules of the word list, applied to pieces of files. */

const SURFACES = ['strings', 'comments', 'markdown', 'descriptions']

/** Words stand alone, and a space is any white space. */
const wordExpression = (pattern, flags) =>
  new RegExp(`(?<!\\w)(?:${pattern.replaceAll(' ', '\\s+')})(?!\\w)`, flags)

const literally = (text) =>
  new RegExp(
    text
      .trim()
      .split(/\s+/)
      .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('\\s+'),
    'g',
  )

/** Rules by name as `words.json` has them: `{ pattern, use, surfaces, allow }`. */
export function compileRules(table) {
  const rules = Object.entries(table).map(([name, { pattern, use, surfaces, allow = [] }]) => {
    for (const surface of surfaces)
      if (!SURFACES.includes(surface)) throw new Error(`rule ${name}: unknown surface "${surface}"`)
    return {
      name,
      use,
      surfaces,
      pattern,
      expression: wordExpression(pattern, 'gi'),
      allow: allow.map((entry) => ({ ...entry, isUsed: false, expression: literally(entry.text) })),
    }
  })
  const combined = new Map(
    SURFACES.map((surface) => {
      const patterns = rules.filter((r) => r.surfaces.includes(surface)).map((r) => r.pattern)
      return [surface, patterns.length > 0 ? wordExpression(patterns.join('|'), 'i') : undefined]
    }),
  )
  return { rules, combined }
}

const covers = (entry, piece, from, to) =>
  [...piece.text.matchAll(entry.expression)].some((m) => m.index <= from && m.index + m[0].length >= to)

/** Marks each entry that matches as used. */
function isAllowed(rule, path, piece, from, to) {
  const entries = rule.allow.filter((e) => e.path === path && covers(e, piece, from, to))
  for (const entry of entries) entry.isUsed = true
  return entries.length > 0
}

/** A description is a string too. */
const surfacesOf = ({ surface, key }) =>
  surface === 'strings' && (key === 'describe' || key === 'description')
    ? ['strings', 'descriptions']
    : [surface]

/** Hits of a file as `{ path, line, hit, rule, surface, use }`. */
export function hitsIn({ rules, combined }, path, pieces, lineAt) {
  const hits = []
  for (const piece of pieces) {
    const surfaces = surfacesOf(piece)
    const text = piece.text.trimStart()
    if (!surfaces.some((s) => combined.get(s)?.test(text))) continue
    const skipped = piece.text.length - text.length
    for (const rule of rules) {
      if (!surfaces.some((s) => rule.surfaces.includes(s))) continue
      for (const { 0: hit, index } of text.matchAll(rule.expression)) {
        const from = skipped + index
        if (isAllowed(rule, path, piece, from, from + hit.length)) continue
        const line = lineAt(piece.at + from)
        const { name, use } = rule
        hits.push({ path, line, hit: hit.replace(/\s+/g, ' '), rule: name, surface: piece.surface, use })
      }
    }
  }
  return hits
}

/** Entries of allow lists without a reason, and those that matched nothing; to be asked after all files. */
export const allowProblems = ({ rules }) =>
  rules.flatMap((rule) =>
    rule.allow.flatMap(({ path, text, reason, isUsed }) => {
      const entry = `scripts/words.json: ${rule.name}: allow "${text}" in ${path}`
      if (typeof reason !== 'string' || reason.trim() === '') return [`${entry}: add a reason`]
      return isUsed ? [] : [`${entry}: matches nothing; delete the entry`]
    }),
  )
