// test/seeds.json names a test in each row; a row without its test is a failure.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './process.js'

const SEEDS = 'test/seeds.json'

/** One line for each row whose test does not exist. `report`: vitest's JSON report of this run. */
export function seedProblems(report) {
  const rows = JSON.parse(readFileSync(join(root, SEEDS), 'utf8'))
  const namesOf = new Map(
    (report?.testResults ?? []).map(({ name, assertionResults }) => [
      relative(root, name),
      new Set(assertionResults.map((t) => [...t.ancestorTitles, t.title].join(' > '))),
    ]),
  )
  return rows
    .filter(({ file, name }) => !(namesOf.get(file)?.has(name) ?? isWritten(file, name)))
    .map(({ file, name }) => `${SEEDS}: no test "${name}" in ${file}`)
}

/** A file that this run did not load has the test if its text has the last part of the name. */
function isWritten(file, name) {
  if (!existsSync(join(root, file))) return false
  return readFileSync(join(root, file), 'utf8').includes(name.split(' > ').at(-1))
}
