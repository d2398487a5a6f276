/** Objects that change hands between Modules, and deletions of all Modules: no object is deleted and created again. */
import { expect } from 'vitest'
import { ANY, deploymentKind, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, crdKind, namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { inventoryKind, moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { inventoryName } from '../../packages/lockstep/src/deliver/plan/unitnames.ts'
import { config, definition, deployment, gadget, gadgetKind } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import { type Corner, condition } from './fleetsubject.ts'

const claimKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
})

const shop = (c: Corner) => [
  deployment('web', c.namespace, 'web:v1'),
  config('settings', c.namespace, { v: '1' }),
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: c.namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
]

const SHARED = [
  [deploymentKind, 'web'],
  [configMapKind, 'settings'],
  [claimKind, 'data'],
] as const

/** `uid unit` of each shared object. */
const holders = (c: Corner): Promise<string[]> =>
  Promise.all(
    SHARED.map(async ([kind, name]) => {
      const { metadata } = value(
        await c.c1.get(kind as never, { namespace: c.namespace, name }, READ),
      ) as never as {
        metadata: { uid: string; labels?: Record<string, string> }
      }
      return `${metadata.uid} ${metadata.labels?.[UNIT_LABEL]}`
    }),
  )

const heldBy = (before: readonly string[], c: Corner, module: string): string[] =>
  before.map((line) => `${line.split(' ')[0]} m.${c.namespace}.${module}`)

const ring = async (c: Corner, name: string): Promise<void> => {
  const key = { namespace: c.namespace, name: 'c1' }
  value(await c.hub.patch(secretKind, key, { metadata: { labels: { ring: name } } }, ANY))
}

const onRing = (name: string) => ({ targets: { clusterSelector: { matchLabels: { ring: name } } } })

const leaves = (c: Corner, module: string): Promise<void> =>
  c.untilGone(
    c.hub,
    inventoryKind,
    inventoryName({ kind: 'Module', namespace: c.namespace, name: module }, 'c1'),
  )

const deployed = (c: Corner, module: string) =>
  c.untilInventory(module, 'deployed', (i) => (i.spec.objects ?? []).some((o) => o.content !== ''))

export const changedHandsCases: readonly FleetCase[] = [
  {
    name: 'a label moves a cluster from one Module to another and back: the same objects; what only one of them has is deleted',
    async run(c) {
      await ring(c, 'blue')
      const own = config('own', c.namespace, { v: '1' })
      await c.release('shop-v1', 1, [...shop(c), own], onRing('blue'))
      await c.release('shop-v2', 1, shop(c), onRing('green'))
      await deployed(c, 'shop-v1')
      await c.until(c.c1, claimKind, 'data', 'created', (o) => o !== undefined)
      await c.until(c.c1, configMapKind, 'own', 'created', (o) => o !== undefined)
      const before = await holders(c)
      await ring(c, 'green')
      await leaves(c, 'shop-v1')
      await deployed(c, 'shop-v2')
      expect(await holders(c)).toEqual(heldBy(before, c, 'shop-v2'))
      await c.untilGone(c.c1, configMapKind, 'own')
      await ring(c, 'blue')
      await leaves(c, 'shop-v2')
      await c.until(c.c1, configMapKind, 'own', 'created again', (o) => o !== undefined)
      expect(await holders(c)).toEqual(heldBy(before, c, 'shop-v1'))
    },
  },
  {
    name: 'a Module is renamed: its successor waits, and gets the objects with the deletion; the last deletion deletes them',
    async run(c) {
      const objects = shop(c).slice(0, 2)
      await c.release('hello', 1, objects)
      await c.untilReady('hello')
      const before = (await c.until(c.c1, deploymentKind, 'web', 'there', (o) => o !== undefined)).metadata
        .uid
      await c.release('hello2', 1, objects)
      await c.untilModule('hello2', 'waiting', (m) => condition(m, 'Ready')?.reason === 'OwnedByAnother')
      await c.deleteModule('hello')
      await c.untilGone(c.hub, moduleKind, 'hello')
      await c.untilReady('hello2')
      const { metadata } = value(
        await c.c1.get(deploymentKind, { namespace: c.namespace, name: 'web' }, READ),
      )
      expect([metadata.uid, metadata.labels?.[UNIT_LABEL]]).toEqual([before, `m.${c.namespace}.hello2`])
      await c.deleteModule('hello2')
      await c.untilGone(c.c1, deploymentKind, 'web')
      await c.untilGone(c.hub, moduleKind, 'hello2')
    },
  },
  {
    name: 'a Namespace and the Module of its objects are deleted together: both are gone, without a restart',
    async run(c) {
      const space = `${c.namespace}-app`
      await c.release('base', 1, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: space } }])
      const many = Array.from({ length: 30 }, (_, i) => config(`m${i}`, space, { v: '1' }))
      await c.release('many', 1, many, {
        dependsOn: [{ id: 'base', module: { kind: 'Module', name: 'base' } }],
      })
      await c.untilReady('many')
      await c.deleteModule('base')
      await c.deleteModule('many')
      await c.untilGone(c.hub, moduleKind, 'many')
      await c.untilGone(c.hub, moduleKind, 'base')
      expect((await c.c1.get(namespaceKind, { name: space }, READ)).ok).toBe(false)
    },
  },
  {
    name: 'a definition is deleted before the Module of its objects: it is kept, and deleted after the last of them',
    async run(c) {
      const group = `${c.namespace}.example.com`
      const body = definition(group)
      await c.release('base', 1, [body])
      await c.untilReady('base')
      const gadgets = Array.from({ length: 5 }, (_, i) => gadget(group, `g${i}`, c.namespace, 1))
      await c.release('many', 1, gadgets)
      await c.untilReady('many')
      const crd = { name: body.metadata.name }
      const { uid } = value(await c.c1.get(crdKind, crd, READ)).metadata
      await c.deleteModule('base')
      await c.untilGone(c.hub, moduleKind, 'base')
      expect(value(await c.c1.get(crdKind, crd, READ)).metadata).toMatchObject({
        uid,
        labels: { [UNIT_LABEL]: `m.${c.namespace}.many` },
      })
      expect(
        value(await c.c1.list(gadgetKind(group), { ...READ, namespace: c.namespace })).items,
      ).toHaveLength(5)
      await c.deleteModule('many')
      await c.untilGone(c.hub, moduleKind, 'many')
      expect((await c.c1.get(crdKind, crd, READ)).ok).toBe(false)
    },
  },
  {
    name: 'a typo in a selector is not Ready, and names the label; allowed, it is',
    async run(c) {
      const targets = { clusterSelector: { matchLabels: { env: 'prd' } } }
      await c.release('shop', 1, [config('settings', c.namespace, { v: '1' })], { targets })
      const found = await c.untilModule(
        'shop',
        'told',
        (m) => condition(m, 'Ready')?.reason === 'SelectsNothing',
      )
      expect(condition(found, 'Ready')).toMatchObject({ status: 'False' })
      expect(condition(found, 'Ready')?.message).toMatch(/^0 of 1 clusters match env=prd/)
      await c.module('shop', {
        release: 'v1',
        source: { configMaps: [{ name: 'shop-v1' }] },
        targets: { ...targets, allowEmpty: true },
      })
      await c.untilReady('shop')
    },
  },
]
