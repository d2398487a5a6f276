/** What Lockstep delivers, and in which order: one table for embedded and for real API servers. */
import { expect } from 'vitest'
import { ANY, deploymentKind, failure, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, crdKind } from '../../packages/kube/src/kinds/types.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { rowsOfTier, TIER } from '../tier.ts'
import { applicationCases } from './applications.cases.ts'
import { bindingCases } from './bindings.cases.ts'
import { budgetCases } from './budget.cases.ts'
import { bundleCases } from './bundle.cases.ts'
import { config, definition, deployment, gadget, gadgetKind, job, reporting } from './casemanifests.ts'
import { changedHandsCases } from './changedhands.cases.ts'
import { packedCases } from './charts.cases.ts'
import { clusterCases } from './clusters.cases.ts'
import { credentialCases } from './credentials.cases.ts'
import { deniedCases } from './denied.cases.ts'
import { driftCases } from './drift.cases.ts'
import { edgeCases } from './edges.cases.ts'
import { expiryCases } from './expiry.cases.ts'
import { type Corner, condition } from './fleetsubject.ts'
import { gitCases } from './git.cases.ts'
import { handoverCases } from './handover.cases.ts'
import { healthCases } from './health.cases.ts'
import { chartCases } from './helm.cases.ts'
import { hookCases } from './hooks.cases.ts'
import { hubDrillCases } from './hubdrill.cases.ts'
import { inventoryCases } from './inventories.cases.ts'
import { leaderCases } from './leaders.cases.ts'
import { leavingCases } from './leaving.cases.ts'
import { outsideCases } from './outside.cases.ts'
import { patternCases } from './patterns.cases.ts'
import { platformCases } from './platform.cases.ts'
import { probeCases } from './probes.cases.ts'
import { reasonOf, refusalCases } from './refusals.cases.ts'
import { rehashCases } from './rehash.cases.ts'
import { replaceCases } from './replace.cases.ts'
import { rollingUpdateCases } from './rollingupdate.cases.ts'
import { rolloutCases } from './rollout.cases.ts'
import { singleCases } from './single.cases.ts'
import { stampCases } from './stamps.cases.ts'
import { thirdPartyCases } from './thirdparty.cases.ts'
import { whyCases } from './why.cases.ts'

export interface FleetCase {
  readonly name: string
  run(corner: Corner): Promise<void>
  /** Uses the controllers of all: not beside others. */
  readonly alone?: boolean
  /** How long it waits for one thing that it expects. */
  readonly patienceSeconds?: number
  /** Waits for more than 20 seconds of real time: played on real servers with `--long` only. */
  readonly isLong?: boolean
}

const after = (name: string) => ({ dependsOn: [{ id: name, module: { kind: 'Module', name } }] })

const messages = (i: Stored<Inventory>): string => (i.status?.blockers ?? []).map((b) => b.message).join('\n')

/** What an operator writes once it has looked at a resource. */
async function report(c: Corner, kind: Kind, o: Stored, status: string, reason: string): Promise<void> {
  const key = { namespace: c.namespace, name: o.metadata.name }
  const condition = { type: 'Ready', status, reason, message: `it says ${reason}` }
  const patch = { status: { observedGeneration: o.metadata.generation ?? 1, conditions: [condition] } }
  value(await c.c1.patch(kind, key, patch, { ...ANY, manager: 'operator', subresource: 'status' }))
}

/** base ← platform ← app, each with a ConfigMap and a Deployment. */
async function chain(c: Corner, version: number, names = ['base', 'platform', 'app']): Promise<void> {
  const needs: Record<string, object> = { base: {}, platform: after('base'), app: after('platform') }
  for (const name of names) {
    const objects = [
      config(name, c.namespace, { version: `v${version}` }),
      deployment(`${name}-d`, c.namespace, `${name}:v${version}`),
    ]
    await c.release(name, version, objects, needs[name])
  }
}

