import { expect, it } from 'vitest'
import { cuttableConnection } from '../../../../../../test/kube/cuttableconnection.ts'
import { createHttpClient } from '../../../../../kube/src/client/httpclient.ts'
import { ok } from '../../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../../kube/src/env/sim/simenv.ts'
import type { KubeObject } from '../../../../../kube/src/object/index.ts'
import { moduleKind } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { failed } from '../clifailure.ts'
import type { CommandContext } from '../command.ts'
import { FLEET_NAMESPACE, furnish, HUB, startLocalFleet } from '../localfleet/localfleet.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { fleetView } from './fleetview.ts'
import { followFleet } from './liveview.ts'
import type { FleetSnapshot } from './snapshot.ts'
import { watchView } from './watchview.ts'

const URL = 'https://hub.invalid'
const WRITE = { purpose: 'user', manager: CLI_MANAGER, precondition: 'any' } as const

const moduleNamed = (name: string, release = '1'): KubeObject => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { name, namespace: FLEET_NAMESPACE },
  spec: { release, source: { inline: { objects: [] } }, targets: { clusterSelector: {} } },
})

/** `lockstep status -w` in virtual time, on a hub with one cluster and no controller. */
async function watching(o: { readonly live: boolean; readonly module?: string; readonly away?: boolean }) {
  const env = createSimEnv('watch')
  const fleet = startLocalFleet(env, { clusters: ['c'], delays: { notice: [1, 2], start: [1, 2] } })
  env.net.serve(URL, fleet.hub.handle)
  furnish(fleet, () => ({ url: URL }))
  await env.clock.run(() => false, 1000)
  const user = createHttpClient(env, HUB, env.net.connect({ url: URL }, 'operator'))
  const put = (name: string, release?: string): void =>
    void user.apply(moduleKind, moduleNamed(name, release), WRITE)
  put('web')
  await env.clock.run(() => false, 1000)
  const out: string[] = []
  const err: string[] = []
  const writers = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) }
  const look = { color: false, unicode: true, live: o.live, wraps: o.live, width: 100 }
  const terminal = createTerminal(look, writers)
  const stop = new AbortController()
  const host = { stdout: { rows: 400, write: writers.out } }
  const c = { env, terminal, signal: stop.signal, host } as unknown as CommandContext
  if (o.away) env.net.unserve(URL)
  const wire = cuttableConnection(env.net.connect({ url: URL }, 'operator'))
  const hub = {
    client: createHttpClient(env, HUB, wire.connection),
    server: HUB,
    namespace: FLEET_NAMESPACE,
  }
  const fleetLook = (s: FleetSnapshot) => {
    const isThere = o.module === undefined || s.modules.some((m) => m.metadata.name === o.module)
    if (!isThere) return failed('E_NOT_FOUND', { kind: 'Module', name: o.module! })
    return ok(fleetView(terminal, s, FLEET_NAMESPACE))
  }
  const done = watchView(c, hub, { what: o.module ?? '', follow: followFleet, look: fleetLook })
  const pass = (ms: number) => env.clock.run(() => false, ms)
  return { env, fleet, put, out, err, stop, done, pass, user, wire }
}

it('asks once, and is told of everything else: an idle minute costs no request', async () => {
  const w = await watching({ live: false })
  await w.pass(1000)
  expect(w.wire.requests.length).toBe(16)
  expect(w.out.join('')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +c\n.*web/)
  const before = w.out.length
  await w.pass(60_000)
  expect([w.wire.requests.length, w.out.length]).toEqual([16, before])
  w.stop.abort()
  await w.pass(10)
  expect(await w.done).toEqual({ ok: true, value: 130 })
})

it('prints what a change changes, within a tenth of a second', async () => {
  const w = await watching({ live: false })
  await w.pass(1000)
  w.out.length = 0
  w.put('shop')
  await w.pass(100)
  expect(w.out.map((line) => line.replace(/^\S+ /, ''))).toEqual([
    expect.stringMatching(/^ +shop +⏸\n$/),
    expect.stringMatching(/^0 of 2 units ready/),
  ])
  w.stop.abort()
  await w.pass(10)
  await w.done
})

it('draws at most ten frames a second, and the last state is always drawn', async () => {
  const w = await watching({ live: true })
  await w.pass(1000)
  w.out.length = 0
  for (let i = 0; i < 100; i++) {
    w.put(`m${i}`)
    await w.pass(10)
  }
  expect(w.out.length).toBeGreaterThan(3)
  expect(w.out.length).toBeLessThanOrEqual(11)
  await w.pass(200)
  for (let i = 0; i < 100; i++) expect(w.out[w.out.length - 1]).toContain(`m${i} `)
  w.stop.abort()
  await w.pass(10)
  expect(await w.done).toEqual({ ok: true, value: 130 })
})

it('goes on after a cut without listing again', async () => {
  const w = await watching({ live: false })
  await w.pass(1000)
  w.wire.cut()
  w.put('shop')
  await w.pass(3000)
  expect(w.out.join('')).toContain('shop')
  expect(w.wire.requests.filter((p) => !p.includes('watch=true')).length).toBe(9)
  expect(w.err).toEqual([])
  w.stop.abort()
  await w.pass(10)
  await w.done
})

it('says once that the hub is away, and once that it is back', async () => {
  const w = await watching({ live: false })
  await w.pass(1000)
  w.env.net.unserve(URL)
  w.wire.cut()
  await w.pass(20_000)
  expect(w.err.length).toBe(1)
  expect(w.err[0]).toMatch(/^\S+Z Not current, retrying: .*ECONNREFUSED/)
  w.env.net.serve(URL, w.fleet.hub.handle)
  w.put('shop')
  await w.pass(300_000)
  expect(w.err.length).toBe(2)
  expect(w.err[1]).toMatch(/Z Current again\.\n$/)
  expect(w.out.join('')).toContain('shop')
  w.stop.abort()
  await w.pass(10)
  await w.done
})

it('ends when what it watches has gone', async () => {
  const w = await watching({ live: false, module: 'web' })
  await w.pass(1000)
  void w.user.delete(moduleKind, { namespace: FLEET_NAMESPACE, name: 'web' }, WRITE)
  await w.pass(1000)
  expect(await w.done).toEqual({ ok: true, value: 0 })
  expect(w.out[w.out.length - 1]).toBe('web was deleted.\n')
})

it('what the hub refuses at the beginning ends it', async () => {
  const w = await watching({ live: false, module: 'nope' })
  await w.pass(1000)
  expect(await w.done).toMatchObject({ ok: false, error: { code: 'E_NOT_FOUND', exit: 2 } })
  const away = await watching({ live: false, away: true })
  await away.pass(1000)
  expect(await away.done).toMatchObject({ ok: false, error: { code: 'E_UNREACHABLE', exit: 3 } })
})
