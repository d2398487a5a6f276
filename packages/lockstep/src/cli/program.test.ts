import { describe, expect, it } from 'vitest'
import { formerCommand, formerFlag } from './commands/formername.ts'
import { allCommands } from './commands/registry.ts'
import type { Command, Flags, HostProcess } from './kit/command.ts'
import { durationMs } from './kit/durationflag.ts'
import { createProgram, run } from './program.ts'

const commands = await allCommands()
const examplesOf = ({ examples, actions = [] }: Command) => [
  ...examples,
  ...actions.flatMap((a) => a.examples),
]

/** What `--help` prints. */
async function help(line: string): Promise<string> {
  let out = ''
  const write = (text: string): void => {
    out += text
  }
  const program = createProgram(commands, write, async () => {}, line.split(' '))
  await expect(program.parseAsync(line.split(' '), { from: 'user' })).rejects.toMatchObject({ exitCode: 0 })
  return out
}

const actions = commands.flatMap((c) => (c.actions ?? []).map((a) => ({ command: c, action: a })))

it.each(actions)('$command.name $action.name has a page of its own', async ({ command, action }) => {
  const text = await help(`${command.name} ${action.name} --help`)
  expect(text).toMatch(
    `${action.summary}\n\nUsage: lockstep ${command.name} ${action.name} ${action.arguments}`,
  )
  const flags = text.slice(0, text.indexOf('Global flags:'))
  for (const { flags: flag } of command.options ?? []) {
    const isIts = action.options.some((o) => o.flags === flag)
    expect([flag, flags.includes(`    ${flag}`)]).toEqual([flag, isIts])
  }
  expect(action.examples.length).toBeGreaterThanOrEqual(1)
  expect(action.examples.length).toBeLessThanOrEqual(2)
  for (const [, line] of action.examples) expect(text).toContain(`lockstep ${line}\n`)
  expect(await help(`${command.name} --help`)).toMatch(
    new RegExp(`^  ${action.name} +${action.summary}$`, 'm'),
  )
})

it.each([
  ...commands.map((c) => c.name),
  ...actions.map(({ command, action }) => `${command.name} ${action.name}`),
])('%s --help has 80 columns', async (line) => {
  const text = await help(`${line} --help`)
  expect(text.split('\n').filter((l) => l.length > 80)).toEqual([])
})

it.each(commands)('$name has two to four examples, each with a purpose in one line', ({ examples }) => {
  expect([2, 3, 4]).toContain(examples.length)
  for (const [what] of examples) expect(what).toMatch(/^[A-Z][^\n]{3,70}$/)
})

async function understood(line: string) {
  const found: { name: string; args: readonly string[]; flags: Flags }[] = []
  const program = createProgram(
    commands,
    () => {},
    async (def, args, flags) => void found.push({ name: def.name, args, flags }),
    line.split(' '),
  )
  await program.parseAsync(line.split(' '), { from: 'user' })
  return found[0]
}

it.each(commands.flatMap((c) => examplesOf(c).map(([, line]) => [c.name, line] as const)))(
  'an example of %s is understood: lockstep %s',
  async (name, line) => {
    // What comes after a pipe is for another program.
    const own = line.replace(/ [|<].*$/, '')
    expect(await understood(own), name).toBeDefined()
  },
)

it('global flags stand before or after the command', async () => {
  for (const line of [
    '-n team get modules -o json',
    'get modules -n team -ojson',
    'get -n team -o=json modules',
  ])
    expect(await understood(line.replace('-o=', '--output='))).toMatchObject({
      name: 'get',
      args: ['modules'],
      flags: { namespace: 'team', output: 'json' },
    })
})

it('flags that repeat are kept in order', async () => {
  expect((await understood('apply -f a -f b'))?.flags.filename).toEqual(['a', 'b'])
})

it('durations', () => {
  expect(['500ms', '30s', '2m', '1h', '10', '0', 'x', '-1s'].map(durationMs)).toEqual([
    500,
    30_000,
    120_000,
    3_600_000,
    10_000,
    undefined,
    undefined,
    undefined,
  ])
})

