// Makes the face of each folder, its index.ts, and lets sources import it: node scripts/refactor/faces.js
// Tests and tables keep their paths to the file they test.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

const files = execFileSync('git', ['ls-files', 'packages/*.ts'], { encoding: 'utf8' }).trim().split('\n')
const isTest = (path) => /\.(test|cases)\.ts$/.test(path)
const packageOf = (path) => path.split('/')[1]
const nameOf = (p) => (p === 'lockstep' ? p : `@lockstep/${p}`)

/** package → face name → folder */
const exported = {}
for (const p of new Set(files.map(packageOf))) {
  const { exports = {} } = JSON.parse(readFileSync(`packages/${p}/package.json`, 'utf8'))
  exported[p] = Object.entries(exports).map(([face, file]) => [
    face.slice(2),
    `packages/${p}/${dirname(file).slice(2)}`,
  ])
  exported[p].sort((a, b) => b[1].length - a[1].length)
}

/** The unit of the product whose face is imported: a second-level folder, of cli/kit a third-level one. */
function unitOf(path) {
  const parts = path.split('/')
  const depth = parts[3] === 'cli' ? 3 : 2
  const folder = parts.slice(3, -1).slice(0, depth)
  return `packages/lockstep/src/${folder.join('/')}`
}
const areaOf = (path) => {
  const parts = path.split('/')
  if (parts[3] === 'controllers' || parts[3] === 'cli')
    return parts
      .slice(3, -1)
      .slice(0, parts[3] === 'cli' ? 3 : 2)
      .join('/')
  return parts.length > 4 ? parts[3] : ''
}

/** The file that declares what a hand-written face exports under this name. */
function declaring(path, name) {
  if (!path.endsWith('/index.ts')) return path
  for (const s of parse(path).statements) {
    if (!ts.isExportDeclaration(s) || !s.moduleSpecifier) continue
    const to = join(dirname(path), s.moduleSpecifier.text)
    if (s.exportClause) {
      if (s.exportClause.elements.some((e) => e.name.text === name)) return declaring(to, name)
    } else if (exportsName(to, name)) return declaring(to, name)
  }
  throw new Error(`${path} does not export ${name}`)
}
function exportsName(path, name) {
  return parse(path).statements.some((s) => {
    if (ts.isExportDeclaration(s))
      return (
        s.exportClause?.elements?.some((e) => e.name.text === name) ||
        (!s.exportClause && exportsName(join(dirname(path), s.moduleSpecifier.text), name))
      )
    if (!s.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword)) return false
    return ts.isVariableStatement(s)
      ? s.declarationList.declarations.some((d) => d.name.text === name)
      : s.name?.text === name
  })
}
const relativeTo = (from, target) => {
  const to = relative(dirname(from), target)
  return to.startsWith('.') ? to : `./${to}`
}

const faces = new Map()
const problems = []
const parsed = new Map()
const parse = (path) => {
  if (!parsed.has(path))
    parsed.set(path, ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true))
  return parsed.get(path)
}
function isType(path, name) {
  for (const s of parse(path).statements) {
    if ((ts.isInterfaceDeclaration(s) || ts.isTypeAliasDeclaration(s)) && s.name.text === name) return true
    if (ts.isExportDeclaration(s) && s.exportClause && ts.isNamedExports(s.exportClause))
      for (const e of s.exportClause.elements)
        if (e.name.text === name) {
          if (s.isTypeOnly || e.isTypeOnly) return true
          if (s.moduleSpecifier?.text.startsWith('.'))
            return isType(join(dirname(path), s.moduleSpecifier.text), (e.propertyName ?? e.name).text)
        }
  }
  return false
}
function useFace(folder, file, names) {
  if (!faces.has(folder)) faces.set(folder, new Map())
  const face = faces.get(folder)
  for (const n of names) {
    if (face.has(n) && face.get(n) !== file) problems.push(`${folder}: ${n} from ${file} and ${face.get(n)}`)
    face.set(n, file)
  }
}

/** Specifier of the face for a file seen from another one; undefined where it is imported as it is. */
function faceFor(from, target) {
  if (packageOf(from) !== packageOf(target)) {
    const found = exported[packageOf(target)]?.find(([, folder]) => target.startsWith(`${folder}/`))
    if (!found) {
      problems.push(`${from}: no face for ${target}`)
      return undefined
    }
    return { folder: found[1], specifier: `${nameOf(packageOf(target))}/${found[0]}` }
  }
  if (packageOf(from) !== 'lockstep' || areaOf(from) === areaOf(target) || areaOf(target) === '')
    return undefined
  const folder = unitOf(target)
  // A loose file of a top folder is a face of its own.
  if (folder.split('/').length === 4) return undefined
  const to = relative(dirname(from), `${folder}/index.ts`)
  return { folder, specifier: to.startsWith('.') ? to : `./${to}` }
}

function namesOf(clause) {
  if (!clause) return undefined
  if (ts.isNamedExports(clause) || ts.isNamedImports(clause))
    return clause.elements.map((e) => (e.propertyName ?? e.name).text)
  return undefined
}

