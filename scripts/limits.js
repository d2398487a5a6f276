// Limits that keep the code readable: what one file, one folder and one name may hold. `npm run lint` prints each file that
// exceeds one. Rules that count names read the whole repository.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'

const MAX_LINES = 400
const MAX_FILES = 25
const MAX_FUNCTION = 60
const MAX_DEPS = 7
const MAX_README = 40

const VAGUE = /^(utils?|helpers?|common|misc)$/
const ADVERB =
  /^(anew|apart|aside|away|back|backwards|beside|besides|early|elsewhere|forth|late|lately|meanwhile|once|twice|whose|whoever)$/
const PARTICIPLE = /(ing|ed|en)$/
const PLAIN = /^(token|open)$/
/** Names that say their role, and faces. */
export const FREE = /^(registry|types|main|thread|predicates|watches|index)$/

export const isTest = (path) => /\.(test|cases)\.ts$/.test(path)
const isGenerated = (path) => /\.generated\.\w+$/.test(path)
const isPackageSource = (path) => /^packages\/[^/]+\/src\//.test(path) && path.endsWith('.ts')
export const baseOf = (path) => path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '')

/** Every broken limit of `files`: `[{ path, text }]`, as `path: rule` lines. Exempt files keep names and size for now. */
export function problemsOf(files, exempt = new Set()) {
  const read = files
    .filter(({ path }) => !isGenerated(path))
    .map(({ path, text }) => ({
      path,
      text,
      source: /\.[jt]s$/.test(path)
        ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
        : undefined,
    }))
  return [
    ...read
      .filter(({ path }) => !exempt.has(path))
      .flatMap((file) => [...sizeProblems(file), ...nameProblems(file)]),
    ...read.flatMap((file) => (file.source ? shapeProblems(file) : [])),
    ...folderProblems(read),
    ...decisionProblems(read),
    ...kitProblems(read),
    ...messageProblems(read),
    ...typeProblems(read, exempt),
  ]
}

function sizeProblems({ path, text }) {
  const lines = text.trimEnd().split('\n').length
  if (path.endsWith('.md'))
    return /^packages\/[^/]+\/(src\/[^/]+\/)?README\.md$/.test(path) && lines > MAX_README
      ? [`${path}: ${lines} lines, the limit of a README is ${MAX_README}`]
      : []
  return lines > MAX_LINES ? [`${path}: ${lines} lines, the limit of a file is ${MAX_LINES}`] : []
}

function nameProblems({ path, source }) {
  const base = baseOf(path)
  if (source === undefined || isTest(path)) return []
  const problems = []
  if (VAGUE.test(base)) problems.push(`${path}: the name "${base}" does not say what the file holds`)
  if (ADVERB.test(base)) problems.push(`${path}: the name "${base}" is an adverb; use a noun`)
  if (PARTICIPLE.test(base) && !PLAIN.test(base))
    problems.push(`${path}: the name "${base}" ends in -ing, -ed or -en; use a noun`)
  if (isPackageSource(path) && !FREE.test(base)) {
    const names = exportsOf(source)
    if (names.length > 0 && !names.some((name) => isNamedAfter(base, name)))
      problems.push(`${path}: the name matches no export; its exports are ${names.slice(0, 5).join(', ')}`)
  }
  return problems
}

const MIN_MATCH = 4

function isNamedAfter(base, name) {
  const [file, exported] = [base.toLowerCase(), name.toLowerCase().replaceAll('_', '')]
  return exported.includes(file) || (exported.length >= MIN_MATCH && file.includes(exported))
}

const isExported = (statement) =>
  statement.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword) === true
export const isTypeDeclaration = (s) =>
  ts.isInterfaceDeclaration(s) || ts.isTypeAliasDeclaration(s) || ts.isClassDeclaration(s)

function namesIn(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((d) => d.name.getText())
  if (
    ts.isExportDeclaration(statement) &&
    statement.exportClause &&
    ts.isNamedExports(statement.exportClause)
  )
    return statement.exportClause.elements.map((e) => e.name.text)
  return statement.name ? [statement.name.text] : []
}

