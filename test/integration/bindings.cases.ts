/** Values of bindings: of clusters, of objects beside the module, of the cluster's own. */
import { expect } from 'vitest'
import { failure, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { encodeJson } from '../../packages/kube/src/object/index.ts'
import {
  inventoryKind,
  type Module,
  moduleKind,
  remoteAssemblageKind,
} from '../../packages/lockstep/src/api/kinds/index.ts'
import { inventoryName } from '../../packages/lockstep/src/deliver/plan/unitnames.ts'
import { config } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { reasonOf } from './refusals.cases.ts'

const FORCE = { ...WRITE, precondition: 'any', force: true } as const

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const ours = async (c: Corner, name: string, data: Record<string, string>) =>
  value(await c.hub.apply(configMapKind, config(name, c.namespace, data), FORCE))
const theirs = async (c: Corner, name: string, data: Record<string, string>) =>
  value(await c.c1.apply(configMapKind, config(name, c.namespace, data), { ...FORCE, manager: 'other' }))
const secret = async (c: Corner, name: string, password: string) => {
  const metadata = { name, namespace: c.namespace }
  const body = { apiVersion: 'v1', kind: 'Secret', metadata, data: { password: base64(password) } }
  value(await c.hub.apply(secretKind, body, FORCE))
}
const has = (c: Corner, name: string, key: string, text: string) =>
  c.until(c.c1, configMapKind, name, `${key}: ${text}`, (o) => o?.data?.[key] === text)

export const bindingCases: readonly FleetCase[] = [
  {
    name: 'bindings of every source, in texts and as numbers; a value is one scalar, whatever stands in it',
    async run(c) {
      const { namespace } = c
      await ours(c, 'of-c1', { tricky: 'x"\nkind: Secret\n' })
      await ours(c, 'shared', { mode: '$(where)' })
      await theirs(c, 'net', { host: 'gateway' })
      const bindings = [
        { name: 'where', value: '$(CLUSTER_NAMESPACE)/$(CLUSTER_NAME)' },
        { name: 'tricky', configMapKeyRef: { name: 'of-$(CLUSTER_NAME)', key: 'tricky' } },
        { name: 'mode', configMapKeyRef: { name: 'shared', key: 'mode' } },
        { name: 'replicas', type: 'Integer', cluster: { annotation: 'replicas' }, default: '2' },
        {
          name: 'host',
          workloadFieldRef: {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            namespace,
            name: 'net',
            fieldPath: 'data.host',
          },
        },
        {
          name: 'kept',
          objectFieldRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'shared', fieldPath: 'metadata.name' },
        },
      ]
      const data = {
        where: '$(where)',
        tricky: '$(tricky)',
        mode: '$(mode)',
        host: 'http://$(host)/',
        kept: '$(kept)',
        literal: '$$(where)',
        theirs: '$(POD_IP)',
      }
      const quota = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q-$(CLUSTER_NAME)', namespace },
        spec: { hard: { pods: '$(replicas)' } },
      }
      await c.release('web', 1, [config('web', namespace, data), quota], { bindings })
      await c.untilReady('web')
      const found = value(await c.c1.get(configMapKind, { namespace, name: 'web' }, READ))
      expect(found.data).toEqual({
        where: `${namespace}/c1`,
        tricky: 'x"\nkind: Secret\n',
        mode: '$(where)',
        host: 'http://gateway/',
        kept: 'shared',
        literal: '$(where)',
        theirs: '$(POD_IP)',
      })
      await theirs(c, 'net', { host: 'other' })
      await has(c, 'web', 'host', 'http://other/')
      await c.untilReady('web')
    },
  },
  {
    name: 'a password of one cluster: delivered, followed, and in no text but Secrets',
    async run(c) {
      const { namespace } = c
      const [first, second] = ['canary-hunter2', 'canary-hunter3']
      const bindings = [{ name: 'password', secretKeyRef: { name: 'db-$(CLUSTER_NAME)', key: 'password' } }]
      const manifests = [
        config('web', namespace, { url: 'db://$(password)@host' }),
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'web', namespace },
          stringData: { password: '$(password)' },
        },
      ]
      await c.release('web', 1, manifests, { bindings })
      const missing = `password: Secret ${namespace}/db-c1 does not exist; create it or give a default`
      await c.untilModule('web', 'without its password', (m) =>
        (m.status?.blockers ?? []).some((b) => b.reason === 'BindingUnresolved' && b.message === missing),
      )
      await secret(c, 'db-c1', first)
      await c.untilReady('web')
      await has(c, 'web', 'url', `db://${first}@host`)
      await secret(c, 'db-c1', second)
      await has(c, 'web', 'url', `db://${second}@host`)
      await c.until(c.c1, secretKind, 'web', 'followed', (o) => o?.data?.password === base64(second))
      const module = await c.untilReady('web')
      const ref = { kind: 'Module', namespace, name: 'web' } as const
      const inventory = await c.hub.get(inventoryKind, { namespace, name: inventoryName(ref, 'c1') }, READ)
      const record = await c.hub.get(remoteAssemblageKind, { namespace, name: 'c1' }, READ)
      expect(encodeJson([module, value(inventory), value(record)])).not.toContain('canary')
    },
  },
  {
    name: 'bindings that cannot be are refused: by the server for their form, else when they are published',
    async run(c) {
      const { namespace } = c
      const bad = (bindings: readonly object[]) => {
        const spec = { source: { inline: { objects: [] } }, bindings }
        const metadata = { name: 'bad', namespace }
        const body = { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module', metadata, spec }
        return c.hub.apply(moduleKind, body as unknown as Module, { ...FORCE, dryRun: true })
      }
      const two = failure(await bad([{ name: 'a', value: 'x', cluster: { name: true } }]))
      expect(encodeJson(two)).toContain('exactly one of value, cluster')
      const read = { apiVersion: 'v1', kind: 'Secret', name: 's', fieldPath: 'data.x' }
      expect(encodeJson(failure(await bad([{ name: 'a', objectFieldRef: read }])))).toContain(
        'use secretKeyRef',
      )
      expect(encodeJson(failure(await bad([{ name: 'a-b', value: 'x' }])))).toContain('spec.bindings[0].name')
      await c.release('web', 1, [config('web', namespace, { v: '$(a)' })], {
        bindings: [
          { name: 'a', value: '$(b)' },
          { name: 'b', value: '$(a)' },
        ],
      })
      const circle = await reasonOf(c, 'web', 'BindingInvalid')
      expect(circle.message).toBe('bindings: a → b → a; remove one of these mentions')
    },
  },
]
