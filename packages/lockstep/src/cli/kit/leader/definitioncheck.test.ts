import { at } from '@lockstep/kube/object'
import { expect, it } from 'vitest'
import { createSimEnv } from '../../../../../kube/src/env/sim/simenv.ts'
import { ownCrds } from '../../../api/crd/index.ts'
import { SCHEMA_ANNOTATION } from '../../../api/labels.ts'
import { checkDefinitions } from './definitioncheck.ts'

const MODULES = 'modules.lockstep.dev'
const definitions = ownCrds().map((crd) => [String(at(crd, 'metadata', 'name')), crd] as const)

/** A hub that answers reads of definitions. */
function hubWith(overrides: () => Readonly<Record<string, unknown>>) {
  let reads = 0
  const get = async (_: unknown, { name }: { readonly name: string }) => {
    reads++
    return { ok: true, value: overrides()[name] ?? new Map(definitions).get(name) }
  }
  return { client: { get } as never, reads: () => reads }
}

it('an older definition is a problem until it is replaced; both are logged once', async () => {
  const env = createSimEnv('definitions')
  const pass = (ms: number) => env.clock.run(() => false, ms)
  let isOld = true
  const old = { metadata: { annotations: { [SCHEMA_ANNOTATION]: '0' } } }
  const hub = hubWith(() => (isOld ? { [MODULES]: old } : {}))
  const check = checkDefinitions(env, hub.client, '0.4.0', new AbortController().signal)
  let isCurrent = false
  const current = check.current.then(() => {
    isCurrent = true
  })
  expect(check.problem()).toBe('the definitions were not read yet')
  await pass(60_000)
  expect(check.problem()).toMatch(
    /^modules\.lockstep\.dev is at 0, this version needs \d+; apply the CRDs of 0\.4\.0$/,
  )
  expect(isCurrent).toBe(false)
  isOld = false
  // Ready at most 15 seconds after the definitions were applied.
  await pass(15_000)
  await current
  expect(check.problem()).toBeUndefined()
  expect(env.lines.map((l) => [l.level, l.message])).toEqual([
    ['warn', 'crds failed'],
    ['info', 'crds ok'],
  ])
  const reads = hub.reads()
  await pass(600_000)
  expect(hub.reads()).toBe(reads)
})

it('readiness says nothing of the address of a hub that does not answer; the log does', async () => {
  const env = createSimEnv('definitions')
  const detail = 'connect ECONNREFUSED 10.1.2.3:6443'
  const error = {
    kind: 'Unreachable',
    phase: 'connect',
    detail,
    cluster: 'hub',
    verb: 'get',
    ref: { kind: 'X' },
  }
  const client = { get: async () => ({ ok: false, error }) } as never
  const ending = new AbortController()
  const check = checkDefinitions(env, client, '0.4.0', ending.signal)
  await env.clock.run(() => false, 60_000)
  expect(check.problem()).toMatch(/^[a-z]+\.lockstep\.dev cannot be read$/)
  expect(env.lines).toHaveLength(1)
  expect(JSON.stringify(env.lines)).toContain('10.1.2.3')
  ending.abort()
})
