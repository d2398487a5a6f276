/** Health by expressions in CEL: what is said of objects of the bundle, and what is refused before it is. */
import { expect } from 'vitest'
import { ANY, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import type { JsonObject } from '../../packages/kube/src/object/index.ts'
import { defineKind, type Stored } from '../../packages/kube/src/object/kind.ts'
import { config, gadget, gadgetKind, reporting } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { reasonOf } from './refusals.cases.ts'

async function withGadgets(c: Corner): Promise<string> {
  const group = `${c.namespace}.x.test`
  await c.release('kinds', 1, [reporting(group)])
  await c.untilReady('kinds')
  return group
}

/** What an operator writes into the status. */
async function report(c: Corner, group: string, name: string, status: JsonObject): Promise<void> {
  const key = { namespace: c.namespace, name }
  const how = { ...ANY, manager: 'operator', subresource: 'status' } as const
  value(await c.c1.patch(gadgetKind(group), key, { status }, how))
}

/** The unit once it says this of what it waits for. */
const untilSaid = (c: Corner, module: string, text: string) =>
  c.untilInventory(module, text, (i) => (i.status?.blockers ?? []).some((b) => b.message.includes(text)))

const phase = (group: string, more: object = {}) => ({
  health: {
    expressions: [
      {
        apiVersion: `${group}/v1`,
        kind: 'Gadget',
        inProgress: "has(status.phase) && status.phase == 'Creating'",
        failed: "status.phase == 'Broken'",
        current: "status.phase == 'Up'",
        ...more,
      },
    ],
  },
})

const ingressKind = defineKind({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  namespaced: true,
})
const ingress = (namespace: string): JsonObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'edge', namespace },
  spec: { defaultBackend: { service: { name: 'edge', port: { number: 80 } } } },
})

export const healthCases: readonly FleetCase[] = [
  {
    name: 'a profile decides what counts as healthy: with that of Argo CD an Ingress needs an address',
    async run(c) {
      await c.release('app', 1, [ingress(c.namespace)], { health: { profile: 'Argo' } })
      await untilSaid(c, 'app', 'no address yet')
      const status = { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } }
      const how = { ...ANY, manager: 'operator', subresource: 'status' } as const
      value(await c.c1.patch(ingressKind, { namespace: c.namespace, name: 'edge' }, { status }, how))
      await c.untilReady('app')
      await c.release('other', 1, [
        { ...ingress(c.namespace), metadata: { name: 'b', namespace: c.namespace } },
      ])
      await c.untilReady('other')
    },
  },
  {
    name: 'an expression says when an object is ready, failed, or neither; a neighbour does not wait',
    async run(c) {
      const group = await withGadgets(c)
      await c.release('app', 1, [gadget(group, 'g', c.namespace, 1)], phase(group))
      await c.release('beside', 1, [config('beside', c.namespace, { v: '1' })])
      await untilSaid(c, 'app', 'spec.health.expressions[0].inProgress: no such attribute(s): status')
      await c.untilReady('beside')
      await report(c, group, 'g', { phase: 'Creating' })
      await untilSaid(c, 'app', 'spec.health.expressions[0].inProgress is true')
      await report(c, group, 'g', { phase: 'Broken' })
      await untilSaid(c, 'app', 'spec.health.expressions[0].failed is true')
      await report(c, group, 'g', { phase: 'Up' })
      await c.untilReady('app')
    },
  },
  {
    name: 'an expression that errs is Unknown: the unit waits and says why, and goes on once it does not',
    async run(c) {
      const group = await withGadgets(c)
      const spec = phase(group, { inProgress: 'false', failed: 'false', current: 'status.deep.down == 1' })
      await c.release('app', 1, [gadget(group, 'g', c.namespace, 1)], spec)
      await untilSaid(c, 'app', 'no such attribute(s): status')
      await report(c, group, 'g', { phase: 'Up' })
      await untilSaid(c, 'app', 'spec.health.expressions[0].current: no such key: deep')
      await report(c, group, 'g', { deep: { down: 1 } })
      await c.untilReady('app')
    },
  },
  {
    name: 'an expression that does not compile is refused with its place; what was published stays',
    async run(c) {
      const group = await withGadgets(c)
      await c.release('app', 1, [config('a', c.namespace, { v: '1' })])
      await c.untilReady('app')
      await c.release('app', 2, [config('a', c.namespace, { v: '2' })], phase(group, { failed: 'statsu.x' }))
      const { message } = await reasonOf(c, 'app', 'InvalidExpression')
      expect(message).toContain("spec.health.expressions[0].failed: 1:1: undeclared reference to 'statsu'")
      const live: Stored = value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'a' }, READ))
      expect(live).toMatchObject({ data: { v: '1' } })
    },
  },
  {
    name: 'an expression sees what a ConfigMap holds',
    async run(c) {
      const expressions = [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'gate', current: "data.open == 'yes'" },
      ]
      const objects = [config('gate', c.namespace, { open: 'no' }), config('other', c.namespace, {})]
      await c.release('app', 1, objects, { health: { expressions } })
      await untilSaid(c, 'app', 'gate: spec.health.expressions[0].current is false')
      await c.release('app', 2, [config('gate', c.namespace, { open: 'yes' })], { health: { expressions } })
      await c.untilReady('app')
    },
  },
  {
    name: 'an object has to stay ready for as long as its expression says',
    async run(c) {
      const group = await withGadgets(c)
      // So long that it is also seen by a machine that is busy.
      const spec = phase(group, { inProgress: 'false', failed: 'false', settleSeconds: 10 })
      await c.release('app', 1, [gadget(group, 'g', c.namespace, 1)], spec)
      await untilSaid(c, 'app', 'no such attribute(s): status')
      await report(c, group, 'g', { phase: 'Up', observedGeneration: 1 })
      await untilSaid(c, 'app', 'for a stable status')
      await report(c, group, 'g', { phase: 'Down' })
      await untilSaid(c, 'app', 'spec.health.expressions[0].current is false')
      await report(c, group, 'g', { phase: 'Up' })
      await c.untilReady('app')
    },
  },
]
