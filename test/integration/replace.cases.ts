/** Changes that a server does not allow, and kinds that go away by themselves. */
import { expect } from 'vitest'
import { ANY, deploymentKind, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, crdKind } from '../../packages/kube/src/kinds/types.ts'
import { at, identityOf, type JsonValue } from '../../packages/kube/src/object/index.ts'
import { defineKind, type Kind, type Stored } from '../../packages/kube/src/object/kind.ts'
import { NONCE_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { config, definition, deployment, gadget, gadgetKind } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { unitReasonOf } from './refusals.cases.ts'

const REPLACE = { apply: { replaceImmutable: true } }
const FINALIZER = 'lockstep.test/hold'

const core = (kind: string, plural: string): Kind =>
  defineKind({ group: '', version: 'v1', kind, plural, namespaced: true })
const serviceKind = core('Service', 'services')
const claimKind = core('PersistentVolumeClaim', 'persistentvolumeclaims')

const see = async (c: Corner, kind: Kind, name: string): Promise<Stored> =>
  value(await c.c1.get(kind, { namespace: c.namespace, name }, READ))

const edit = async (c: Corner, kind: Kind, name: string, patch: JsonValue): Promise<Stored> =>
  value(await c.c1.patch(kind, { namespace: c.namespace, name }, patch, ANY))

const selecting = (c: Corner, app: string) => {
  const d = deployment('d', c.namespace, 'd:v1')
  const template = { ...d.spec.template, metadata: { labels: { app } } }
  return { ...d, spec: { ...d.spec, selector: { matchLabels: { app } }, template } }
}

const service = (c: Corner, port: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: c.namespace },
  spec: { selector: { app: 's' }, ports: [{ port }] },
})

const claim = (c: Corner, accessMode: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'p', namespace: c.namespace },
  spec: {
    accessModes: [accessMode],
    storageClassName: 'nobody',
    resources: { requests: { storage: '1Gi' } },
  },
})

const sealed = (c: Corner, v: string) => ({ ...config('x', c.namespace, { v }), immutable: true })

/** The object is on its way out, announced, and whoever deleted it is dead. */
async function betweenDeleteAndCreate(c: Corner): Promise<string> {
  await c.release('base', 1, [sealed(c, '1')], REPLACE)
  await c.untilReady('base')
  await edit(c, configMapKind, 'x', { metadata: { finalizers: [FINALIZER] } })
  await c.release('base', 2, [sealed(c, '2')], REPLACE)
  await c.until(c.c1, configMapKind, 'x', 'deleted', (o) => o?.metadata.deletionTimestamp !== undefined)
  const { spec } = await c.untilInventory('base', 'announced', (i) => i.spec.intents !== undefined)
  c.controllers.kill()
  await edit(c, configMapKind, 'x', { metadata: { finalizers: null } })
  await c.untilGone(c.c1, configMapKind, 'x')
  const id = identityOf({ group: '', kind: 'ConfigMap', namespace: c.namespace, name: 'x' })
  return spec.intents!.find((i) => identityOf(i) === id)!.nonce
}

