/** From a fresh clone to a demo, however the packages are installed. Needs a registry; without one it is left out. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const PARTS = ['packages', 'examples', 'package.json', 'package-lock.json', '.npmrc']
/** What npm says when there is nobody to fetch from. */
const AWAY = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lockstep-install-'))
  for (const part of PARTS) cpSync(part, join(root, part), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

interface Ran {
  readonly code: number
  readonly text: string
}

/** Runs there, with the surroundings of this process but for those of its tests. */
function run(line: string, more: Readonly<Record<string, string>>): Promise<Ran> {
  const { NODE_ENV: _, VITEST: __, ...env } = process.env
  const [program, ...args] = line.split(' ')
  const options = { cwd: root, env: { ...env, LANG: 'C.UTF-8', ...more }, timeout: 600_000 }
  return new Promise((done) => {
    execFile(program!, args, options, (e, out, err) =>
      done({ code: typeof e?.code === 'number' ? e.code : e ? -1 : 0, text: `${out}${err}` }),
    )
  })
}

const cases: readonly [flags: string, env: Readonly<Record<string, string>>][] = [
  ['', {}],
  [' --omit=dev', {}],
  [' --ignore-scripts', {}],
  ['', { NODE_ENV: 'production' }],
]

it.for(cases)('npm ci%s && npx lockstep demo %o', { timeout: 900_000 }, async ([flags, env], { skip }) => {
  const installed = await run(`npm ci --no-audit --no-fund${flags}`, env)
  if (installed.code !== 0 && AWAY.test(installed.text)) skip('no registry can be reached')
  expect(installed).toMatchObject({ code: 0, text: expect.not.stringMatching(/\bwarn\b/i) })
  const played = await run('npx lockstep demo --speed 1000', env)
  expect(played).toMatchObject({ code: 0, text: expect.stringContaining('No invariant broke') })
})
