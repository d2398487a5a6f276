// Renames top-level declarations by a table: node scripts/refactor/rename.js RENAMES.tsv [--from N --count N] [--check]
// The table has lines of a path, the old name and the new one, with tabs between. Every reference is found through the type
// checker, so properties and strings of the same text stay; a shorthand property keeps its key.
import { readFileSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import ts from 'typescript'

const args = process.argv.slice(2)
const option = (name, fallback) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : fallback)
const rows = readFileSync(args[0], 'utf8')
  .split('\n')
  .filter((l) => l.trim() !== '')
  .map((l) => l.split('\t'))
const from = option('--from', 0)
const chosen = rows.slice(from, from + option('--count', rows.length))

const config = ts.readConfigFile('tsconfig.json', ts.sys.readFile).config
const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
const program = ts.createProgram(fileNames, { ...options, incremental: false, tsBuildInfoFile: undefined })
const checker = program.getTypeChecker()
const pathOf = (file) => relative('.', file.fileName)

/** file → old name → new name */
const table = new Map()
for (const [path, old, now] of chosen) {
  if (!table.has(path)) table.set(path, new Map())
  table.get(path).set(old, now)
}

const problems = []
/** Symbols that get a new name. */
const renamed = new Map()
/** Their declarations: the type of a module that is imported at run time has symbols of its own. */
const declarations = new Map()
for (const [path, names] of table) {
  const file = program.getSourceFile(resolve(path))
  if (!file) {
    problems.push(`${path}: no such file in the program`)
    continue
  }
  for (const [old, now] of names) {
    const declared = file.statements
      .flatMap((s) =>
        ts.isVariableStatement(s)
          ? s.declarationList.declarations.map((d) => d.name)
          : s.name !== undefined
            ? [s.name]
            : [],
      )
      .filter((n) => ts.isIdentifier(n) && n.text === old)
    if (declared.length === 0) problems.push(`${path}: no top-level declaration of ${old}`)
    for (const name of declared) {
      const symbol = checker.getSymbolAtLocation(name)
      renamed.set(symbol, now)
      declarations.set(name.parent, now)
      if (symbol.exportSymbol) renamed.set(symbol.exportSymbol, now)
      const local = name.parent.localSymbol
      if (local) renamed.set(local, now)
    }
  }
}
if (args.includes('--check')) {
  for (const [path, names] of table)
    for (const old of names.keys()) {
      if (!problems.some((p) => p === `${path}: no top-level declaration of ${old}`))
        console.log(`${path}: ${old} is still declared`)
    }
  process.exit(problems.length === chosen.length ? 0 : 1)
}

const olds = new Set(chosen.map(([, old]) => old))
const sources = program
  .getSourceFiles()
  .filter((f) => !f.fileName.includes('/node_modules/') && !f.isDeclarationFile)
/** `const { old } = await import(…)` binds a local of the same name: it follows. */
const bindLocals = (node) => {
  if (
    ts.isBindingElement(node) &&
    ts.isIdentifier(node.name) &&
    !node.propertyName &&
    olds.has(node.name.text) &&
    ts.isObjectBindingPattern(node.parent)
  ) {
    const property = checker.getTypeAtLocation(node.parent).getProperty(node.name.text)
    const now = declarations.get(property?.declarations?.[0])
    if (now !== undefined) renamed.set(checker.getSymbolAtLocation(node.name), now)
  }
  ts.forEachChild(node, bindLocals)
}
for (const file of sources) if (/import\(/.test(file.text)) bindLocals(file)
const resolved = (symbol) => {
  let s = symbol
  while (s && s.flags & ts.SymbolFlags.Alias && !renamed.has(s)) {
    const next = checker.getImmediateAliasedSymbol(s)
    if (!next || next === s) break
    s = next
  }
  return s
}
function targetOf(node) {
  const parent = node.parent
  let symbol
  if (ts.isShorthandPropertyAssignment(parent) && parent.name === node)
    symbol = checker.getShorthandAssignmentValueSymbol(parent)
  else if (ts.isExportSpecifier(parent) && !parent.parent.parent.moduleSpecifier)
    symbol = checker.getExportSpecifierLocalTargetSymbol(parent)
  else symbol = checker.getSymbolAtLocation(node)
  if (!symbol) return undefined
  const found = renamed.get(resolved(symbol))
  return (
    found ?? (ts.isPropertyAccessExpression(parent) ? declarations.get(symbol.declarations?.[0]) : undefined)
  )
}

const ALL = ts.SymbolFlags.Value | ts.SymbolFlags.Type | ts.SymbolFlags.Namespace | ts.SymbolFlags.Alias
let count = 0
for (const file of sources) {
  const edits = []
  const visit = (node) => {
    if (ts.isIdentifier(node) && olds.has(node.text)) {
      const now = targetOf(node)
      if (now !== undefined && now !== node.text) {
        const parent = node.parent
        const isKey = ts.isShorthandPropertyAssignment(parent) && parent.name === node
        const other = checker.resolveName(now, node, ALL, true)
        const isSame =
          other !== undefined && renamed.has(resolved(other)) && renamed.get(resolved(other)) !== now
        if (other && !isSame && !ts.isImportSpecifier(parent))
          problems.push(`${pathOf(file)}: ${node.text} → ${now}: the name is taken here`)
        if (ts.isImportSpecifier(parent) && file.locals?.has(now))
          problems.push(`${pathOf(file)}: ${node.text} → ${now}: the file declares it`)
        edits.push([node.getStart(file), node.end, isKey ? `${node.text}: ${now}` : now])
      }
    }
    // Names in `{@link name}` and `name` of comments follow by hand.
    ts.forEachChild(node, visit)
  }
  visit(file)
  if (edits.length === 0) continue
  let text = file.text
  for (const [start, end, now] of edits.sort((a, b) => b[0] - a[0]))
    text = text.slice(0, start) + now + text.slice(end)
  writeFileSync(file.fileName, text)
  count += edits.length
}
for (const p of [...new Set(problems)]) console.log(p)
console.log(`${chosen.length} names, ${count} places, ${new Set(problems).size} problems`)
