// Proves that a commit only moved and renamed: node scripts/refactor/verify.js A B [RENAMES.tsv]
// Token streams of each source are equal but for module specifiers and the identifiers of the table.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import ts from 'typescript'

const [a, b, table] = process.argv.slice(2)
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
const pairs = new Set(
  table && existsSync(table)
    ? readFileSync(table, 'utf8')
        .split('\n')
        .filter((l) => l.includes('\t'))
        .map((l) => l.split('\t').slice(1).join('\t'))
    : [],
)

/** Tokens of a source; imports and re-exports stand for themselves as a sorted set of names. */
function tokens(text, path) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  const out = []
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isExportDeclaration(node) && node.moduleSpecifier) return
    if (ts.isStringLiteralLike(node) && /^(\.{1,2}\/|@lockstep\/|src\/|packages\/)/.test(node.text)) {
      out.push('"path"')
      return
    }
    const children = node.getChildren(file)
    if (children.length === 0) {
      if (node.kind !== ts.SyntaxKind.EndOfFileToken && node.end > node.pos) out.push(node.getText(file))
    } else
      for (const c of children)
        if (c.kind < ts.SyntaxKind.FirstJSDocNode || c.kind > ts.SyntaxKind.LastJSDocNode) visit(c)
  }
  visit(file)
  return out.filter((t) => t !== '' && t !== ',')
}

let differences = 0
let compared = 0
const lines = git('diff', '--name-status', '-M30%', '-l20000', a, b).trim().split('\n')
for (const line of lines) {
  const [status, before, after = before] = line.split('\t')
  if (!/\.(ts|js)$/.test(before) || /\.generated\./.test(before)) continue
  if (status === 'A' || status === 'D') {
    if (!/index\.ts$|^scripts\/|^test\/words/.test(before)) {
      console.log(`${status === 'A' ? 'added' : 'deleted'}: ${before}`)
      differences++
    }
    continue
  }
  const [x, y] = [tokens(git('show', `${a}:${before}`), before), tokens(git('show', `${b}:${after}`), after)]
  compared++
  let i = 0
  let j = 0
  while (i < x.length || j < y.length) {
    if (x[i] === y[j] || pairs.has(`${x[i]}\t${y[j]}`)) {
      i++
      j++
    } else if (y[j + 1] === ':' && x[i] === y[j] && pairs.has(`${x[i]}\t${y[j + 2]}`)) {
      i++
      j += 3
    } else break
    // A shorthand property keeps its key: `{ old }` became `{ old: now }`.
    if (y[j] === ':' && x[i] !== ':' && pairs.has(`${x[i - 1]}\t${y[j + 1]}`)) j += 2
  }
  if (i < x.length || j < y.length) {
    console.log(`${after}: ${x.slice(i, i + 6).join(' ')} → ${y.slice(j, j + 6).join(' ')}`)
    differences++
  }
}
console.log(`${compared} files compared, ${differences} differences`)
process.exitCode = differences > 0 ? 1 : 0
