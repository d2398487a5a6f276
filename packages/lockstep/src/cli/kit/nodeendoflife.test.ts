import { describe, expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { run } from '../program.ts'
import type { HostProcess } from './command.ts'
import { nodeEndOfLife } from './nodeendoflife.ts'

const TEXT = 'Node 20 reached its end of life on 2026-04-30; use Node 22 or newer'

it.each([
  ['20.19.0', '2026-04-29T23:59:59.999Z', undefined],
  ['20.19.0', '2026-04-30T00:00:00Z', TEXT],
  ['20.20.2', '2026-11-28T00:00:00Z', TEXT],
  ['22.23.0', '2026-11-28T00:00:00Z', undefined],
  ['24.21.0', '2026-11-28T00:00:00Z', undefined],
  ['200.0.0', '2026-11-28T00:00:00Z', undefined],
])('Node %s at %s: %s', (version, at, text) => {
  expect(nodeEndOfLife(version, Date.parse(at))).toBe(text)
})

/** Output, errors and warnings of a command line, with this Node on a day after the end. */
async function ran(line: string, node: string) {
  const env = createSimEnv('node')
  await env.files.writeAtomic('/package.json', '{"version": "1.2.3"}')
  const clock = Object.create(env.clock, { now: { value: () => Date.parse('2026-11-28T00:00:00Z') } })
  const [out, err]: [string[], string[]] = [[], []]
  const host: HostProcess = {
    root: '/',
    manifest: '/package.json',
    cwd: '/',
    home: '/',
    serviceAccount: '/nonexistent',
    hostname: 'desk',
    node,
    execPath: process.execPath,
    variables: { LANG: 'C.UTF-8' },
    stdout: { isTty: false, columns: undefined, rows: undefined, write: (text) => void out.push(text) },
    stderr: { write: (text) => void err.push(text) },
    stdin: { isTty: false, read: async () => '', line: async () => undefined },
    signal: new AbortController().signal,
    env: async () => ({ ...env, clock }),
  }
  await run(line.split(' '), host)
  const warned = env.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)
  return { out: out.join(''), err: err.join(''), warned }
}

describe('the end of life of Node 20', () => {
  it.each(['20.20.0', '22.23.0'])(
    'is in check, version -v and the log of the controller: %s',
    async (node) => {
      const isOver = node.startsWith('20')
      const warning = isOver ? `warning: ${TEXT}\n` : ''
      expect((await ran('check', node)).err).toBe(warning)
      const version = await ran('version -v', node)
      expect([version.out, version.err]).toEqual([
        `lockstep 1.2.3 (lockstep.dev/v1alpha1, node ${node})\n`,
        warning,
      ])
      expect((await ran('version', node)).err).toBe('')
      const controller = await ran('controller', node)
      expect(controller.warned).toEqual(isOver ? [TEXT] : [])
    },
  )
})
