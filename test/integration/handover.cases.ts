/** Objects that change hands as they are: one request, whatever a server adds to them. */
import { expect } from 'vitest'
import { ANY, deploymentKind, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { at, type JsonObject, type ManagedFieldsEntry } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { type Inventory, moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { INVENTORY_ANNOTATION, UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { deployment } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const see = async (c: Corner): Promise<Stored> =>
  value(await c.c1.get(deploymentKind, { namespace: c.namespace, name: 'web' }, READ))

const entryOf = (o: Stored, manager: string, operation: string): ManagedFieldsEntry | undefined =>
  o.metadata.managedFields?.find((f) => f.manager === manager && f.operation === operation && !f.subresource)

const fieldsOf = (o: Stored, manager: string, operation: string): JsonObject =>
  (entryOf(o, manager, operation)?.fieldsV1 ?? {}) as JsonObject

/** A Deployment's generation counts changes of annotations (apiserver `deployment/strategy.go`): our marks are one. */
function expectSameContent(now: Stored, before: Stored): void {
  expect(now.metadata.uid).toBe(before.metadata.uid)
  expect(at(now, 'spec')).toEqual(at(before, 'spec'))
  expect(now.metadata.generation).toBe((before.metadata.generation ?? 0) + 1)
}

/** Our marks came with the patch that moved the owners, and no apply has been sent since: it would have them, too. */
function expectOneRequest(o: Stored): void {
  const marks = { [`f:${INVENTORY_ANNOTATION}`]: {} }
  expect(at(fieldsOf(o, 'lockstep', 'Update'), 'f:metadata', 'f:annotations')).toMatchObject(marks)
  expect(at(fieldsOf(o, 'lockstep', 'Update'), 'f:spec')).toBeUndefined()
  const ours = fieldsOf(o, 'lockstep', 'Apply')
  expect(at(ours, 'f:metadata', 'f:annotations', `f:${INVENTORY_ANNOTATION}`)).toBeUndefined()
  const container = at(ours, 'f:spec', 'f:template', 'f:spec', 'f:containers', 'k:{"name":"main"}')
  expect(container).toMatchObject({ '.': {}, 'f:image': {}, 'f:name': {} })
}

export const handoverCases: readonly FleetCase[] = [
  {
    name: 'what a program named manager has made as it is wanted: one request, the same content; what leaves the manifest later goes',
    async run(c) {
      const d = deployment('web', c.namespace, 'web:v1')
      const made = { ...d, spec: { ...d.spec, minReadySeconds: 1 } }
      const by = { ...ANY, manager: 'manager' }
      value(await c.c1.create(deploymentKind, made, { purpose: 'user', manager: 'manager' }))
      const key = { namespace: c.namespace, name: 'web' }
      value(await c.c1.patch(deploymentKind, key, { spec: { progressDeadlineSeconds: 99 } }, by))
      const before = await see(c)
      const apply = { apply: { adoptFrom: ['manager'] } }
      await c.release('base', 1, [made], apply)
      await c.untilReady('base')
      const live = await see(c)
      expectSameContent(live, before)
      expect(live.metadata.labels?.[UNIT_LABEL]).toBe(`m.${c.namespace}.base`)
      expectOneRequest(live)
      expect(at(fieldsOf(live, 'manager', 'Update'), 'f:spec')).toMatchObject({
        'f:progressDeadlineSeconds': {},
      })
      for (const field of ['f:minReadySeconds', 'f:replicas', 'f:selector'])
        expect(at(fieldsOf(live, 'manager', 'Update'), 'f:spec', field)).toBeUndefined()
      await c.release('base', 2, [d], apply)
      await c.untilReady('base')
      const now = await see(c)
      expect(at(now, 'spec', 'minReadySeconds') ?? 0).toBe(0)
      expect(at(now, 'spec', 'progressDeadlineSeconds')).toBe(99)
    },
  },
  {
    name: 'from one module to another: one request, the same content, and the former one lets it be, to its end',
    async run(c) {
      const d = deployment('web', c.namespace, 'web:v1')
      await c.release('first', 1, [d])
      await c.untilReady('first')
      const before = await see(c)
      await c.release('second', 1, [d], { apply: { takeOverFrom: [{ kind: 'Module', name: 'first' }] } })
      await c.untilReady('second')
      const live = await see(c)
      expectSameContent(live, before)
      expect(live.metadata.labels?.[UNIT_LABEL]).toBe(`m.${c.namespace}.second`)
      expectOneRequest(live)
      const handedOver = (o: Stored<Inventory>) => o.status?.conditions?.find((x) => x.type === 'HandedOver')
      const told = await c.untilInventory('first', 'told', (o) => handedOver(o) !== undefined)
      expect(handedOver(told)?.message).toMatch(/^1 object on c1 is owned by second /)
      await c.untilReady('first')
      await c.deleteModule('first')
      await c.untilGone(c.hub, moduleKind, 'first')
      expect((await see(c)).metadata).toMatchObject({
        uid: live.metadata.uid,
        generation: live.metadata.generation,
        labels: live.metadata.labels,
      })
    },
  },
]
