/** Edges to objects and to other clusters, and checkpoints between modules. */
import { expect } from 'vitest'
import { READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { config } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { reasonOf } from './refusals.cases.ts'

const SOMEBODY = { ...WRITE, manager: 'somebody', precondition: 'any', force: true } as const

/** Somebody else's object on the cluster. */
async function put(c: Corner, name: string, phase: string, labels: object = {}): Promise<void> {
  const metadata = { name, namespace: c.namespace, labels }
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { phase } }
  value(await c.c1.apply(configMapKind, map as never, SOMEBODY))
}

const untilSaid = (c: Corner, module: string, text: string) =>
  c.untilModule(module, text, (m) => (m.status?.blockers ?? []).some((b) => b.message.includes(text)))

export const edgeCases: readonly FleetCase[] = [
  {
    name: 'an edge to an object opens when somebody makes it so',
    async run(c) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', name: 'storage', namespace: c.namespace }
      const dependsOn = [{ id: 'fast', object, readyExpr: "object.data.phase == 'fast'" }]
      await c.release('app', 1, [config('app', c.namespace, { v: '1' })], { dependsOn })
      await untilSaid(c, 'app', `waiting for ConfigMap ${c.namespace}/storage on c1: not found`)
      await put(c, 'storage', 'slow')
      await untilSaid(c, 'app', "object.data.phase == 'fast' is false")
      await put(c, 'storage', 'fast')
      await c.untilReady('app')
      const { spec } = await c.untilInventory('app', 'admitted', (i) => i.spec.admitted !== undefined)
      expect(spec.admitted!.evidence).toEqual([
        { edge: 'fast', uid: expect.any(String), resourceVersion: expect.any(String) },
      ])
    },
  },
  {
    name: 'a readyExpr that does not compile is refused with its place',
    async run(c) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', namespace: c.namespace }
      const dependsOn = [{ id: 'x', object, readyExpr: 'objekt.data == 1' }]
      await c.release('app', 1, [config('app', c.namespace, { v: '1' })], { dependsOn })
      const { message } = await reasonOf(c, 'app', 'InvalidExpression')
      expect(message).toMatch(/^spec\.dependsOn\[0\]\.readyExpr: 1:1: undeclared reference to 'objekt'/)
    },
  },
  {
    name: 'a checkpoint lets its dependants through once enough objects are ready, and looks again for another attempt',
    async run(c) {
      const entry = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: c.namespace,
        labels: { role: 'machine' },
        minCount: 2,
        current: "object.data.phase == 'Running'",
      }
      const checkpoint = (attempt: number) =>
        c.module('machines', {
          release: 'v1',
          attempt,
          source: { none: {} },
          health: { expressions: [entry] },
        })
      await checkpoint(0)
      await c.release('app', 1, [config('app', c.namespace, { v: '1' })], {
        dependsOn: [{ id: 'machines', module: { kind: 'Module', name: 'machines' } }],
      })
      await untilSaid(c, 'machines', '0 of at least 2 ConfigMaps')
      await put(c, 'one', 'Running', { role: 'machine' })
      await put(c, 'two', 'Running', { role: 'machine' })
      await c.untilReady('app')
      const version = async () =>
        value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'app' }, READ)).metadata
          .resourceVersion
      const before = await version()
      await checkpoint(1)
      const again = (module: string) =>
        c.untilInventory(module, 'verified again', (i) => {
          const { admitted } = i.spec
          const isVerified = i.status?.verifiedGateDigest === admitted?.gateDigest
          return admitted?.serial === 2 && i.status?.admittedSerial === 2 && isVerified
        })
      await again('machines')
      await again('app')
      expect(await version()).toBe(before)
    },
  },
  {
    name: 'a module of the hub counts for every cluster',
    async run(c) {
      await c.release('app', 1, [config('app', c.namespace, { v: '1' })], {
        dependsOn: [{ id: 'base', module: { kind: 'Module', name: 'base' } }],
      })
      await untilSaid(c, 'app', `waiting for Module ${c.namespace}/base: not found`)
      await c.release('base', 1, [config('base', c.namespace, { v: '1' })], { targets: { hub: true } })
      await c.untilReady('app')
      await c.deleteModule('base')
      await untilSaid(c, 'base', 'waiting for dependent app on c1 to be removed')
      await c.deleteModule('app')
      await c.untilGone(c.hub, moduleKind, 'base')
    },
  },
  {
    name: 'all go back to an earlier release: dependants first; what they rely on does not go alone',
    async run(c) {
      const publish = (name: string, n: number): Promise<void> =>
        c.release(name, n, [config(name, c.namespace, { v: String(n) })], {
          release: `r${n}`,
          ...(name === 'app'
            ? { dependsOn: [{ id: 'base', module: { kind: 'Module', name: 'base' } }] }
            : {}),
        })
      const at = (name: string, n: number) =>
        c.untilModule(name, `ready at r${n}`, (m) => {
          const ready = m.status?.conditions?.find((x) => x.type === 'Ready')
          return m.status?.release === `r${n}` && ready?.status === 'True'
        })
      for (const n of [1, 2]) {
        await publish('app', n)
        await publish('base', n)
        await at('base', n)
        await at('app', n)
      }
      await publish('base', 1)
      await untilSaid(c, 'base', 'dependent app on c1 requires base@r2')
      const version = async (name: string) =>
        Number(
          value(await c.c1.get(configMapKind, { namespace: c.namespace, name }, READ)).metadata
            .resourceVersion,
        )
      const before = await version('base')
      await publish('app', 1)
      await at('base', 1)
      await at('app', 1)
      expect(await version('app')).toBeGreaterThan(before)
      expect(await version('base')).toBeGreaterThan(await version('app'))
    },
  },
]
