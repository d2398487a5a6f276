import { expect, it } from 'vitest'
import { allCommands } from './commands/registry.ts'
import type { Command, Flags } from './kit/command.ts'
import { durationMs } from './kit/durationflag.ts'
import { createProgram } from './program.ts'

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
  const program = createProgram(commands, write, async () => {})
  await expect(program.parseAsync(line.split(' '), { from: 'user' })).rejects.toMatchObject({ exitCode: 0 })
  return out
}

const actions = commands.flatMap((c) => (c.actions ?? []).map((a) => ({ command: c, action: a })))

it.each(actions)('$command.name $action.name has a page of its own', async ({ command, action }) => {
  const text = await help(`${command.name} ${action.name} --help`)
  expect(text).toMatch(`${action.summary}\n\nUsage: lockstep ${command.name} ${action.name} <module>`)
  const flags = text.slice(0, text.indexOf('Global flags:'))
  for (const { flags: flag } of command.options ?? []) {
    const isIts = action.options.some((o) => o.flags === flag)
    expect([flag, flags.includes(`    ${flag}`)]).toEqual([flag, isIts])
  }
  expect(action.examples.length).toBeGreaterThanOrEqual(1)
  expect(action.examples.length).toBeLessThanOrEqual(2)
  for (const [, line] of action.examples) expect(text).toContain(`lockstep ${line}\n`)
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  expect(await help(`${command.name} --help`)).toMatch(
    new RegExp(`^  ${action.name} +${action.summary}$`, 'm'),
  )
})

async function understood(line: string) {
  const found: { name: string; args: readonly string[]; flags: Flags }[] = []
  const program = createProgram(
    commands,
    () => {},
    async (def, args, flags) => void found.push({ name: def.name, args, flags }),
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
