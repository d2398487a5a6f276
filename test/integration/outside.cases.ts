/** What a module looks at and does not deliver: objects that it waits for, values that it copies, classes of claims. */
import { expect } from 'vitest'
import { established, failure, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, crdKind } from '../../packages/kube/src/kinds/types.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { config, definition, deployment, gadget, gadgetKind } from './casemanifests.ts'
import { counted } from './countedcluster.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'

const SOMEBODY = { ...WRITE, manager: 'somebody', precondition: 'any', force: true } as const

const noted = <T extends { readonly metadata: object }>(o: T, annotations: object) => ({
  ...o,
  metadata: { ...o.metadata, annotations },
})

const put = async (c: Corner, name: string, data: Record<string, string>): Promise<void> =>
  void value(await c.c1.apply(configMapKind, config(name, c.namespace, data) as never, SOMEBODY))

const untilSaid = (c: Corner, module: string, reason: string, text: string) =>
  c.untilInventory(module, `${reason}: ${text}`, (i) =>
    (i.status?.blockers ?? []).some((b) => b.reason === reason && b.message.includes(text)),
  )

const read = async (c: Corner, name: string) =>
  value(await c.c1.get(configMapKind, { namespace: c.namespace, name }, READ))

const claimKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
})

export const outsideCases: readonly FleetCase[] = [
  {
    name: 'an object that somebody else makes is waited for by name; met once, it is not asked for again',
    async run(c) {
      const needs = { 'lockstep.dev/depends-on': `/namespaces/${c.namespace}/ConfigMap/storage` }
      await c.release('app', 1, [
        noted(config('app', c.namespace, { v: '1' }), needs),
        config('free', c.namespace, {}),
      ])
      await untilSaid(
        c,
        'app',
        'WaitNotFound',
        `ConfigMap ${c.namespace}/storage does not exist; ConfigMap ${c.namespace}/app waits for it to be healthy (lockstep.dev/depends-on)`,
      )
      await c.until(c.c1, configMapKind, 'free', 'there', (o) => o !== undefined)
      expect(failure(await c.c1.get(configMapKind, { namespace: c.namespace, name: 'app' }, READ)).kind).toBe(
        'NotFound',
      )
      await put(c, 'storage', {})
      await c.untilReady('app')
      const { spec } = await c.untilInventory('app', 'written down', (i) => i.spec.waits !== undefined)
      expect(spec.waits).toEqual([
        { id: `ConfigMap ${c.namespace}/storage Healthy`, serial: spec.admitted!.contentSerial },
      ])
      value(await c.c1.delete(configMapKind, { namespace: c.namespace, name: 'storage' }, SOMEBODY))
      value(await c.c1.delete(configMapKind, { namespace: c.namespace, name: 'app' }, SOMEBODY))
      await c.until(c.c1, configMapKind, 'app', 'there again', (o) => o !== undefined)
      await c.untilReady('app')
    },
  },
  {
    name: 'a kind that somebody else defines is waited for, then its object, then what that says',
    async run(c) {
      const group = `${c.namespace}.x.test`
      const wait = [{ apiVersion: `${group}/v1`, kind: 'Gadget', name: 'g', when: 'object.spec.size > 1' }]
      const app = noted(config('app', c.namespace, {}), { 'lockstep.dev/wait-for': JSON.stringify(wait) })
      await c.release('app', 1, [app])
      await untilSaid(c, 'app', 'WaitKindNotServed', `the cluster serves no ${group}/v1 Gadget`)
      value(await c.c1.create(crdKind, definition(group) as never, SOMEBODY))
      await established(c.c1, `gadgets.${group}`)
      await untilSaid(c, 'app', 'WaitNotFound', `Gadget ${c.namespace}/g does not exist`)
      value(await c.c1.apply(gadgetKind(group), gadget(group, 'g', c.namespace, 1) as never, SOMEBODY))
      await untilSaid(
        c,
        'app',
        'WaitingForObject',
        `Gadget ${c.namespace}/g: object.spec.size > 1 is not true`,
      )
      value(await c.c1.apply(gadgetKind(group), gadget(group, 'g', c.namespace, 2) as never, SOMEBODY))
      await c.untilReady('app')
      value(await c.c1.delete(crdKind, { name: `gadgets.${group}` }, SOMEBODY))
    },
    patienceSeconds: 90,
  },
  {
    name: 'a value is copied from an object of the bundle and from another one, and followed',
    async run(c) {
      const copy = (name: string, token: string) => ({
        sourceRef: { kind: 'ConfigMap', name },
        sourcePath: '$.data.host',
        targetPath: '$.data.url',
        token,
      })
      const notes = {
        'config.kubernetes.io/apply-time-mutation': JSON.stringify([copy('own', '%a'), copy('other', '%b')]),
      }
      const bundle = (host: string) => [
        noted(config('app', c.namespace, { url: '%a/%b' }), notes),
        config('own', c.namespace, { host }),
      ]
      await c.release('app', 1, bundle('one'))
      await untilSaid(c, 'app', 'WaitNotFound', `ConfigMap ${c.namespace}/other does not exist`)
      await put(c, 'other', { host: 'x' })
      await c.untilReady('app')
      expect((await read(c, 'app')).data).toEqual({ url: 'one/x' })
      await put(c, 'other', { host: 'y' })
      await c.until(c.c1, configMapKind, 'app', 'one/y', (o) => o?.data?.url === 'one/y')
      await c.release('app', 2, bundle('two'))
      await c.until(c.c1, configMapKind, 'app', 'two/y', (o) => o?.data?.url === 'two/y')
      await c.untilReady('app')
    },
  },
  {
    name: 'a claim that is bound for its first Pod does not keep the Deployment of the next wave waiting',
    async run(c) {
      const name = `wait-${c.namespace}`
      const storage = {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name },
        provisioner: 'kubernetes.io/no-provisioner',
        volumeBindingMode: 'WaitForFirstConsumer',
      }
      const claim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: 'data',
          namespace: c.namespace,
          annotations: { 'argocd.argoproj.io/sync-wave': '1' },
        },
        spec: {
          storageClassName: name,
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
        },
      }
      await c.release('app', 1, [storage, claim, deployment('db', c.namespace, 'db:v1', 2)])
      await c.untilReady('app')
      const seen = await c.until(c.c1, claimKind, 'data', 'seen', (o) => at(o?.status, 'phase') !== undefined)
      expect(at(seen.status, 'phase')).toBe('Pending')
    },
  },
  {
    name: '1,000 ConfigMaps: 1 changed costs at most 8 requests, 100 at most 116; counted on the way',
    isLong: true,
    patienceSeconds: 240,
    async run(c) {
      const proxy = await counted(c)
      const bundle = (changed: number) =>
        Array.from({ length: 1000 }, (_, i) =>
          config(`c${i}`, c.namespace, { value: i < changed ? `new${changed}` : 'old' }),
        )
      // Kinds that nobody has looked at before are listed and watched; dry runs are apart; all others are requests.
      const isApart = ({ path }: { path: string }) => /[?&](watch=true|dryRun=)/.test(path)
      const requests = () => proxy.answers.filter((a) => !isApart(a)).length
      await c.release('big', 1, bundle(0))
      await c.untilReady('big')
      for (const [version, changed, most] of [
        [2, 1, 8],
        [3, 100, 116],
      ] as const) {
        const before = requests()
        await c.release('big', version, bundle(changed))
        await c.untilReady('big')
        expect(requests() - before).toBeLessThanOrEqual(most)
        expect(requests() - before).toBeGreaterThanOrEqual(changed)
      }
      proxy.close()
    },
  },
]