const order: readonly FleetCase[] = [
  {
    name: 'three chained modules: each is written only once what it needs is healthy',
    async run(c) {
      const recorder = await c.record()
      await chain(c, 1)
      await c.untilReady('app')
      await recorder.expectOrder('available base-d', 'created platform')
      await recorder.expectOrder('available platform-d', 'created app')
      const app = await c.untilReady('app')
      expect(condition(app, 'Ready')?.message).toBe('1 of 1 clusters ready')
      expect(app.status).toMatchObject({ release: 'v1', clusters: { total: 1, ready: 1, updated: 1 } })
    },
  },
  {
    name: 'a release written in the wrong order moves in the right one, and says what it waits for',
    async run(c) {
      await chain(c, 1)
      await c.untilReady('app')
      const recorder = await c.record()
      await chain(c, 2, ['app'])
      const { message } = await reasonOf(c, 'app', 'ReleaseMismatch')
      expect(message).toMatch(/platform.*v1.*v2|platform.*v2.*v1/)
      expect(
        value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'app' }, READ)).data,
      ).toEqual({
        version: 'v1',
      })
      await chain(c, 2, ['platform'])
      await chain(c, 2, ['base'])
      await c.untilReady('app')
      await recorder.expectOrder('changed base', 'changed platform')
      await recorder.expectOrder('available base-d', 'changed platform')
      await recorder.expectOrder('available platform-d', 'changed app')
    },
  },
  {
    name: 'while a module is blocked, what it has delivered is repaired after an edit and after a deletion',
    async run(c) {
      await chain(c, 1, ['base'])
      await c.release('app', 1, [config('app', c.namespace, { version: 'v1' })], after('base'))
      await c.untilReady('app')
      await c.release('app', 2, [config('app', c.namespace, { version: 'v2' })], after('base'))
      await reasonOf(c, 'app', 'ReleaseMismatch')
      const key = { namespace: c.namespace, name: 'app' }
      const edit = { ...ANY, manager: 'kubectl-edit' }
      value(await c.c1.patch(configMapKind, key, { data: { version: 'edited' } }, edit))
      await c.until(c.c1, configMapKind, 'app', 'repaired', (o) => o?.data?.version === 'v1')
      value(await c.c1.delete(configMapKind, key, ANY))
      await c.until(c.c1, configMapKind, 'app', 'there again', (o) => o?.data?.version === 'v1')
      await reasonOf(c, 'app', 'ReleaseMismatch')
    },
  },
  {
    name: 'what a new version no longer has is deleted, after the rest is healthy',
    async run(c) {
      const both = [config('kept', c.namespace, { v: '1' }), config('dropped', c.namespace, { v: '1' })]
      await c.release('base', 1, both)
      await c.untilReady('base')
      const recorder = await c.record()
      await c.release('base', 2, [
        config('kept', c.namespace, { v: '2' }),
        deployment('new', c.namespace, 'new:v2'),
      ])
      await c.untilReady('base')
      await c.untilGone(c.c1, configMapKind, 'dropped')
      await recorder.expectOrder('changed kept', 'deleted dropped')
      await recorder.expectOrder('available new', 'deleted dropped')
    },
  },
  {
    name: 'a definition and an object of its kind in one bundle: in order, without a refusal',
    async run(c) {
      const group = `${c.namespace}.x.test`
      await c.release('base', 1, [gadget(group, 'g', c.namespace, 3), definition(group)])
      const base = await c.untilReady('base')
      expect(base.status?.blockers ?? []).toEqual([])
      expect(
        value(await c.c1.get(gadgetKind(group), { namespace: c.namespace, name: 'g' }, READ)),
      ).toMatchObject({
        spec: { size: 3 },
      })
      await c.deleteModule('base')
      await c.untilGone(c.c1, crdKind, `gadgets.${group}`)
    },
  },
  {
    name: 'a custom resource that nobody reports on: healthy once it has settled, and then its dependant starts',
    async run(c) {
      const group = `${c.namespace}.x.test`
      // So long that it is also seen by a machine that is busy.
      const settled = { health: { settleSeconds: 10 } }
      await c.release('base', 1, [definition(group), gadget(group, 'g', c.namespace, 1)], settled)
      await c.release('app', 1, [config('app', c.namespace, {})], after('base'))
      const waits = await c.untilInventory('base', 'settling', (i) =>
        messages(i).includes('for a stable status'),
      )
      expect(messages(waits)).toContain(`Gadget ${c.namespace}/g: waiting`)
      const { metadata } = await c.until(c.c1, gadgetKind(group), 'g', 'there', (o) => o !== undefined)
      await c.untilReady('app')
      const app = value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'app' }, READ))
      const [from, to] = [metadata, app.metadata].map((m) => Date.parse(m.creationTimestamp))
      // Times of servers are whole seconds: ten seconds may look like nine.
      expect(to! - from!).toBeGreaterThanOrEqual(9000)
    },
  },
  {
    name: 'a custom resource with conditions: healthy once its operator says so, and then its dependant starts',
    async run(c) {
      const group = `${c.namespace}.x.test`
      const kind = gadgetKind(group)
      const patient = { health: { settleSeconds: 3600 } }
      await c.release('base', 1, [reporting(group), gadget(group, 'g', c.namespace, 1)], patient)
      await c.release('app', 1, [config('app', c.namespace, {})], after('base'))
      await c.untilInventory('base', 'settling', (i) => messages(i).includes('for a stable status'))
      const made = await c.until(c.c1, kind, 'g', 'there', (o) => o !== undefined)
      await report(c, kind, made, 'False', 'Provisioning')
      const told = await c.untilInventory('base', 'told', (i) => messages(i).includes('Provisioning'))
      expect(messages(told)).toContain(`Gadget ${c.namespace}/g: it says Provisioning`)
      await reasonOf(c, 'app', 'DependencyNotReady')
      const absent = await c.c1.get(configMapKind, { namespace: c.namespace, name: 'app' }, READ)
      expect(failure(absent).kind).toBe('NotFound')
      await report(c, kind, made, 'True', 'Provisioned')
      await c.untilReady('app')
    },
  },
  {
    name: 'sync waves: a later wave waits until the earlier one is healthy',
    async run(c) {
      const recorder = await c.record()
      await c.release('base', 1, [
        config('third', c.namespace, {}, 2),
        deployment('second', c.namespace, 'second:v1', 1),
        config('first', c.namespace, {}, -1),
      ])
      await c.untilReady('base')
      await recorder.expectOrder('created first', 'created second')
      await recorder.expectOrder('available second', 'created third')
    },
  },
  {
    name: 'a module with a Job is ready once the Job is complete',
    async run(c) {
      await c.release('base', 1, [job('migrate', c.namespace, 'migrate:v1')])
      const base = await c.untilReady('base')
      expect(base.status?.ready).toBe('1/1')
    },
  },
  {
    name: 'a module in the hub itself',
    async run(c) {
      await c.release(
        'base',
        1,
        [config('on-hub', c.namespace, { v: '1' }), deployment('hub-d', c.namespace, 'hub:v1')],
        {
          targets: { hub: true },
        },
      )
      await c.untilReady('base')
      const d = value(await c.hub.get(deploymentKind, { namespace: c.namespace, name: 'hub-d' }, READ))
      expect(d.metadata.labels).toMatchObject({ 'lockstep.dev/unit': `m.${c.namespace}.base` })
      await c.deleteModule('base')
      await c.untilGone(c.hub, deploymentKind, 'hub-d')
    },
  },
]

