/**
 * Writes `docs/reference/reasons.md` from the reason table: meaning, who acts, what to do, and example messages. With
 * `--check` it writes nothing and fails if the page is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSource } from './loadsource.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const PAGE = 'docs/reference/reasons.md'
const TABLE = 'packages/lockstep/src/api/reasons/reasontable.ts'

const ACTORS = {
  none: 'no action needed',
  cause: 'the owner of the root cause',
  approver: 'the release manager',
  author: 'the author of the Module or its manifests',
  owner: 'the owner of another object or field',
  platform: 'the platform team',
}

const HEADER = [
  '# Reasons',
  '',
  'A reason says why something waits or failed. Blockers in `status.blockers`, conditions, Events and `lockstep why` use the',
  'same reasons. Each message below is an example. This page is generated from the reason table; do not edit it.',
  '',
]

const codeOf = (text) => text.replaceAll('`', "'")

/** A section a reason, in the order of the alphabet. */
export function reasonsPage(reasonTable, render) {
  const names = Object.keys(reasonTable).toSorted()
  const sections = names.flatMap((name) => {
    const row = reasonTable[name]
    const examples = row.examples.map((e) => render(name, e))
    return [
      `## ${name}`,
      '',
      row.meaning,
      '',
      `- Who acts: ${ACTORS[row.actor]}`,
      `- What to do: ${codeOf(examples[0].advice)}`,
      '',
      '```text',
      ...examples.map((e) => e.message),
      '```',
      '',
    ]
  })
  return `${[...HEADER, ...sections].join('\n').trimEnd()}\n`
}

async function main() {
  const { reasonTable, renderedExample } = await loadSource(TABLE)
  const text = reasonsPage(reasonTable, renderedExample)
  const path = join(root, PAGE)
  if (!process.argv.includes('--check')) return writeFileSync(path, text)
  if (readFileSync(path, 'utf8') === text) return
  console.error(`${PAGE} is not current: run npm run generate`)
  process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
