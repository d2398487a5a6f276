/** What a cluster keeps of what it got, and a hub that knows less. */
import { expect } from 'vitest'
import { ANY, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { stampKey } from '../../packages/lockstep/src/deliver/step/stamp.ts'
import { config } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const keyOf = (c: Corner) => stampKey(`m.${c.namespace}.web`)
const stampOf = async (c: Corner) => value(await c.c1.get(configMapKind, keyOf(c), READ))

const deliver = async (c: Corner, version: number): Promise<void> => {
  await c.release('web', version, [config('web', c.namespace, { version: `v${version}` })])
}

export const stampCases: readonly FleetCase[] = [
  {
    name: 'the cluster keeps a stamp of each change of content, until the module has left it',
    async run(c) {
      await deliver(c, 1)
      await c.untilReady('web')
      const first = await stampOf(c)
      expect(first.data?.serial).toBe('1')
      await deliver(c, 2)
      await c.untilReady('web')
      expect((await stampOf(c)).data).toMatchObject({ serial: '2', inventory: first.data?.inventory })
      const inventory = await c.untilInventory('web', 'there', () => true)
      await c.deleteModule('web')
      await c.untilGone(c.hub, inventoryKind, inventory.metadata.name)
      const gone = await c.c1.get(configMapKind, keyOf(c), READ)
      expect(gone).toMatchObject({ ok: false, error: { kind: 'NotFound' } })
    },
  },
  {
    name: 'a stamp newer than the hub: nothing is written, until somebody has decided',
    async run(c) {
      await deliver(c, 1)
      await c.untilReady('web')
      const ahead = { data: { serial: '7' } }
      value(await c.c1.patch(configMapKind, keyOf(c), ahead, ANY))
      await deliver(c, 2)
      const held = await c.untilInventory(
        'web',
        'held',
        (i) => i.status?.blockers?.[0]?.reason === 'HubRestored',
      )
      expect(held.status?.blockers?.[0]?.message).toContain(
        'records admission 7, the restored hub knows 2; update the hub',
      )
      const web = { namespace: c.namespace, name: 'web' }
      expect(value(await c.c1.get(configMapKind, web, READ)).data).toEqual({ version: 'v1' })
      value(await c.c1.delete(configMapKind, keyOf(c), ANY))
      await deliver(c, 3)
      await c.until(c.c1, configMapKind, 'web', 'delivered', (o) => o?.data?.version === 'v3')
      expect((await stampOf(c)).data?.serial).toBe('3')
    },
  },
]