const failures: readonly FleetCase[] = [
  {
    name: 'a Deployment that does not get ready halts the release; its dependants keep the old one; a repair goes on',
    async run(c) {
      await chain(c, 1)
      await c.untilReady('app')
      const { world } = c.subject.c1
      const failure = { image: `broken-${c.namespace}`, outcome: 'ImagePull' } as const
      world.fail(failure)
      const broken = [
        config('base', c.namespace, { version: 'v2' }),
        deployment('base-d', c.namespace, `${failure.image}:v2`),
      ]
      await c.release('base', 2, broken, { health: { timeoutSeconds: 4 } })
      await chain(c, 2, ['platform'])
      const base = await c.untilModule('base', 'halted', (m) => m.status?.rollout?.phase === 'Halted')
      expect(condition(base, 'Stalled')?.status).toBe('True')
      expect(base.status?.rollout?.failed).toMatchObject([
        { cluster: 'c1', message: expect.stringContaining('base-d') },
      ])
      await c.untilModule('platform', 'blocked', (m) => (m.status?.clusters?.blocked ?? 0) === 1)
      expect(
        value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'platform' }, READ)).data,
      ).toEqual({
        version: 'v1',
      })
      world.heal(failure)
      await c.release('base', 3, [
        config('base', c.namespace, { version: 'v3' }),
        deployment('base-d', c.namespace, 'base:v3'),
      ])
      await chain(c, 3, ['platform', 'app'])
      await c.untilReady('app')
    },
  },
  {
    name: 'deleting modules: dependants first, then what they need; nothing is left',
    async run(c) {
      await chain(c, 1)
      await c.untilReady('app')
      const recorder = await c.record()
      for (const name of ['base', 'platform', 'app']) await c.deleteModule(name)
      await c.untilGone(c.c1, configMapKind, 'base')
      await recorder.expectOrder('deleted app', 'deleted platform')
      await recorder.expectOrder('deleted app-d', 'deleted platform')
      await recorder.expectOrder('deleted platform-d', 'deleted base')
    },
  },
  {
    name: 'controllers killed in the middle of a release: the next ones finish it',
    isLong: true,
    alone: true,
    async run(c) {
      await chain(c, 1)
      await c.until(c.c1, configMapKind, 'base', 'there', (o) => o !== undefined)
      c.controllers.kill()
      c.controllers.start()
      await c.untilReady('app')
      await chain(c, 2, ['app', 'platform', 'base'])
      await c.untilInventory('base', 'admitted', (i) => i.spec.admitted?.release === 'v2')
      c.controllers.kill()
      c.controllers.start()
      await c.untilReady('app')
      expect(
        value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'app' }, READ)).data,
      ).toEqual({
        version: 'v2',
      })
    },
  },
]

