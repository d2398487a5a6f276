/**
 * Checks the words of everything that people read: string literals, comments and pages, by the rules of `words.json`,
 * and the length of sentences in pages and help. Counts of `words.baseline.json` are allowed, and only fall.
 *
 *     node scripts/words.js                    check
 *     node scripts/words.js --update           lower the baseline to today's counts; never raises one
 *     node scripts/words.js --moved MOVES.json move baseline and allow entries; {"old/path.ts": "new/path.ts"}
 *     node scripts/words.js --summary          print hits by rule and surface
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { baselineText, countsOf, differences, lowered, moved } from './words/baseline.js'
import { pagePieces } from './words/markdown.js'
import { READABILITY, readabilityHits } from './words/readability.js'
import { allowProblems, compileRules, hitsIn } from './words/rules.js'
import { sourcePieces } from './words/source.js'
import { summaryOf, summaryText } from './words/summary.js'

export { baselineText, countsOf, differences, lowered, moved, summaryOf }

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const TABLE = 'scripts/words.json'
const BASELINE = 'scripts/words.baseline.json'
const HELP_KEYS = ['summary', 'detail', 'text']
const STALE_SHOWN = 10

const isGenerated = (path) => /\.generated\.\w+$/.test(path)

/** Sources, and pages in folders with sources, documentation, examples, or at the top. */
export const isScanned = (path) =>
  !isGenerated(path) &&
  (/^(?:packages\/[^/]+\/(?:src|bin)|src|test|scripts|bin|bench)\/.*\.(?:ts|js|mjs|cjs|md)$/.test(path) ||
    /^(?:docs|examples|packages\/[^/]+)\/.*\.md$/.test(path) ||
    /^[^/]+\.md$/.test(path))

/** Bodies of ADRs are history: their words count, the length of their sentences does not. */
const isReadable = (path) => !/(?:^|\/)docs\/adr\//.test(path)
const hasHelp = (path) => /(?:^|\/)cli\//.test(path) && !/\.(?:test|cases)\.ts$/.test(path)

/** Line number of an offset, by bisection. */
function lineFinder(text) {
  let starts
  return (at) => {
    if (starts === undefined) {
      starts = [0]
      for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1)
    }
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle] <= at) low = middle
      else high = middle - 1
    }
    return low + 1
  }
}

function scanFile(compiled, { path, text }) {
  const lineAt = lineFinder(text)
  if (path.endsWith('.md')) {
    const pieces = pagePieces(text)
    const hits = hitsIn(compiled, path, pieces, lineAt)
    return isReadable(path) ? [...hits, ...readabilityHits(path, pieces, lineAt)] : hits
  }
  const pieces = sourcePieces(text)
  const hits = hitsIn(compiled, path, pieces, lineAt)
  if (!hasHelp(path)) return hits
  const help = pieces.filter((p) => HELP_KEYS.includes(p.key)).map((p) => ({ ...p, kind: 'prose' }))
  return [...hits, ...readabilityHits(path, help, lineAt)]
}

/** Hits of files given as `{ path, text }`, and problems of the allow lists. */
export function scan(files, table) {
  const compiled = compileRules(table)
  const hits = []
  for (const file of files) for (const hit of scanFile(compiled, file)) hits.push(hit)
  return { hits, allowProblems: allowProblems(compiled), ruleNames: [...Object.keys(table), ...READABILITY] }
}

/** Lines for each hit of a file and rule above the baseline, and for each count below it. */
export function report(hits, baseline) {
  const all = differences(countsOf(hits), baseline)
  const above = all
    .filter((d) => d.count > d.allowed)
    .flatMap(({ path, rule, count, allowed }) =>
      hits
        .filter((h) => h.path === path && h.rule === rule)
        .map(({ line, hit, use }) => {
          const note = allowed > 0 ? ` [${count} of ${rule} in this file, ${allowed} allowed]` : ''
          return `${path}:${line} "${hit}": ${use}${note}`
        }),
    )
  const below = all
    .filter((d) => d.count < d.allowed)
    .map((d) => `${d.path}: baseline of ${d.rule} is ${d.allowed}, today ${d.count}`)
  return { above, below }
}

const SKIPPED = /^(?:\.|node_modules$|dist(?:\..*)?$|coverage$|results$)/

function* walk(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (SKIPPED.test(entry.name)) continue
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* walk(path)
    else yield path
  }
}

/** Files that Git tracks or would add; all below the root where a copy has no Git. */
function allPaths() {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const stdio = ['ignore', 'pipe', 'ignore']
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, stdio }).split('\0')
  } catch {
    return [...walk('')]
  }
}

function* readableFiles() {
  for (const path of allPaths())
    if (isScanned(path) && existsSync(join(root, path)))
      yield { path, text: readFileSync(join(root, path), 'utf8') }
}

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))
const readBaseline = () =>
  existsSync(join(root, BASELINE)) ? readJson(join(root, BASELINE)) : { rules: [], files: {} }
const writeBaseline = (baseline) => writeFileSync(join(root, BASELINE), baselineText(baseline))

/** All hits of this repository. */
export const scanRepository = () => scan(readableFiles(), readJson(join(root, TABLE)))

function update() {
  const { hits, ruleNames } = scanRepository()
  const { raised, baseline } = lowered(countsOf(hits), readBaseline(), ruleNames)
  if (baseline !== undefined) return writeBaseline(baseline)
  for (const d of raised) console.error(`${d.path}: ${d.rule}: ${d.count} hits, ${d.allowed} allowed`)
  console.error('baseline not changed: counts only fall; reword, or use --moved for files that moved')
  process.exitCode = 1
}

/** Allow entries keep the layout of their file: only the paths change. */
export const movedPaths = (tableText, moves) =>
  tableText.replace(/("path":\s*)"([^"]+)"/g, (entry, key, path) =>
    Object.hasOwn(moves, path) ? `${key}"${moves[path]}"` : entry,
  )

function move(file) {
  if (file === undefined) throw new Error('usage: node scripts/words.js --moved MOVES.json')
  const moves = readJson(file)
  writeBaseline(moved(readBaseline(), moves))
  const table = readFileSync(join(root, TABLE), 'utf8')
  writeFileSync(join(root, TABLE), movedPaths(table, moves))
}

function check() {
  const { hits, allowProblems } = scanRepository()
  const { above, below } = report(hits, readBaseline())
  for (const line of [...above, ...allowProblems, ...below.slice(0, STALE_SHOWN)]) console.error(line)
  if (below.length > STALE_SHOWN) console.error(`… and ${below.length - STALE_SHOWN} more counts below`)
  if (below.length > 0) console.error('lower the baseline: npm run words -- --update')
  console.log(`words: ${hits.length} hits, ${above.length} above the baseline`)
  process.exitCode = above.length + allowProblems.length + below.length > 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, file] = process.argv.slice(2)
  if (option === undefined) check()
  else if (option === '--update') update()
  else if (option === '--moved') move(file)
  else if (option === '--summary') console.log(summaryText(summaryOf(scanRepository().hits)))
  else throw new Error(`unknown option ${option}; use --update, --moved or --summary`)
}
