/**
 * Checks the message of each commit after the one in `commits.since`: `type(folder): imperative`, one topic, and a body
 * that says why for `feat` and `fix`. Merges are exempt.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const TYPES = ['feat', 'fix', 'refactor', 'test', 'docs', 'build']
const WITH_BODY = ['feat', 'fix']
const MOST = 72
const SUBJECT = /^(?<type>[a-z]+)(?:\((?<scope>[^()]*)\))?!?: (?<summary>\S.*)$/
const SCOPE = /^[\w.@-]+(?:\/[\w.@-]+)*$/
const TRAILER = /^[A-Z][\w-]+: \S/

/** Verbs with the ending of a past, a participle or a third person. */
const VERBS = new Set(
  'access address bring bypass compress cross discuss dismiss embed exceed express feed focus guess miss need pass \
press proceed process progress seed shed speed stress string suppress'.split(' '),
)

function isImperative(word) {
  if (!/^[a-z][a-z-]*$/.test(word)) return false
  return VERBS.has(word) || !/(?:ed|ing|s)$/.test(word)
}

function summaryProblems(summary) {
  const problems = []
  // Two verbs of one topic may be listed: `read, check and write …`.
  const word = summary.split(' ')[0].replace(/,$/, '')
  if (!isImperative(word)) problems.push(`begin with an imperative in lower case, not "${word}"`)
  if (summary.includes(';')) problems.push('one topic a commit: split at ";"')
  if (summary.endsWith('.')) problems.push('no period at the end')
  return problems
}

/** Problems of a message, none if it is as rule 14 wants it. */
export function commitProblems(message) {
  const [subject = '', ...rest] = message.trim().split('\n')
  const problems = subject.length > MOST ? [`${subject.length} characters, the limit is ${MOST}`] : []
  const parts = SUBJECT.exec(subject)?.groups
  if (parts === undefined) return [...problems, 'write type(folder): imperative']
  const { type, scope, summary } = parts
  if (!TYPES.includes(type)) problems.push(`unknown type "${type}"; use ${TYPES.join(', ')}`)
  if (scope === undefined) problems.push(`name the folder: ${type}(folder): …`)
  else if (!SCOPE.test(scope)) problems.push(`"${scope}" is not one folder`)
  problems.push(...summaryProblems(summary))
  const body = rest.filter((line) => line.trim() !== '' && !TRAILER.test(line))
  if (rest.length > 0 && rest[0].trim() !== '') problems.push('leave the second line empty')
  if (WITH_BODY.includes(type) && body.length === 0) problems.push(`${type} needs a body that says why`)
  return problems
}

const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/** Whether the commit is in this clone; false without Git too. */
function hasCommit(commit) {
  try {
    git('cat-file', '-e', `${commit}^{commit}`)
    return true
  } catch {
    return false
  }
}

function main() {
  const since = readFileSync(join(root, 'scripts/commits.since'), 'utf8').trim()
  if (!hasCommit(since))
    return console.log(`commits: not checked, the clone has no commit ${since.slice(0, 8)}`)
  const log = git('log', '--no-merges', '--format=%h%n%B%x00', `${since}..HEAD`)
  const commits = log
    .split('\0')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  let wrong = 0
  for (const entry of commits) {
    const [hash, ...lines] = entry.split('\n')
    const problems = commitProblems(lines.join('\n'))
    for (const problem of problems) console.error(`${hash} "${lines[0]}": ${problem}`)
    if (problems.length > 0) wrong++
  }
  console.log(`commits: ${commits.length} checked, ${wrong} wrong`)
  process.exitCode = wrong > 0 ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