/** All cases, by topic. */
const groups: readonly (readonly FleetCase[])[] = [
  order,
  failures,
  deniedCases,
  rolloutCases,
  budgetCases,
  driftCases,
  handoverCases,
  changedHandsCases,
  hubDrillCases,
  refusalCases,
  gitCases,
  applicationCases,
  chartCases,
  packedCases,
  bundleCases,
  healthCases,
  hookCases,
  edgeCases,
  replaceCases,
  singleCases,
  stampCases,
  outsideCases,
  patternCases,
  platformCases,
  rehashCases,
  inventoryCases,
  leavingCases,
  thirdPartyCases,
  [...leaderCases, ...rollingUpdateCases],
  // One group: the short tier plays its first case.
  [...credentialCases, ...expiryCases, ...probeCases],
  clusterCases,
  bindingCases,
  whyCases,
]

export const fleetCases = groups.flat()

/** The first case of each group that neither waits long nor needs a fleet of its own in the short tier; all cases in the others. */
export const fleetCasesOfTier = rowsOfTier(
  groups.flatMap((cases, group) =>
    cases.filter((c) => TIER !== 'short' || !(c.isLong || c.alone)).map((c) => ({ c, group })),
  ),
  ({ group }) => `${group}`,
).map(({ c }) => c)
