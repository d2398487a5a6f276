/** A hub is destroyed. What Git has is applied to another one, and a person takes the units over (tenancy 16). */
import { expect } from 'vitest'
import { deploymentKind, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { configMapKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import { inventoryKind, type Module } from '../../packages/lockstep/src/api/kinds/index.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { inventoryName } from '../../packages/lockstep/src/deliver/plan/unitnames.ts'
import { adoptUnits } from '../fleet/adoptmarks.ts'
import { config, deployment } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const MODULES = Array.from({ length: 8 }, (_, i) => `app-${i}`)
const CLUSTERS = ['c1', 'c2'] as const
const KINDS: readonly Kind[] = [configMapKind, deploymentKind]

async function applyAll(c: Corner): Promise<void> {
  const targets = { clusters: [...CLUSTERS] }
  for (const name of MODULES)
    await c.release(
      name,
      1,
      [
        config(name, c.namespace, { v: '1' }),
        config(`${name}-more`, c.namespace, { v: '1' }),
        deployment(name, c.namespace, 'web:v1'),
      ],
      { targets },
    )
}

const allReady = async (c: Corner): Promise<void> => {
  for (const name of MODULES) await c.untilReady(name)
}

/** Marked objects without their marks: uid and content. */
async function contentsOf(c: Corner, client: KubeClient): Promise<object[]> {
  const scope = { ...READ, namespace: c.namespace, labelSelector: UNIT_LABEL }
  const found = await Promise.all(KINDS.map(async (kind) => value(await client.list(kind, scope)).items))
  return found.flat().map(({ metadata: { name, uid }, ...content }) => ({
    ...content,
    status: undefined,
    name,
    uid,
  }))
}

/** On the first cluster of its rollout: the other one starts after it. */
const isRefused = ({ status }: Stored<Module>): boolean =>
  status?.blockers?.some((b) => b.reason === 'OwnedByAnotherHub') === true

const unitOf = (c: Corner, name: string) => ({ kind: 'Module', namespace: c.namespace, name }) as const

async function adoptAll(c: Corner, name: (typeof CLUSTERS)[number], fromHub: string): Promise<void> {
  const inventories = value(await c.hub.list(inventoryKind, { ...READ, namespace: c.namespace })).items
  const units = MODULES.map((module) => {
    const ref = unitOf(c, module)
    return {
      ref,
      cluster: name,
      inventory: inventories.find((i) => i.metadata.name === inventoryName(ref, name)),
    }
  })
  const { env } = c.subject
  const adopted = await adoptUnits({ env, hub: c.hub, cluster: c.subject[name].client, fromHub }, units)
  expect(adopted).toEqual(MODULES.map(() => 3))
}

export const hubDrillCases: readonly FleetCase[] = [
  {
    name: 'a new hub takes over 8 Modules on 2 clusters of a destroyed one: no delete, no content written',
    isLong: true,
    async run(c) {
      const c2 = await c.joinSecond()
      const lost = await c.underOtherHub()
      lost.controllers.start()
      await applyAll(lost)
      await allReady(lost)
      const uid = value(await lost.hub.get(namespaceKind, { name: 'kube-system' }, READ)).metadata.uid
      lost.controllers.kill()
      await lost.subject.stop()
      const contents = () => Promise.all([contentsOf(c, c.c1), contentsOf(c, c2)])
      const before = await contents()
      expect(before.map((objects) => objects.length)).toEqual([24, 24])
      await applyAll(c)
      for (const name of MODULES) await c.untilModule(name, 'refused', isRefused)
      expect(await contents()).toEqual(before)
      for (const name of CLUSTERS) await adoptAll(c, name, uid)
      await allReady(c)
      expect(await contents()).toEqual(before)
    },
  },
]