for (const path of files) {
  if (isTest(path) || /\.generated\./.test(path) || path.endsWith('/index.ts')) continue
  const file = parse(path)
  const edits = []
  /** specifier → pieces and whether all are types */
  const imports = new Map()
  const visit = (node) => {
    const literal =
      ts.isImportDeclaration(node) || (ts.isExportDeclaration(node) && node.moduleSpecifier)
        ? node.moduleSpecifier
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
            ? node.arguments[0]
            : undefined
    if (literal && ts.isStringLiteralLike(literal) && literal.text.startsWith('.')) {
      const target = join(dirname(path), literal.text)
      if (target.endsWith('.ts')) {
        if (ts.isImportDeclaration(node)) {
          const clause = node.importClause
          const names = clause && !clause.name && namesOf(clause.namedBindings)
          if (!names) {
            if (faceFor(path, target)) problems.push(`${path}: by hand: ${node.getText(file).slice(0, 100)}`)
          } else {
            let isChanged = false
            const added = []
            for (const e of clause.namedBindings.elements) {
              const name = (e.propertyName ?? e.name).text
              const origin = declaring(target, name)
              const face = faceFor(path, origin)
              if (face) useFace(face.folder, origin, [name])
              const specifier = face ? face.specifier : relativeTo(path, origin)
              if (specifier !== literal.text) isChanged = true
              const text = (e.propertyName ? `${e.propertyName.text} as ` : '') + e.name.text
              added.push([specifier, text, clause.isTypeOnly || e.isTypeOnly])
            }
            if (isChanged) {
              for (const [specifier, text, isT] of added) {
                const entry = imports.get(specifier) ?? { at: node.getStart(file), pieces: [] }
                entry.pieces.push([text, isT])
                imports.set(specifier, entry)
              }
              let end = node.end
              if (file.text[end] === '\n') end++
              edits.push([node.getStart(file), end, ''])
            }
          }
          return
        }
        const face = !target.endsWith('/index.ts') && faceFor(path, target)
        if (!face) {
        } else if (ts.isExportDeclaration(node)) {
          const names = namesOf(node.exportClause)
          if (!names) problems.push(`${path}: by hand: ${node.getText(file).slice(0, 100)}`)
          else useFace(face.folder, target, names)
          edits.push([literal.getStart(file) + 1, literal.end - 1, face.specifier])
        } else if (ts.isImportTypeNode(node)) {
          if (node.qualifier) useFace(face.folder, target, [node.qualifier.getText(file).split('.')[0]])
          edits.push([literal.getStart(file) + 1, literal.end - 1, face.specifier])
        } else {
          // A dynamic import names what it takes in the pattern it is bound to, or in the property that follows.
          const names = takenNames(node, file)
          if (!names) problems.push(`${path}: by hand: ${node.parent.parent.getText(file).slice(0, 140)}`)
          else {
            useFace(face.folder, target, names)
            edits.push([literal.getStart(file) + 1, literal.end - 1, face.specifier])
          }
        }
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  if (edits.length === 0) continue
  let text = file.text
  for (const [specifier, { at, pieces }] of imports) {
    const sorted = [...new Map(pieces.map((p) => [p[0], p])).values()].sort(([a], [b]) => a.localeCompare(b))
    const isTypeOnly = sorted.every(([, t]) => t)
    const body = sorted.map(([t, isT]) => (isT && !isTypeOnly ? `type ${t}` : t)).join(', ')
    const edit = edits.find(([start]) => start === at)
    edit[2] += `import ${isTypeOnly ? 'type ' : ''}{ ${body} } from '${specifier}'\n`
  }
  for (const [start, end, now] of edits.sort((a, b) => b[0] - a[0]))
    text = text.slice(0, start) + now + text.slice(end)
  writeFileSync(path, text)
}
function takenNames(call, file) {
  let up = call.parent
  if (ts.isAwaitExpression(up)) up = up.parent
  while (ts.isParenthesizedExpression(up)) up = up.parent
  if (ts.isVariableDeclaration(up) && ts.isObjectBindingPattern(up.name))
    return up.name.elements.map((e) => (e.propertyName ?? e.name).text)
  if (ts.isPropertyAccessExpression(up) && up.name.text !== 'then') return [up.name.text]
  if (ts.isPropertyAccessExpression(up) && up.name.text === 'then') {
    const f = up.parent.arguments?.[0]
    const p = f && ts.isArrowFunction(f) && f.parameters[0]
    if (p && ts.isObjectBindingPattern(p.name))
      return p.name.elements.map((e) => (e.propertyName ?? e.name).text)
    if (p && ts.isIdentifier(p.name)) {
      const used = new Set()
      const look = (n) => {
        if (
          ts.isPropertyAccessExpression(n) &&
          ts.isIdentifier(n.expression) &&
          n.expression.text === p.name.text
        )
          used.add(n.name.text)
        ts.forEachChild(n, look)
      }
      look(f.body)
      return [...used]
    }
  }
  return undefined
}

for (const [folder, names] of faces) {
  const place = `${folder}/index.ts`
  if (existsSync(place)) for (const [name] of [...names]) if (exportsName(place, name)) names.delete(name)
  if (names.size === 0) continue
  const byFile = new Map()
  for (const [name, file] of names) {
    if (!byFile.has(file)) byFile.set(file, { types: [], values: [] })
    byFile.get(file)[isType(file, name) ? 'types' : 'values'].push(name)
  }
  const lines = [...byFile]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([file, { types, values }]) => {
      const to = relative(folder, file)
      const from = to.startsWith('.') ? to : `./${to}`
      const all = [...values, ...types.map((t) => (values.length > 0 ? `type ${t}` : t))].sort((a, b) =>
        a.replace(/^type /, '').localeCompare(b.replace(/^type /, '')),
      )
      return `export ${values.length === 0 ? 'type ' : ''}{ ${all.join(', ')} } from '${from}'`
    })
  const before = existsSync(place)
    ? readFileSync(place, 'utf8')
    : `// The face of this folder: what others import.\n`
  writeFileSync(place, `${before}${lines.join('\n')}\n`)
}
for (const p of problems) console.log(p)
console.log(
  `${faces.size} faces, ${[...faces.values()].reduce((n, f) => n + f.size, 0)} names, ${problems.length} problems`,
)
