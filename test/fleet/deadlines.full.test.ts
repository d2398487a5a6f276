/** Running time: what a deadline counts, and what keeps a slot although it does not run. */
import { expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { spawn } from '../simulation/process.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const HOUR = 3600
const DEADLINE = 1800
const PATIENT = { health: { timeoutSeconds: 40 * HOUR } }
const ROLLOUT = { ...PATIENT, rollout: { progressDeadlineSeconds: DEADLINE } }
const BASE = { ...PATIENT, rollout: { progressDeadlineSeconds: 0 } }

const failOver = (story: Story): void => {
  story.manager.stop()
  story.manager = story.fleet.startController()
}

it('a deadline counts what a unit runs: no Hold, no closed gate, no failover', {
  timeout: 120_000,
}, async () => {
  const story = await Story.begin('deadlines', ['c0'], { delays: LIFELIKE })
  for (const name of ['base', 'web'])
    for (const n of [1, 2]) await story.config(`${name}${n}`, deploymentManifest(name, `${name}:${n}`))
  await story.module('base', 'base1', BASE)
  await story.module('web', 'web1', { ...ROLLOUT, dependsOn: ['base'] })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const { world } = story.fleet.clusters.get('c0')!
  const bad = { image: 'base:2', outcome: 'ImagePull' } as const
  world.fail(bad)
  world.fail({ image: 'web:2', outcome: 'ImagePull' })
  const ran = (): number => story.see('web').status?.rollout?.ledger?.[0]?.runSeconds ?? -1

  await story.module('web', 'web2', { ...ROLLOUT, dependsOn: ['base'] })
  expect(await story.until(() => ran() >= 0)).toBe(true)
  await story.pass(1000)

  const hold = {
    apiVersion: API_VERSION,
    kind: 'Hold',
    metadata: { name: 'all', namespace: NAMESPACE },
    spec: { targetRef: { kind: 'Module' as const, name: 'web' }, action: 'Suspend' as const, reason: 'test' },
  }
  must(await story.during(story.fleet.hub.create(holdKind, hold as never, USER)))
  await story.pass(2.5 * HOUR)
  failOver(story)
  await story.pass(2.5 * HOUR)
  expect(ran()).toBeLessThanOrEqual(1005)
  // What it relies on becomes a newer one, which is not well.
  await story.module('base', 'base2', BASE)
  await story.pass(60)
  must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'all' }, USER)))
  await story.pass(1.5 * HOUR)
  failOver(story)
  await story.pass(1.5 * HOUR)
  expect(ran()).toBeLessThanOrEqual(1010)
  expect(ran()).toBeGreaterThanOrEqual(935)

  world.heal(bad)
  expect(await story.until(() => story.isReady('base'))).toBe(true)
  const left = DEADLINE - ran()
  await story.pass(left - 60)
  expect(story.see('web').status?.rollout?.phase).toBe('Progressing')
  await story.pass(160)
  const { rollout } = story.see('web').status!
  expect(rollout).toMatchObject({ phase: 'Halted', ledger: [{ cluster: 'c0' }] })
  expect(rollout?.failed?.[0]?.message).toMatch(
    /^ProgressDeadlineExceeded: deploying for 180\ds, progressDeadlineSeconds 1800: Deployment default\/web: /,
  )
})

/** What the ledger has held, one commit after the other. */
const ledgersOf = (story: Story): string[] =>
  story.fleet.commits
    .filter((c) => c.resource === 'modules.lockstep.dev')
    .map((c) => ((c.next as unknown as Module).status?.rollout?.ledger ?? []).map((e) => e.cluster).join(' '))

it('a slot is not free because the next leader has not reached the cluster yet', async () => {
  const story = await Story.begin('slot of a cluster to come', ['c0', 'c1'])
  await story.config('v1', configManifest('web', '1'))
  story.manager.stop()
  const start = (who: string, delayMs: number, crash = false) => {
    const dies = {
      write: 1,
      after: true,
      of: (r: { body?: string | undefined }) => !!r.body?.includes('"ledger"'),
    }
    const process = spawn(story.fleet.env, who, {
      delayMs,
      lossRate: 0,
      dropRate: 0,
      ...(crash ? { crash: dies } : {}),
    })
    const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
    startManager(process.env, createHttpClient(process.env, 'hub', hub, 'lockstep-controller'))
    return process
  }
  let died = false
  start('first', 1, true).onDeath(() => {
    died = true
    start('second', 2000)
  })
  await story.module('web', 'v1')
  expect(await story.until(() => died)).toBe(true)
  const [cluster] = ledgersOf(story).filter((names) => names !== '')
  const isDelivered = () => story.live(cluster!, 'configmaps', 'web') !== undefined
  expect(await story.until(isDelivered, 300)).toBe(true)
  const since = ledgersOf(story)
  const held = since.slice(since.indexOf(cluster!))
  expect(held.length).toBeGreaterThan(1)
  expect(held.filter((names) => !names.includes(cluster!))).toEqual([])
})
