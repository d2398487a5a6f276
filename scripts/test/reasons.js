// Each reason of the table has a test that creates it and one that ends it: read off what the hubs of a whole run have stored.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadSource } from '../loadsource.js'
import { root } from './process.js'

const LIST = 'test/reasons/unseen.json'
const TABLE = 'packages/lockstep/src/api/reasons/reasontable.ts'

/** One line for each reason that no test creates or ends and that the list does not excuse, and for each excuse that is over. */
export async function reasonProblems(folder) {
  const { reasonTable } = await loadSource(TABLE)
  const seen = new Set(
    readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n')),
  )
  const excused = JSON.parse(readFileSync(join(root, LIST), 'utf8'))
  return problemsOf(Object.keys(reasonTable), seen, excused)
}

/** `seen`: `created REASON`, `ended REASON`. `excused`: what no test does, by reason. */
export function problemsOf(reasons, seen, excused) {
  const unknown = excused.filter(({ reason }) => !reasons.includes(reason))
  return [
    ...unknown.map(({ reason }) => `${LIST}: ${reason} is not a reason`),
    ...reasons.flatMap((reason) =>
      ['created', 'ended'].flatMap((what) => {
        const isSeen = seen.has(`${what} ${reason}`)
        const isExcused = excused.some((e) => e.reason === reason && e.not.includes(what))
        if (isSeen && isExcused) return [`${LIST}: ${reason} is ${what} by a test: remove it from the list`]
        return isSeen || isExcused ? [] : [`reason ${reason}: ${what} by no test`]
      }),
    ),
  ]
}
