// Proves that no test is lost: `node scripts/testnames.js BEFORE.json… --in AFTER.json…`. The files are from
// `vitest list --json=FILE` or from `LOCKSTEP_REPORT=FILE npm test`. Prints each name of BEFORE that AFTER lacks.
import { readFileSync } from 'node:fs'

/** Full names. */
function namesIn(file) {
  const found = JSON.parse(readFileSync(file, 'utf8'))
  if (Array.isArray(found)) return found.map((t) => t.name)
  return found.testResults.flatMap((r) =>
    r.assertionResults.map((t) => [...t.ancestorTitles, t.title].join(' > ')),
  )
}

const args = process.argv.slice(2)
const at = args.indexOf('--in')
if (at < 1 || at === args.length - 1) {
  console.error('usage: node scripts/testnames.js BEFORE.json... --in AFTER.json...')
  process.exit(2)
}
const before = new Set(args.slice(0, at).flatMap(namesIn))
const after = new Set(args.slice(at + 1).flatMap(namesIn))
const lost = [...before].filter((name) => !after.has(name))
for (const name of lost) console.log(`lost: ${name}`)
console.log(`${before.size} names before, ${after.size} after, ${lost.length} lost`)
process.exitCode = lost.length > 0 ? 1 : 0