const host = (out: string[], variables: Readonly<Record<string, string>> = {}): HostProcess => ({
  root: '/',
  manifest: '/package.json',
  cwd: '/',
  home: '/',
  serviceAccount: '/nonexistent',
  hostname: 'desk',
  node: process.versions.node,
  execPath: process.execPath,
  variables: { LANG: 'C.UTF-8', ...variables },
  stdout: { isTty: false, columns: undefined, rows: undefined, write: (text) => void out.push(text) },
  stderr: { write: (text) => void out.push(text) },
  stdin: { isTty: false, read: async () => '', line: async () => undefined },
  signal: new AbortController().signal,
  env: () => Promise.reject(new Error('no command runs')),
})

async function answer(line: string, variables?: Readonly<Record<string, string>>): Promise<string> {
  const out: string[] = []
  const code = await run(line.split(' '), host(out, variables))
  return `${out.join('')}${code}`
}

describe('a former name', () => {
  it.each([
    ['hold web', 'command "hold"', 'lockstep suspend WHAT'],
    ['hold web --revision 1 --cluster a', 'command "hold"', 'lockstep suspend WHAT'],
    ['hold --help', 'command "hold"', 'lockstep suspend WHAT'],
    ['-n release release web', 'command "release"', 'lockstep resume WHAT (pins: lockstep unpin)'],
    ['rollout pause web --now', 'option "--now"', 'lockstep suspend WHAT'],
    ['diff web --admitted', 'option "--admitted"', 'lockstep diff MODULE[@CLUSTER] --drift'],
    ['reconcile module/web --rehash', 'option "--rehash"', 'lockstep reconcile KIND/NAME --rebuild-digests'],
  ])('%s: 2, and the new name', async (line, name, renamed) => {
    expect(await answer(line)).toBe(`error: unknown ${name}\nhint: renamed: ${renamed}\n[E_USAGE] exit 2\n2`)
  })

  it('has no alias, and no current name is in the table', () => {
    for (const { name, options = [] } of commands) {
      expect(formerCommand(name)).toBeUndefined()
      for (const o of options) expect(formerFlag(name, /--[\w-]+/.exec(o.flags)![0])).toBeUndefined()
    }
  })

  it('is a value where it is one', async () => {
    expect(await answer('-n hold gett')).toContain('unknown command "gett"')
  })
})

describe('where npm runs the program', () => {
  const NPX = { npm_command: 'exec' }

  it('printed commands start with npx', async () => {
    expect(await answer('hold web', NPX)).toContain('renamed: npx lockstep suspend WHAT')
    expect(await answer('release web', NPX)).toContain(
      'renamed: npx lockstep resume WHAT (pins: npx lockstep unpin)',
    )
    expect(await answer('--help', NPX)).toMatch(/Usage: npx lockstep COMMAND[\s\S]*^ {2}npx lockstep demo$/m)
  })

  it('and with lockstep otherwise', async () => {
    expect(await answer('hold web', { npm_command: 'run-script' })).not.toContain('npx')
  })
})

describe('flags of kubectl for the hub', () => {
  it('are understood before and after a command', async () => {
    expect(
      (await understood('get modules --as jane --as-group a --as-group b --server https://x'))?.flags,
    ).toMatchObject({
      as: 'jane',
      asGroup: ['a', 'b'],
      server: 'https://x',
    })
    expect((await understood('--user u --cluster c status'))?.flags).toMatchObject({
      user: 'u',
      cluster: 'c',
    })
  })

  it('give way to a flag of the command with that name', async () => {
    expect((await understood('why web --cluster prod-eu'))?.flags.cluster).toBe('prod-eu')
    expect((await understood('diff shop@prod-eu --server'))?.flags.server).toBe(true)
  })

  it('are on the page of the program, and not on those of commands', async () => {
    expect(await help('get --help')).not.toContain('--as-group')
    expect(await help('get --help')).toContain('lockstep --help lists the flags that choose the hub')
    expect(await help('--help')).toMatch(/Flags for the hub[\s\S]*--as-group <group> +group to impersonate/)
  })
})