const exportsOf = (source) =>
  source.statements.filter((s) => isExported(s) || ts.isExportDeclaration(s)).flatMap(namesIn)

/** Limits that the syntax of one file exceeds. */
function shapeProblems({ path, source, text }) {
  const problems = []
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
  const visit = (node) => {
    if (isLiteralSpread(node))
      problems.push(`${path}:${lineOf(node)}: an object literal is spread into another; write its members`)
    if (ts.isFunctionLike(node) && node.body && !isTest(path)) {
      const lines = linesOfFunction(node, source, text)
      if (lines > MAX_FUNCTION)
        problems.push(`${path}:${lineOf(node)}: a function of ${lines} lines, the limit is ${MAX_FUNCTION}`)
    }
    if (ts.isInterfaceDeclaration(node) && /Deps$/.test(node.name.text) && node.members.length > MAX_DEPS)
      problems.push(
        `${path}:${lineOf(node)}: ${node.name.text} has ${node.members.length} members, the limit is ${MAX_DEPS}`,
      )
    ts.forEachChild(node, visit)
  }
  visit(source)
  return problems
}

export const isLiteralSpread = (node) =>
  ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(unwrapped(node.expression))

function unwrapped(expression) {
  return ts.isParenthesizedExpression(expression) ? unwrapped(expression.expression) : expression
}

/** Lines that are not empty; an object or array literal counts as one. */
function linesOfFunction(node, source, text) {
  const line = (position) => source.getLineAndCharacterOfPosition(position).line
  const counted = new Set()
  const [first, last] = [line(node.getStart(source)), line(node.end)]
  const lines = text.split('\n')
  for (let i = first; i <= last; i++) if (lines[i].trim() !== '') counted.add(i)
  const visit = (child) => {
    if (ts.isObjectLiteralExpression(child) || ts.isArrayLiteralExpression(child)) {
      const [from, to] = [line(child.getStart(source)), line(child.end)]
      for (let i = from + 1; i <= to; i++) counted.delete(i)
      return
    }
    ts.forEachChild(child, visit)
  }
  ts.forEachChild(node, visit)
  return counted.size
}

function folderProblems(files) {
  const folders = grouped(sourcesOf(files), ({ path }) => dirname(path))
  return [...folders]
    .filter(([, inside]) => inside.length > MAX_FILES)
    .map(
      ([folder, inside]) => `${folder}: ${inside.length} source files, the limit of a folder is ${MAX_FILES}`,
    )
}

const sourcesOf = (files) => files.filter(({ path }) => isPackageSource(path) && !isTest(path))

function grouped(items, keyOf) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** Files that decide. Commands ask controllers, or show what controllers wrote: they import the types of these files only. */
const DECIDE =
  /^packages\/lockstep\/src\/(decisions\/(gate\/(gate|rollback|objectedge)|rollout\/(schedule|selectstarts|classify|stages|rolloutverdict|unitplacement|rollback|budgets\/inflight))|deliver\/step\/nextstep)\.ts$/
const COMMANDS = /^packages\/lockstep\/src\/cli\//
const DECIDING_FACE = /\/(decisions\/(gate|rollout)|deliver\/step)\/index\.ts$/

function decisionProblems(files) {
  const deciders = new Set(
    files.filter(({ path }) => DECIDE.test(path)).flatMap(({ source }) => exportsOf(source)),
  )
  return files
    .filter(({ path, source }) => source !== undefined && COMMANDS.test(path) && !isTest(path))
    .flatMap(({ path, source }) =>
      source.statements.filter(ts.isImportDeclaration).flatMap((statement) => {
        const clause = statement.importClause
        if (!DECIDING_FACE.test(statement.moduleSpecifier.text) || !clause || clause.isTypeOnly) return []
        return (clause.namedBindings?.elements ?? [])
          .filter((e) => !e.isTypeOnly && deciders.has((e.propertyName ?? e.name).text))
          .map((e) => `${path}: a command imports ${e.name.text}, which decides; ask a controller`)
      }),
    )
}

