// Counts of the repository's shape, beside those of the commit in scripts/measure.before.json: npm run measure
// `--json FILE` writes them.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'
import { baseOf, FREE, isLiteralSpread, isTest, isTypeDeclaration } from './limits.js'
import { scanRepository, summaryOf } from './words.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const SERVERS = /^(packages\/(apiserver|simulators)|src\/apiserver)\//
const PLACES = ['packages', 'src', 'test', 'scripts', 'bin', 'bench']

const listed = execFileSync('git', ['ls-files', ...PLACES], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
const paths = listed.filter(
  (p) => /\.(ts|js)$/.test(p) && !/\.generated\./.test(p) && existsSync(join(root, p)),
)
const files = paths.map((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, source: ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) }
})
const sources = files.filter(({ path }) => !isTest(path))
const products = sources.filter(({ path }) => /^(packages|src)\//.test(path))
const linesOf = (text) => text.trimEnd().split('\n').length

/** key → how many items have it */
function counts(items) {
  const seen = new Map()
  for (const item of items) seen.set(item, (seen.get(item) ?? 0) + 1)
  return seen
}
const most = (numbers) => numbers.reduce((a, b) => Math.max(a, b), 0)
const doubles = (map) => [...map.values()].filter((n) => n > 1).length

function typeNames(isLocalToo) {
  return products.flatMap(({ source }) => [
    ...new Set(
      source.statements
        .filter((s) => isTypeDeclaration(s) && s.name)
        .filter((s) => isLocalToo || s.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword))
        .map((s) => s.name.text),
    ),
  ])
}

function spreads() {
  let found = 0
  const visit = (node) => {
    if (isLiteralSpread(node)) found++
    ts.forEachChild(node, visit)
  }
  for (const { source } of files) visit(source)
  return found
}

/** The longest chain of folders that import each other, in `controllers`. */
function levels() {
  const inside = /^(?:packages\/lockstep\/)?src\/controllers\/(.+)$/
  const below = new Map()
  for (const { path, source } of products) {
    const [, rest] = inside.exec(path) ?? []
    if (rest === undefined) continue
    const folder = dirname(rest)
    if (!below.has(folder)) below.set(folder, new Set())
    for (const { fileName } of ts.preProcessFile(source.text, true, true).importedFiles) {
      const [, to] = inside.exec(join(dirname(path), fileName)) ?? []
      if (to !== undefined && dirname(to) !== folder) below.get(folder).add(dirname(to))
    }
  }
  const depth = (folder, seen) =>
    seen.has(folder)
      ? 0
      : 1 + most([...(below.get(folder) ?? [])].map((f) => depth(f, new Set([...seen, folder]))))
  return most([...below.keys()].map((folder) => depth(folder, new Set())))
}

/** Chunks that `lockstep version` loads: their bytes, and how many sources of API servers are in them. */
async function versionChunks() {
  const { buildOptions } = await import('../packages/lockstep/bin/build.js')
  const built = await build({
    ...buildOptions(root),
    outdir: join(root, 'dist'),
    write: false,
    metafile: true,
  })
  const outputs = built.metafile.outputs
  const loaded = new Set()
  const load = (chunk) => {
    if (chunk === undefined || loaded.has(chunk)) return
    loaded.add(chunk)
    for (const i of outputs[chunk].imports) if (i.kind === 'import-statement' && outputs[i.path]) load(i.path)
  }
  for (const name of ['cli/main.ts', 'cli/commands/version/index.ts'])
    load(Object.keys(outputs).find((chunk) => outputs[chunk].entryPoint?.endsWith(name)))
  const inputs = new Set([...loaded].flatMap((chunk) => Object.keys(outputs[chunk].inputs)))
  return {
    bytes: [...loaded].reduce((sum, chunk) => sum + outputs[chunk].bytes, 0),
    servers: [...inputs].filter((path) => SERVERS.test(path)).length,
  }
}

/** Violations that dependency-cruiser reports, cycles and arrows back among them. */
function arrowsBack() {
  try {
    execFileSync(
      'npx',
      ['depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'packages'],
      {
        cwd: root,
        maxBuffer: 1 << 29,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    return 0
  } catch (e) {
    return JSON.parse(e.stdout.toString()).summary.violations.length
  }
}

function faceEntries() {
  const packages = execFileSync('git', ['ls-files', 'packages/*/package.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  const all = packages
    .trim()
    .split('\n')
    .map((p) => JSON.parse(readFileSync(join(root, p), 'utf8')).exports ?? {})
  return most(all.map((e) => Object.keys(e).length))
}

const tierOf = (path) =>
  /\.(full|deep)\.test\.ts$/.exec(path)?.[1] ?? (path.startsWith('test/real/') ? 'real' : 'short')
const tests = counts(paths.filter((p) => p.endsWith('.test.ts')).map(tierOf))

const version = await versionChunks()
const { totals: words } = summaryOf(scanRepository().hits)
const now = {
  'source files in the fullest folder': most([...counts(products.map(({ path }) => dirname(path))).values()]),
  'lines of the longest file': most(files.map(({ text }) => linesOf(text))),
  'levels of folders in controllers': levels(),
  'exported type names defined twice': doubles(counts(typeNames(false))),
  'type names defined twice, with local ones': doubles(counts(typeNames(true))),
  'file names used twice': doubles(
    counts(products.map(({ path }) => baseOf(path)).filter((name) => !FREE.test(name))),
  ),
  'literal spreads': spreads(),
  'arrows back and cycles': arrowsBack(),
  'entries of the largest exports': faceEntries(),
  'bytes that "lockstep version" loads': version.bytes,
  'sources of API servers in them': version.servers,
  'lines of sources': products.reduce((sum, { text }) => sum + linesOf(text), 0),
  'source files': products.length,
  'word hits in strings': words.strings,
  'word hits in comments': words.comments,
  'word hits in pages': words.markdown,
  'test files, short': tests.get('short') ?? 0,
  'test files, full': tests.get('full') ?? 0,
  'test files, deep': tests.get('deep') ?? 0,
  'test files, real': tests.get('real') ?? 0,
}

const { commit, values: before } = JSON.parse(readFileSync(join(root, 'scripts/measure.before.json'), 'utf8'))
const width = most(Object.keys(now).map((name) => name.length))
console.log(`${''.padEnd(width)}  ${'now'.padStart(9)}  ${commit.slice(0, 8).padStart(9)}`)
for (const [name, value] of Object.entries(now))
  console.log(
    `${name.padEnd(width)}  ${String(value).padStart(9)}  ${String(before[name] ?? '–').padStart(9)}`,
  )
const at = process.argv.indexOf('--json')
if (at > 0) writeFileSync(process.argv[at + 1], `${JSON.stringify(now, undefined, 2)}\n`)
