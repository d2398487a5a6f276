/** Single objects: how they are written, and what becomes of them when they are to go. */
import { expect } from 'vitest'
import { ANY, deploymentKind, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { at, type JsonValue } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { INVENTORY_ANNOTATION, UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { config, deployment } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { unitReasonOf } from './refusals.cases.ts'

const MODE = 'lockstep.dev/apply'
const OPTIONS = 'argocd.argoproj.io/sync-options'

type Manifest = ReturnType<typeof config> | ReturnType<typeof deployment>

const said = (o: Manifest, key: string, word: string) => ({
  ...o,
  metadata: { ...o.metadata, annotations: { [key]: word } },
})

const stays = (c: Corner) => config('stays', c.namespace, {})

const see = async (c: Corner, name: string): Promise<Stored> =>
  value(await c.c1.get(configMapKind, { namespace: c.namespace, name }, READ))

const edit = async (c: Corner, name: string, patch: JsonValue): Promise<Stored> =>
  value(await c.c1.patch(configMapKind, { namespace: c.namespace, name }, patch, ANY))

const marks = (o: Stored): unknown[] => [
  o.metadata.labels?.[UNIT_LABEL],
  o.metadata.annotations?.[INVENTORY_ANNOTATION],
]

/** Names in the Inventory, once they are these. */
const untilListed = (c: Corner, names: string): Promise<unknown> =>
  c.untilInventory('base', `listing ${names}`, (i) => {
    const found = (i.spec.objects ?? []).map((o) => o.name).sort()
    return found.join() === names
  })

const modes: readonly FleetCase[] = [
  {
    name: 'mode Observe: waits for an object of somebody else, counts its health, and leaves it alone',
    async run(c) {
      await c.release('base', 1, [said(deployment('d', c.namespace, 'ours'), MODE, 'Observe')])
      expect(await unitReasonOf(c, 'base', 'WaitingForObject')).toMatch(
        /^Deployment .*\/d does not exist, and its mode is Observe/,
      )
      const made = value(
        await c.c1.create(deploymentKind, deployment('d', c.namespace, 'd:v1') as never, WRITE),
      )
      await c.untilReady('base')
      const key = { namespace: c.namespace, name: 'd' }
      const live = value(await c.c1.get(deploymentKind, key, READ))
      expect([live.metadata.generation, ...marks(live)]).toEqual([
        made.metadata.generation,
        undefined,
        undefined,
      ])
      await c.deleteModule('base')
      await c.untilGone(c.hub, moduleKind, 'base')
      value(await c.c1.get(deploymentKind, key, READ))
    },
  },
  {
    name: 'mode IfNotPresent: what is there is left as it is; what is missing is created, and pruned',
    async run(c) {
      value(await c.c1.create(configMapKind, config('x', c.namespace, { by: 'them' }), WRITE))
      await c.release('base', 1, [
        said(config('x', c.namespace, { by: 'us' }), MODE, 'IfNotPresent'),
        said(config('y', c.namespace, { by: 'us' }), MODE, 'IfNotPresent'),
        stays(c),
      ])
      await c.untilReady('base')
      await untilListed(c, 'stays,y')
      const x = await see(c, 'x')
      expect([x.data, ...marks(x)]).toEqual([{ by: 'them' }, undefined, undefined])
      await edit(c, 'y', { data: { by: 'edit' } })
      await c.release('base', 2, [stays(c)])
      await c.untilReady('base')
      await c.untilGone(c.c1, configMapKind, 'y')
      expect((await see(c, 'x')).data).toEqual({ by: 'them' })
    },
  },
  {
    name: 'mode Replace: the whole is put, and put again when somebody changes it; then Override removes what goes',
    async run(c) {
      const put = (data: Record<string, string>) => said(config('x', c.namespace, data), MODE, 'Replace')
      await c.release('base', 1, [put({ a: '1', b: '1' })])
      await c.untilReady('base')
      const { uid } = (await see(c, 'x')).metadata
      await edit(c, 'x', { data: { added: 'by them' }, metadata: { finalizers: ['lockstep.test/hold'] } })
      await c.release('base', 2, [put({ a: '2', b: '2' })])
      await c.untilReady('base')
      const after = await see(c, 'x')
      expect([after.data, after.metadata.uid, after.metadata.finalizers]).toEqual([
        { a: '2', b: '2' },
        uid,
        ['lockstep.test/hold'],
      ])
      await edit(c, 'x', { data: { a: 'edited' }, metadata: { finalizers: null } })
      await c.until(c.c1, configMapKind, 'x', 'repaired', (o) => at(o, 'data', 'a') === '2')
      await c.release('base', 3, [config('x', c.namespace, { a: '3' })])
      await c.untilReady('base')
      expect((await see(c, 'x')).data).toEqual({ a: '3' })
    },
  },
  {
    name: 'mode Merge: an adopted object keeps what its manifest lacks; Override takes it off',
    async run(c) {
      const kubectl = { ...WRITE, manager: 'kubectl-client-side-apply' }
      for (const name of ['x', 'y'])
        value(await c.c1.create(configMapKind, config(name, c.namespace, { old: '1', a: '0' }), kubectl))
      await c.release('base', 1, [
        said(config('x', c.namespace, { a: '1' }), MODE, 'Merge'),
        config('y', c.namespace, { a: '1' }),
      ])
      await c.untilReady('base')
      expect((await see(c, 'x')).data).toEqual({ old: '1', a: '1' })
      expect((await see(c, 'y')).data).toEqual({ a: '1' })
    },
  },
  {
    name: 'Override, then Observe: our marks go, the object stays, also when the unit leaves',
    async run(c) {
      await c.release('base', 1, [config('x', c.namespace, { v: '1' }), stays(c)])
      await c.untilReady('base')
      await c.release('base', 2, [said(config('x', c.namespace, { v: '2' }), MODE, 'Observe'), stays(c)])
      await c.untilReady('base')
      await untilListed(c, 'stays')
      await c.deleteModule('base')
      await c.untilGone(c.c1, configMapKind, 'stays')
      const x = await see(c, 'x')
      expect([x.data, ...marks(x)]).toEqual([{ v: '1' }, undefined, undefined])
    },
  },
]

const leaving: readonly FleetCase[] = [
  {
    name: 'Prune=false, taken out of the source with its annotation: kept without our marks, and told of',
    async run(c) {
      await c.release('base', 1, [
        said(config('x', c.namespace, { v: '1' }), OPTIONS, 'Prune=false'),
        stays(c),
      ])
      await c.untilReady('base')
      await edit(c, 'x', { metadata: { annotations: { [OPTIONS]: null } } })
      await c.release('base', 2, [stays(c)], { apply: { drift: 'Ignore' } })
      await c.untilReady('base')
      await untilListed(c, 'stays')
      await c.untilEvent('Orphaned', `ConfigMap ${c.namespace}/x: kept on c1`)
      const x = await see(c, 'x')
      expect([x.data, ...marks(x)]).toEqual([{ v: '1' }, undefined, undefined])
    },
  },
  {
    name: 'Prune=confirm: stays until somebody has deleted it; the blocker says how',
    async run(c) {
      await c.release('base', 1, [said(config('x', c.namespace, {}), OPTIONS, 'Prune=confirm'), stays(c)])
      await c.untilReady('base')
      await c.release('base', 2, [stays(c)])
      const message = await unitReasonOf(c, 'base', 'PruneConfirmation')
      expect(message).toContain(`kubectl delete configmap x -n ${c.namespace}`)
      value(await c.c1.delete(configMapKind, { namespace: c.namespace, name: 'x' }, ANY))
      await c.untilReady('base')
      await untilListed(c, 'stays')
    },
  },
]

const tried: readonly FleetCase[] = [
  {
    name: 'dry runs of all changes: a refusal keeps the rest of the unit as it was',
    async run(c) {
      const service = (port: number) => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's', namespace: c.namespace },
        spec: { selector: { app: 's' }, ports: [{ port }] },
      })
      await c.release('base', 1, [config('x', c.namespace, { v: '1' }), service(80)])
      await c.untilReady('base')
      const updates = { apply: { dryRun: 'Updates' } }
      await c.release('base', 2, [config('x', c.namespace, { v: '2' }), service(99_999)], updates)
      expect(await unitReasonOf(c, 'base', 'ApplyFailed')).toMatch(/^Service .*\/s: spec\.ports\[0\]\.port: /)
      expect((await see(c, 'x')).data).toEqual({ v: '1' })
      await c.release('base', 3, [config('x', c.namespace, { v: '3' }), service(81)])
      await c.untilReady('base')
      expect((await see(c, 'x')).data).toEqual({ v: '3' })
    },
  },
]

export const singleCases: readonly FleetCase[] = [...modes, ...leaving, ...tried]