/** Tasks that the reconciler kit has one file for: no other file of `controllers` does them. */
const CONTROLLERS = /^packages\/lockstep\/src\/controllers\//
const KIT = [
  {
    pattern: /\.split\('\/'\)/,
    home: /runtime\/requestkeys\.ts$/,
    text: 'a key is split; use runtime/requestkeys.ts',
  },
  {
    pattern: /\bsubresource: 'status'/,
    home: /runtime\/statuswriter\.ts$/,
    text: 'a status is written; use runtime/statuswriter.ts',
  },
  {
    pattern: /\bfinalizers\b[^,;]*\.filter\(|\.\.\.\(?(\w+\.)*finalizers\b/,
    home: /runtime\/finalizers\.ts$/,
    text: 'finalizers are edited; use runtime/finalizers.ts',
  },
  {
    pattern: /\bunknown\b/,
    only: /(\/watches|runtime\/(controller|dispatcher|hubkinds|predicates))\.ts$/,
    text: 'a watch rule has the type unknown; name the kind',
  },
  {
    pattern: /\b(interface|type|class) (Controller|Shared)?Context\b/,
    text: 'a context holds everything; declare …Deps',
  },
]

/** Messages are rendered from facts, for people: no code reads one. Values of other systems are no messages of ours. */
const READERS = /^packages\/lockstep\/src\/(cli|controllers|decisions)\//
const READ_MESSAGE =
  /\b(blocker|blockers\[\d\]|b|cause|condition|ready|first|why)\??\.(message|text)\??\.(startsWith|endsWith|includes|indexOf|match|matchAll|replace|replaceAll|search|split)\(|\.test\((blocker|b|cause|condition|ready|first|why)\??\.(message|text)\b/

const messageProblems = (files) =>
  files
    .filter(({ path, source }) => source !== undefined && READERS.test(path) && !isTest(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((l, i) => (READ_MESSAGE.test(l) ? [`${path}:${i + 1}: a message is read; use facts`] : [])),
    )

function kitProblems(files) {
  return files
    .filter(({ path, source }) => source !== undefined && CONTROLLERS.test(path) && !isTest(path))
    .flatMap(({ path, text }) =>
      KIT.filter(({ home, only }) => !home?.test(path) && (only?.test(path) ?? true)).flatMap((rule) => {
        const line = text
          .split('\n')
          .findIndex((l) => rule.pattern.test(l) && !/^\s*(\/\*\*|\*|\/\/)/.test(l))
        return line < 0 ? [] : [`${path}:${line + 1}: ${rule.text}`]
      }),
    )
}

/** One type name has one meaning in the repository, so that a reader need not look up which. */
function typeProblems(files, exempt) {
  const places = new Map()
  for (const { path, source } of files) {
    if (source === undefined || exempt.has(path)) continue
    for (const s of source.statements)
      if (isExported(s) && isTypeDeclaration(s) && s.name)
        places.set(s.name.text, [...(places.get(s.name.text) ?? []), path])
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${paths[0]}: the type ${name} is exported by ${paths.slice(1).join(', ')} too`)
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const PLACES = ['packages', 'test', 'scripts', 'bench']

function main() {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...PLACES], {
    cwd: root,
    encoding: 'utf8',
  })
  const paths = listed
    .trim()
    .split('\n')
    .filter((p) => /\.(ts|js|md)$/.test(p) && existsSync(join(root, p)))
  const files = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const exempt = new Set(JSON.parse(readFileSync(join(root, 'scripts/limits.exempt.json'), 'utf8')))
  const problems = problemsOf(files, exempt)
  for (const path of exempt)
    if (!paths.includes(path))
      problems.push(`scripts/limits.exempt.json: ${path} does not exist; remove its line`)
  for (const p of problems) console.error(p)
  console.log(`limits: ${files.length} files, ${problems.length} problems`)
  process.exitCode = problems.length > 0 ? 1 : 0
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main()
