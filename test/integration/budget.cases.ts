/** DisruptionBudgets: one limit over two modules. */
import { expect } from 'vitest'
import { READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import {
  type DisruptionBudget,
  disruptionBudgetKind,
} from '../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { config, deployment } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const FORCE = { ...WRITE, precondition: 'any', force: true } as const
const BOTH = {
  targets: { clusters: ['c1', 'c2'] },
  rollout: { strategy: 'Replace' },
  health: { timeoutSeconds: 5 },
}

const budget = (c: Corner, spec: object): DisruptionBudget => ({
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'DisruptionBudget',
  metadata: { name: 'all', namespace: c.namespace },
  spec: { clusterSelector: {}, ...spec },
})

const untilBudget = (c: Corner, what: string, holds: (b: Stored<DisruptionBudget>) => boolean) =>
  c.until(c.hub, disruptionBudgetKind, 'all', what, (b) => b !== undefined && holds(b))

const waitsFor = (m: Stored<Module>): string | undefined =>
  m.status?.blockers?.find((b) => b.reason === 'DisruptionBudget')?.message

export const budgetCases: readonly FleetCase[] = [
  {
    name: 'a DisruptionBudget: what one module has broken keeps the other one from a second cluster, until it is well',
    async run(c) {
      const c2 = await c.joinSecond()
      const spec = { maxUnavailable: 1 }
      value(await c.hub.apply(disruptionBudgetKind, budget(c, spec), FORCE))
      await untilBudget(c, 'counting', (b) => b.status?.use === '0/1' && b.status.clusters === 2)
      const bad = `${c.namespace}:1`
      const failure = { image: bad, outcome: 'ImagePull' } as const
      c.subject.c1.world.fail(failure)
      c.subject.c2.world.fail(failure)
      await c.release('web', 1, [deployment('web', c.namespace, bad)], BOTH)
      const full = await untilBudget(c, 'full', (b) => b.status?.use === '1/1')
      const first = full.status!.ledger![0]!.cluster
      await c.release('db', 1, [config('db', c.namespace, { v: '1' })], BOTH)
      // Where it is down already it costs nothing.
      const waiting = await c.untilModule(
        'db',
        'on one cluster',
        (m) => m.status?.clusters?.ready === 1 && waitsFor(m) !== undefined,
      )
      expect(waitsFor(waiting)).toBe(`DisruptionBudget all 1/1 (${first}) reached: 1 cluster queued`)
      c.subject.c1.world.heal(failure)
      c.subject.c2.world.heal(failure)
      await c.untilReady('db')
      const free = await untilBudget(c, 'free', (b) => b.status?.use === '0/1')
      expect(free.status).not.toHaveProperty('ledger')
      expect(free.status?.conditions?.find((x) => x.type === 'Ready')?.status).toBe('True')
      const key = { namespace: c.namespace, name: 'db' }
      for (const client of [c.c1, c2])
        expect(value(await client.get(configMapKind, key, READ)).data).toEqual({ v: '1' })
    },
  },
  {
    name: 'a DisruptionBudget that says two things, or nothing, is refused',
    async run(c) {
      for (const spec of [
        { maxUnavailable: 1, minAvailable: 1 },
        {},
        { maxUnavailable: 0 },
        { minAvailable: '100%' },
      ]) {
        const made = await c.hub.create(disruptionBudgetKind, budget(c, spec), WRITE)
        expect([spec, !made.ok && made.error.kind]).toEqual([spec, 'Invalid'])
      }
    },
  },
]
