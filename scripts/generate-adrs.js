/**
 * Writes `docs/adr/README.md`, the list of decisions, from the headings in `docs/adr`. With `--check` it writes nothing and
 * fails if the list is not current.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const FOLDER = 'docs/adr'
const INDEX = 'README.md'
const NAME = /^(\d{4})-([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/

/** Number, slug and title of a file given as `{ name, text }`; its first line is `# NUMBER: Title`. */
export function adrOf({ name, text }) {
  const [, number, slug] = NAME.exec(name) ?? []
  if (number === undefined) throw new Error(`${FOLDER}/${name}: name it NNNN-short-slug.md`)
  const [heading = ''] = text.split('\n')
  const start = `# ${number}: `
  if (!heading.startsWith(start) || heading.length === start.length)
    throw new Error(`${FOLDER}/${name}: begin with "${start}Title"`)
  return { name, number, slug, title: heading.slice(start.length).trim() }
}

/** Numbers between the first and the last that no ADR has. */
function missingNumbers(adrs) {
  const numbers = adrs.map(({ number }) => Number(number))
  const last = Math.max(0, ...numbers)
  return Array.from({ length: last }, (_, i) => i + 1)
    .filter((n) => !numbers.includes(n))
    .map((n) => String(n).padStart(4, '0'))
}

/** Text of the list. Two ADRs with one number are an error. */
export function indexText(adrs) {
  const sorted = adrs.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const [i, { name, number }] of sorted.entries())
    if (number === sorted[i - 1]?.number) throw new Error(`${FOLDER}/${name}: ${number} is taken`)
  const missing = missingNumbers(sorted)
  return [
    '<!-- Generated from the headings in this folder by npm run generate. Not edited by hand. -->',
    '# Decisions',
    '',
    ...(missing.length > 0 ? [`Numbers without an ADR: ${missing.join(', ')}.`, ''] : []),
    '| Number | Decision |',
    '|---|---|',
    ...sorted.map(({ name, number, title }) => `| [${number}](${name}) | ${title} |`),
    '',
  ].join('\n')
}

/** All ADRs of this repository. */
export const readAdrs = () =>
  readdirSync(join(root, FOLDER))
    .filter((name) => name.endsWith('.md') && name !== INDEX)
    .map((name) => adrOf({ name, text: readFileSync(join(root, FOLDER, name), 'utf8') }))

/** The list as it is stored. */
export const readIndex = () => readFileSync(join(root, FOLDER, INDEX), 'utf8')

function main() {
  const text = indexText(readAdrs())
  if (!process.argv.includes('--check')) return writeFileSync(join(root, FOLDER, INDEX), text)
  if (readIndex() === text) return
  console.error(`${FOLDER}/${INDEX} is not current: npm run generate`)
  process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
