import { expect, it } from 'vitest'
import type { Flags } from './command.ts'
import { allCommands } from './commands/registry.ts'
import { durationMs } from './duration.ts'
import { createProgram } from './program.ts'

const commands = await allCommands()

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

it.each(commands.flatMap((c) => c.examples.map(([, line]) => [c.name, line] as const)))(
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
