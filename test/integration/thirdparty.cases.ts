/** Somebody else keeps an assemblage of a cluster beside that of modules. */
import { expect } from 'vitest'
import { ANY, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { short10 } from '../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import {
  type ExternalAssemblage,
  remoteAssemblageKind,
} from '../../packages/lockstep/src/api/kinds/remoteassemblage/columns.ts'
import { MANAGED_BY_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { config } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const KIND = remoteAssemblageKind as unknown as Kind<ExternalAssemblage>
const NAME = 'argo.c1'

interface Rec {
  readonly name: string
  readonly revision: string
  readonly bundle: string
}

/** Published for others. */
async function published(
  c: Corner,
  name: string,
  objects: readonly object[],
  more: object = {},
): Promise<Rec> {
  await c.release(name, 1, objects, { rollout: { strategy: 'External' }, ...more })
  const { status } = await c.untilModule(name, 'published', (m) => m.status?.bundle !== undefined)
  return { name, revision: status!.currentRevision!, bundle: status!.bundle! }
}

async function put(c: Corner, records: readonly Rec[]): Promise<void> {
  const body = {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'RemoteAssemblage',
    metadata: { name: NAME, namespace: c.namespace, labels: { [MANAGED_BY_LABEL]: 'argo' } },
    spec: {
      clusterRef: { kind: 'Secret', name: 'c1' },
      syncs: records.map((r) => ({ kind: 'AppGroup', ...r })),
    },
  }
  value(await c.hub.apply(KIND, body as never, { ...ANY, manager: 'argo', force: true }))
}

const until = (c: Corner, what: string, holds: (a: Stored<ExternalAssemblage>) => boolean) =>
  c.until(c.hub, KIND, NAME, what, (a) => a !== undefined && holds(a))

const said = (a: Stored<ExternalAssemblage>, name: string): string | undefined => {
  const s = a.status?.syncs?.find((x) => x.name === name)
  return s && [s.state, ...(s.blockers ?? []).slice(0, 1).map((b) => b.reason)].join(' ')
}

export const thirdPartyCases: readonly FleetCase[] = [
  {
    // What was announced and never came is waited for before its Inventory goes: half a minute.
    patienceSeconds: 90,
    name: "somebody else's assemblage: gated, delivered, its collisions refused, and emptied when it is deleted",
    isLong: true,
    async run(c) {
      await c.release('own', 1, [config('api', c.namespace, { by: 'own' })])
      await c.untilReady('own')
      const ours = value(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'api' }, READ))
      const needs = { dependsOn: [{ id: 'base', module: { kind: 'Module', name: 'base' } }] }
      const web = await published(c, 'web', [config('web', c.namespace, { by: 'argo' })], needs)
      const api = await published(c, 'api', [config('api', c.namespace, { by: 'argo' })])
      await put(c, [web, api])
      await until(c, 'waiting for base, and refused', (a) => {
        return (
          said(a, 'web') === 'Blocked DependencyMissing' && said(a, 'api') === 'Delivering OwnedByAnother'
        )
      })
      await c.release('base', 1, [config('base', c.namespace, { by: 'base' })])
      const ready = await until(c, 'delivered', (a) => said(a, 'web') === 'Ready')
      expect(ready.status?.syncs?.map((s) => short10(s.revision ?? ''))).toContain(short10(web.revision))
      const seen = async (name: string) =>
        value(await c.c1.get(configMapKind, { namespace: c.namespace, name }, READ))
      expect((await seen('web')).data).toEqual({ by: 'argo' })
      expect((await seen('api')).metadata.resourceVersion).toBe(ours.metadata.resourceVersion)
      expect(ready.metadata.managedFields?.map((f) => f.manager).sort()).toEqual(
        expect.not.arrayContaining([expect.stringContaining('lockstep-module-')]),
      )
      value(await c.hub.delete(KIND, { namespace: c.namespace, name: NAME }, ANY))
      await c.untilGone(c.hub, KIND, NAME)
      await c.untilGone(c.c1, configMapKind, 'web')
      expect((await seen('api')).data).toEqual({ by: 'own' })
      const left = value(await c.hub.list(inventoryKind, { ...READ, namespace: c.namespace }))
      expect(left.items.map((i) => i.spec.moduleRef.name).sort()).toEqual(['base', 'own'])
    },
  },
]
