// Takes literal spreads apart: `{ x, ...{ a, b } }` becomes `{ x, a, b }`. node scripts/refactor/unspread.js [--check]
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import ts from 'typescript'

const isCheck = process.argv.includes('--check')
const files = execFileSync('git', ['ls-files', '*.ts', '*.js', '*.cjs'], { encoding: 'utf8' })
  .trim()
  .split('\n')
let total = 0
for (const path of files) {
  if (/\.generated\./.test(path)) continue
  for (;;) {
    const text = readFileSync(path, 'utf8')
    if (!/\.\.\.\(?\s*\{/.test(text)) break
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
    const edits = []
    const visit = (node) => {
      if (ts.isSpreadAssignment(node)) {
        let inner = node.expression
        while (ts.isParenthesizedExpression(inner)) inner = inner.expression
        if (ts.isObjectLiteralExpression(inner)) {
          const open = inner.getStart(file) + 1
          let body = text.slice(open, inner.end - 1).trim()
          if (body.endsWith(',')) body = body.slice(0, -1)
          edits.push([node.getStart(file), node.end, body, inner.properties.length])
          return
        }
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
    if (edits.length === 0) break
    total += edits.length
    if (isCheck) {
      for (const [start] of edits)
        console.log(`${path}:${file.getLineAndCharacterOfPosition(start).line + 1}`)
      break
    }
    let out = text
    for (const [start, end, body, n] of edits.sort((a, b) => b[0] - a[0])) {
      if (n > 0) out = out.slice(0, start) + body + out.slice(end)
      else {
        const rest = out.slice(end).replace(/^\s*,/, '')
        out = out.slice(0, start) + rest
      }
    }
    writeFileSync(path, out)
  }
}
console.log(`${total} literal spreads`)
