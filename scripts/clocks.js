// Tests and tables of cases read no clock: a busy machine must not fail them. Tests count steps, requests or bytes;
// what measures time is a *.deep.test.ts. Prints file and line of each reading.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const TEST = /^(test\/.*|packages\/.*\.(test|cases))\.ts$/
const DEEP = /\.deep\.test\.ts$/
const CLOCK = /\b(Date|performance|cpuUsage|hrtime)\b/

/** Files that wait for real programs, which no virtual clock drives: a deadline ends the wait, no test compares durations. */
const ALLOWED = new Map([
  ['test/e2e/lockstep.ts', 'deadline for a real process to print a line'],
  ['test/e2e/leaderstall.ts', 'a process that stands still for a given time'],
  ['test/e2e/uninstall.full.test.ts', 'a Lease that a real process compares with its own clock'],
  ['test/real/clusterapimanager.ts', 'deadline for a real manager to start'],
  ['test/real/clusterapilease.ts', 'a Lease that real managers compare with their own clock'],
  ['test/real/clusterapistage.ts', 'real managers are idle after a quiet time'],
  ['test/real/realservers.ts', 'deadline for real servers to start'],
])

/** The clock that a node reads; undefined for any other node. */
function clockOf(node) {
  if (ts.isNewExpression(node))
    return node.expression.getText() === 'Date' && (node.arguments ?? []).length === 0
      ? 'new Date()'
      : undefined
  if (!ts.isPropertyAccessExpression(node)) return undefined
  const text = node.getText()
  return /^(Date\.now|performance\.\w+|process\.(cpuUsage|hrtime))$/.test(text) ? text : undefined
}

function* clocksIn(path) {
  const text = readFileSync(join(root, path), 'utf8')
  if (!CLOCK.test(text)) return
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  const found = []
  const visit = (node) => {
    const clock = clockOf(node)
    if (clock) found.push({ line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, clock })
    ts.forEachChild(node, visit)
  }
  visit(source)
  yield* found
}

const problems = []
for (const folder of ['packages', 'test'])
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath}/${entry.name}`.slice(root.length + 1)
    if (!TEST.test(path) || DEEP.test(path) || ALLOWED.has(path)) continue
    for (const { line, clock } of clocksIn(path))
      problems.push(
        `${path}:${line} ${clock}: tests read no clock; count steps, or move the test to a *.deep.test.ts`,
      )
  }

for (const path of ALLOWED.keys())
  if (!existsSync(join(root, path)))
    problems.push(`scripts/clocks.js: ${path} does not exist; remove its entry`)
for (const p of problems) console.error(p)
process.exitCode = problems.length > 0 ? 1 : 0
