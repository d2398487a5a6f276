import { expect, it } from 'vitest'
import type { ListerWatcher } from '../client/client.ts'
import type { RequestError } from '../client/requesterror.ts'
import { createSimEnv } from '../env/sim/simenv.ts'
import { crdKind } from '../kinds/types.ts'
import { defineKind } from '../object/kind.ts'
import { OptionalKind } from './optionalkind.ts'

const WIDGET = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true }

const REF = { group: crdKind.group, kind: crdKind.kind, name: '' }
const REQUEST = {
  cluster: 'hub',
  verb: 'list',
  ref: REF,
  wrote: 'no',
} as const

/** The kind on a server whose lists fail: first by these failures, then always by `error`. */
function stage(error: RequestError, first: RequestError[] = []) {
  const env = createSimEnv('optional')
  let settled = 0
  const client = {
    cluster: 'hub',
    list: async () => ({ ok: false, error: first.shift() ?? error }),
  } as unknown as ListerWatcher
  const kind = new OptionalKind(
    env,
    client,
    {
      definitions: crdKind,
      kinds: [defineKind(WIDGET)],
      project: (o) => o,
      meanwhile: 'nothing is deployed',
    },
    { changed: () => {}, opened: () => {}, settled: () => void settled++ },
  )
  return { env, kind, settled: () => settled }
}

it('without the right to read its definition a kind is not served, which is logged once, as info', async () => {
  const { env, kind, settled } = stage({ ...REQUEST, kind: 'Forbidden', message: 'no' })
  await env.clock.run(() => false, 600_000)
  kind.stop()
  expect(settled()).toBe(1)
  expect(env.lines.map(({ level, message }) => [level, message])).toEqual([
    ['info', 'Widget.example.com is not served: no right to read its definition'],
  ])
})

it('while a server fails, nothing is decided, and a warning names the consequence', async () => {
  const { env, kind, settled } = stage({ ...REQUEST, kind: 'Server', status: 500, message: 'broken' })
  await env.clock.run(() => false, 600_000)
  kind.stop()
  expect(settled()).toBe(0)
  expect(env.lines.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'Widget.example.com cannot be read; nothing is deployed before it is known'],
  ])
})

it('a kind that is left out after a failure ends the problem of that failure', async () => {
  const failures: RequestError[] = [{ ...REQUEST, kind: 'Server', status: 500, message: 'broken' }]
  const { env, kind, settled } = stage({ ...REQUEST, kind: 'Forbidden', message: 'no' }, failures)
  await env.clock.run(() => false, 600_000)
  kind.stop()
  expect(settled()).toBe(1)
  expect(env.lines.map(({ level, fields }) => [level, fields.reason, fields.took !== undefined])).toEqual([
    ['warn', 'Server', false],
    ['info', 'NotServed', true],
  ])
})