const replaced: readonly FleetCase[] = [
  {
    name: 'replaceImmutable: a selector that changes has its Deployment made anew, once',
    async run(c) {
      await c.release('base', 1, [selecting(c, 'one')], REPLACE)
      await c.untilReady('base')
      const before = await see(c, deploymentKind, 'd')
      await c.release('base', 2, [selecting(c, 'two')], REPLACE)
      await c.untilReady('base')
      const after = await see(c, deploymentKind, 'd')
      expect(after.metadata.uid).not.toBe(before.metadata.uid)
      expect(at(after, 'spec', 'selector', 'matchLabels', 'app')).toBe('two')
      await c.release('base', 3, [selecting(c, 'two'), config('beside', c.namespace, {})], REPLACE)
      await c.untilReady('base')
      expect((await see(c, deploymentKind, 'd')).metadata.uid).toBe(after.metadata.uid)
    },
  },
  {
    name: 'replaceImmutable: what is refused for another reason is left alone, with the words of the server',
    async run(c) {
      await c.release('base', 1, [service(c, 80)], REPLACE)
      await c.untilReady('base')
      const before = await see(c, serviceKind, 's')
      await c.release('base', 2, [service(c, 99_999)], REPLACE)
      const message = await unitReasonOf(c, 'base', 'ApplyFailed')
      expect(message).toMatch(
        /^Service .*\/s: spec\.ports\[0\]\.port: Invalid value: 99999: must be between 1 and 65535/,
      )
      const { uid, resourceVersion } = (await see(c, serviceKind, 's')).metadata
      expect([uid, resourceVersion]).toEqual([before.metadata.uid, before.metadata.resourceVersion])
    },
  },
  {
    name: 'replaceImmutable: what holds data is not deleted: ReplaceRefused',
    async run(c) {
      await c.release('base', 1, [claim(c, 'ReadWriteOnce')], REPLACE)
      const { metadata } = await c.until(c.c1, claimKind, 'p', 'there', (o) => o !== undefined)
      await c.release('base', 2, [claim(c, 'ReadWriteMany')], REPLACE)
      const message = await unitReasonOf(c, 'base', 'ReplaceRefused')
      expect(message).toMatch(
        /^PersistentVolumeClaim .*\/p: spec: .*is immutable after creation.*it holds data/s,
      )
      const { uid, deletionTimestamp } = (await see(c, claimKind, 'p')).metadata
      expect([uid, deletionTimestamp]).toEqual([metadata.uid, undefined])
    },
  },
  {
    name: 'replaceImmutable: killed between delete and create, it is created with the nonce that was announced',
    alone: true,
    async run(c) {
      const nonce = await betweenDeleteAndCreate(c)
      c.controllers.start()
      const made = await c.until(c.c1, configMapKind, 'x', 'made anew', (o) => o !== undefined)
      expect([made.data, made.metadata.annotations?.[NONCE_ANNOTATION]]).toEqual([{ v: '2' }, nonce])
      await c.untilReady('base')
    },
  },
  {
    name: 'replaceImmutable: an object of its name that somebody makes meanwhile is left alone: NotOwned',
    alone: true,
    async run(c) {
      await betweenDeleteAndCreate(c)
      const theirs = config('x', c.namespace, { v: 'theirs' })
      const { metadata } = value(await c.c1.create(configMapKind, theirs, WRITE))
      c.controllers.start()
      expect(await unitReasonOf(c, 'base', 'NotOwned')).toMatch(/^ConfigMap .*\/x was not recreated/)
      const live = await see(c, configMapKind, 'x')
      expect([live.metadata.uid, live.metadata.resourceVersion]).toEqual([
        metadata.uid,
        metadata.resourceVersion,
      ])
    },
  },
]

/** A definition that nobody of ours delivers, and an object of its kind that is to go. */
async function pruning(c: Corner, meanwhile: (name: string) => Promise<void>): Promise<string> {
  const group = `${c.namespace}.x.test`
  const crd = definition(group)
  value(await c.c1.create(crdKind, crd as never, WRITE))
  await c.release('base', 1, [gadget(group, 'g', c.namespace, 1), config('stays', c.namespace, {})])
  await c.untilReady('base')
  await meanwhile(crd.metadata.name)
  await c.release('base', 2, [config('stays', c.namespace, {})])
  return group
}

const crdOf = async (c: Corner, name: string): Promise<Stored> =>
  value(await c.c1.get(crdKind, { name }, READ))

async function serve(c: Corner, name: string, served: boolean): Promise<void> {
  const crd = (await crdOf(c, name)) as unknown as { spec: { versions: { name: string }[] } }
  const versions = crd.spec.versions.map((v) => ({ ...v, served }))
  value(await c.c1.patch(crdKind, { name }, { spec: { versions } } as never, ANY))
}

const lists = (i: { spec: { objects?: readonly { name: string }[] | undefined } }): string[] =>
  (i.spec.objects ?? []).map((o) => o.name).sort()

const unserved: readonly FleetCase[] = [
  {
    name: 'a definition that somebody deletes: what was of its kind is not waited for',
    async run(c) {
      await pruning(c, async (name) => {
        value(await c.c1.delete(crdKind, { name }, ANY))
      })
      await c.untilReady('base')
      const i = await c.untilInventory('base', 'recorded', (o) => lists(o).join() === 'stays')
      expect(i.status?.blockers ?? []).toEqual([])
    },
  },
  {
    name: 'a definition that is not served: what is of its kind stays listed, and goes once it is',
    async run(c) {
      const name = `gadgets.${c.namespace}.x.test`
      const group = await pruning(c, () => serve(c, name, false))
      // Before the new bundle is admitted the same reason may be said of what is delivered.
      await c.untilInventory('base', 'waits for its kind', (o) =>
        (o.status?.blockers ?? []).some(
          (b) => b.reason === 'KindNotServed' && /Gadget .*\/g cannot be deleted/.test(b.message),
        ),
      )
      expect(lists(await c.untilInventory('base', 'there', () => true))).toEqual(['g', 'stays'])
      await serve(c, name, true)
      await c.untilInventory('base', 'pruned', (o) => lists(o).join() === 'stays')
      await c.until(c.c1, gadgetKind(group), 'g', 'gone', (o) => o === undefined)
      await c.untilReady('base')
    },
  },
]

export const replaceCases: readonly FleetCase[] = [...replaced, ...unserved]
