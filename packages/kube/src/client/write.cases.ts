/** Writes, fences and refusals of every KubeClient. */
import { expect } from 'vitest'
import { configMapKind, crdKind, podKind } from '../kinds/types.ts'
import type { KubeObject } from '../object/index.ts'
import {
  type ClientCase,
  configMap,
  deploymentKind,
  established,
  failure,
  gadgetCrd,
  READ,
  take,
  value,
  WRITE,
} from './client.cases.ts'

const deployment = (namespace: string, name: string, replicas: number, image = 'app:v1'): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
  },
})

const gone = { uid: '00000000-0000-4000-8000-000000000000', resourceVersion: '1' } as const

const fences: readonly ClientCase[] = [
  {
    name: 'create of what exists: AlreadyExists',
    async run({ client, namespace }) {
      value(await client.create(configMapKind, configMap(namespace, 'a'), WRITE))
      const e = failure(await client.create(configMapKind, configMap(namespace, 'a'), WRITE))
      expect(e).toMatchObject({ kind: 'AlreadyExists', wrote: 'no', ref: { kind: 'ConfigMap', name: 'a' } })
    },
  },
  {
    name: 'an update or patch of a kind that is not tracked drops the owners of all fields, and nothing is tracked after it',
    async run({ client, namespace }) {
      const kind = { ...configMapKind, isUntracked: true }
      const other = value(await client.create(kind, configMap(namespace, 'b', { v: '1' }), WRITE))
      const patched = value(
        await client.patch(kind, other.metadata, { data: { v: '2' } }, { ...WRITE, precondition: 'any' }),
      )
      expect([patched.data, patched.metadata.managedFields]).toEqual([{ v: '2' }, undefined])
      const made = value(await client.create(kind, configMap(namespace, 'a', { v: '1' }), WRITE))
      const next = value(await client.update(kind, { ...made, data: { v: '2' } }, WRITE))
      expect([next.data, next.metadata.managedFields]).toEqual([{ v: '2' }, undefined])
      const same = value(await client.update(kind, next, WRITE))
      expect(same.metadata.resourceVersion).toBe(next.metadata.resourceVersion)
      const plain = value(await client.update(configMapKind, { ...next, data: { v: '3' } }, WRITE))
      expect([plain.data, plain.metadata.managedFields]).toEqual([{ v: '3' }, undefined])
    },
  },
  {
    name: 'replace with an old version: FenceLost; the newer content stays',
    async run({ client, namespace }) {
      const old = value(await client.create(configMapKind, configMap(namespace, 'a', { v: '1' }), WRITE))
      value(await client.update(configMapKind, { ...old, data: { v: '2' } }, WRITE))
      const e = failure(await client.update(configMapKind, { ...old, data: { v: '3' } }, WRITE))
      expect(e).toMatchObject({ kind: 'FenceLost', wrote: 'no' })
      expect(value(await client.get(configMapKind, old.metadata, READ)).data).toEqual({ v: '2' })
    },
  },
  {
    name: 'every write with the uid of an object that is gone: FenceLost, nothing is written',
    async run({ client, namespace }) {
      const key = { namespace, name: 'a' }
      const made = value(await client.create(configMapKind, configMap(namespace, 'a', { v: '1' }), WRITE))
      const fence = { uid: gone.uid, resourceVersion: made.metadata.resourceVersion }
      const body = configMap(namespace, 'a', { v: '2' })
      expect(
        failure(await client.apply(configMapKind, body, { ...WRITE, precondition: fence, force: true })).kind,
      ).toBe('FenceLost')
      expect(
        failure(await client.patch(configMapKind, key, { data: {} }, { ...WRITE, precondition: fence })).kind,
      ).toBe('FenceLost')
      expect(failure(await client.delete(configMapKind, key, { ...WRITE, precondition: fence })).kind).toBe(
        'FenceLost',
      )
      const other = { ...made, metadata: { ...made.metadata, uid: gone.uid } }
      expect(failure(await client.update(configMapKind, other, WRITE)).kind).toBe('FenceLost')
      expect(value(await client.get(configMapKind, key, READ))).toEqual(made)
    },
  },
  {
    name: 'apply with a fence never brings back what was deleted',
    async run({ client, namespace }) {
      const made = value(await client.create(configMapKind, configMap(namespace, 'a'), WRITE))
      value(await client.delete(configMapKind, made.metadata, { ...WRITE, precondition: 'any' }))
      const { uid, resourceVersion } = made.metadata
      const body = configMap(namespace, 'a', { v: '2' })
      const e = failure(
        await client.apply(configMapKind, body, { ...WRITE, precondition: { uid, resourceVersion } }),
      )
      expect(e).toMatchObject({ kind: 'FenceLost', wrote: 'no' })
      expect(failure(await client.get(configMapKind, { namespace, name: 'a' }, READ)).kind).toBe('NotFound')
    },
  },
  {
    name: 'apply of what is believed absent: creates it, or is refused without a touch',
    async run({ client, namespace }) {
      const o = { ...WRITE, precondition: 'absent', force: true } as const
      const made = value(await client.apply(configMapKind, configMap(namespace, 'a', { v: '1' }), o))
      const e = failure(await client.apply(configMapKind, configMap(namespace, 'a', { v: '2' }), o))
      expect(e).toMatchObject({ kind: 'FenceLost', wrote: 'no' })
      expect(value(await client.get(configMapKind, made.metadata, READ))).toEqual(made)
    },
  },
  {
    name: 'merge patch: with the right fence it changes, with an old one FenceLost',
    async run({ client, namespace }) {
      const made = value(
        await client.create(configMapKind, configMap(namespace, 'a', { a: '1', b: '1' }), WRITE),
      )
      const { uid, resourceVersion } = made.metadata
      const fence = { uid, resourceVersion }
      const patch = { data: { a: '2', b: null } }
      const done = value(
        await client.patch(configMapKind, made.metadata, patch, { ...WRITE, precondition: fence }),
      )
      expect(done.data).toEqual({ a: '2' })
      expect(
        failure(await client.patch(configMapKind, made.metadata, patch, { ...WRITE, precondition: fence }))
          .kind,
      ).toBe('FenceLost')
    },
  },
  {
    name: 'delete: preconditions hold, propagation Foreground waits for dependents',
    async run({ client, namespace }) {
      const owner = value(await client.create(configMapKind, configMap(namespace, 'owner'), WRITE))
      const { uid, resourceVersion } = owner.metadata
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true }
      const child = configMap(namespace, 'child')
      const held = { ownerReferences: [ref], finalizers: ['x.test/hold'] }
      const made = value(
        await client.create(configMapKind, { ...child, metadata: { ...child.metadata, ...held } }, WRITE),
      )
      value(
        await client.patch(
          configMapKind,
          owner.metadata,
          { data: { v: '2' } },
          { ...WRITE, precondition: 'any' },
        ),
      )
      const old = { uid, resourceVersion }
      expect(
        failure(await client.delete(configMapKind, owner.metadata, { ...WRITE, precondition: old })).kind,
      ).toBe('FenceLost')
      const o = { ...WRITE, precondition: 'any', propagation: 'Foreground' } as const
      value(await client.delete(configMapKind, owner.metadata, o))
      const waiting = value(await client.get(configMapKind, owner.metadata, READ))
      expect(waiting.metadata.finalizers).toEqual(['foregroundDeletion'])
      value(
        await client.patch(
          configMapKind,
          made.metadata,
          { metadata: { finalizers: null } },
          { ...WRITE, precondition: 'any' },
        ),
      )
      const watch = client.watch(configMapKind, {
        ...READ,
        namespace,
        resourceVersion: waiting.metadata.resourceVersion,
        fieldSelector: 'metadata.name=owner',
      })
      for await (const e of watch) if (e.type === 'DELETED') break
    },
  },
]

const applies: readonly ClientCase[] = [
  {
    name: 'apply: a field of another manager is a Conflict that names both; force takes it',
    async run({ client, namespace }) {
      const first = { purpose: 'user', manager: 'first', precondition: 'any' } as const
      const second = { purpose: 'user', manager: 'second', precondition: 'any' } as const
      value(await client.apply(deploymentKind, deployment(namespace, 'd', 1), first))
      const e = failure(await client.apply(deploymentKind, deployment(namespace, 'd', 2), second))
      expect(e).toMatchObject({
        kind: 'Conflict',
        wrote: 'no',
        managers: [{ manager: 'first', field: '.spec.replicas' }],
      })
      const taken = value(
        await client.apply(deploymentKind, deployment(namespace, 'd', 2), { ...second, force: true }),
      )
      expect(taken).toMatchObject({ spec: { replicas: 2 } })
    },
  },
  {
    name: 'apply: of two images of one container the conflict names the container',
    async run({ client, namespace }) {
      const by = (manager: string) => ({ purpose: 'user', manager, precondition: 'any' }) as const
      value(await client.apply(deploymentKind, deployment(namespace, 'd', 1, 'a:v1'), by('first')))
      const e = failure(
        await client.apply(deploymentKind, deployment(namespace, 'd', 1, 'a:v2'), by('second')),
      )
      const field = '.spec.template.spec.containers[name="main"].image'
      expect(e).toMatchObject({ kind: 'Conflict', managers: [{ manager: 'first', field }] })
    },
  },
  {
    name: 'apply: of unchanged content changes nothing, not even the version',
    async run({ client, namespace }) {
      const o = { ...WRITE, precondition: 'any' } as const
      const made = value(await client.apply(configMapKind, configMap(namespace, 'a', { v: '1' }), o))
      expect(value(await client.apply(configMapKind, configMap(namespace, 'a', { v: '1' }), o))).toEqual(made)
    },
  },
  {
    name: 'apply: a field that is not applied any more goes, those of others stay',
    async run({ client, namespace }) {
      const o = { ...WRITE, precondition: 'any' } as const
      const made = value(
        await client.apply(configMapKind, configMap(namespace, 'a', { mine: '1', too: '1' }), o),
      )
      const other = { purpose: 'user', manager: 'other', precondition: 'any' } as const
      value(await client.patch(configMapKind, made.metadata, { data: { theirs: '1' } }, other))
      const done = value(await client.apply(configMapKind, configMap(namespace, 'a', { mine: '1' }), o))
      expect(done.data).toEqual({ mine: '1', theirs: '1' })
    },
  },
  {
    name: 'apply, Strict: an unknown field is Invalid and names its path',
    async run({ client, namespace }) {
      const body = { ...deployment(namespace, 'd', 1) } as { [key: string]: unknown }
      const wrong = { ...body, spec: { ...(body.spec as object), replicaz: 3 } } as unknown as KubeObject
      const o = { ...WRITE, precondition: 'any', validate: 'Strict' } as const
      const e = failure(await client.apply(deploymentKind, wrong, o))
      expect(e).toMatchObject({ kind: 'Invalid', wrote: 'no', causes: [{ field: 'spec.replicaz' }] })
    },
  },
  {
    name: 'a dry run answers as if, and writes nothing',
    async run({ client, namespace }) {
      const o = { ...WRITE, precondition: 'any', dryRun: true } as const
      expect(value(await client.apply(configMapKind, configMap(namespace, 'a', { v: '1' }), o)).data).toEqual(
        { v: '1' },
      )
      expect(failure(await client.get(configMapKind, { namespace, name: 'a' }, READ)).kind).toBe('NotFound')
    },
  },
  {
    name: 'a dry run of a delete deletes nothing',
    async run({ client, namespace }) {
      const made = value(await client.create(configMapKind, configMap(namespace, 'a', { v: '1' }), WRITE))
      const key = { namespace, name: 'a' }
      value(await client.delete(configMapKind, key, { ...WRITE, precondition: 'any', dryRun: true }))
      value(await client.delete(configMapKind, key, { ...WRITE, precondition: made.metadata, dryRun: true }))
      expect(value(await client.get(configMapKind, key, READ)).metadata.uid).toBe(made.metadata.uid)
    },
  },
]

const refusals: readonly ClientCase[] = [
  {
    name: 'Invalid: the cause names its field',
    async run({ client, namespace }) {
      const body = deployment(namespace, 'Bad_Name', 1)
      const e = failure(await client.create(deploymentKind, body, WRITE))
      if (e.kind !== 'Invalid') throw new Error(JSON.stringify(e))
      expect(e.causes.map((c) => c.field)).toEqual(['metadata.name'])
      expect(e.wrote).toBe('no')
    },
  },
  {
    name: 'Invalid: a selector that may not change is named',
    async run({ client, namespace }) {
      value(await client.create(deploymentKind, deployment(namespace, 'd', 1), WRITE))
      // Without a fence: where controllers run, they write its status meanwhile.
      const other = { ...deployment(namespace, 'other', 1), metadata: { name: 'd', namespace } }
      const e = failure(
        await client.apply(deploymentKind, other, { ...WRITE, precondition: 'any', force: true }),
      )
      if (e.kind !== 'Invalid') throw new Error(JSON.stringify(e))
      expect(e.causes).toContainEqual(
        expect.objectContaining({ field: 'spec.selector', message: expect.stringContaining('immutable') }),
      )
    },
  },
  {
    name: 'a wrong type is Invalid and says where',
    async run({ client, namespace }) {
      const body = { ...configMap(namespace, 'a'), data: { v: 1 } } as never
      const e = failure(await client.apply(configMapKind, body, { ...WRITE, precondition: 'any' }))
      expect(e).toMatchObject({ kind: 'Invalid', wrote: 'no', causes: [{ field: 'data.v' }] })
    },
  },
  {
    name: 'an object in a namespace that does not exist is NotFound, and says so',
    async run({ client, namespace }) {
      const missing = `${namespace}-none`
      const created = failure(await client.create(configMapKind, configMap(missing, 'a'), WRITE))
      expect(created).toMatchObject({ kind: 'NotFound', namespace: missing, wrote: 'no' })
      const applied = await client.apply(configMapKind, configMap(missing, 'a'), {
        ...WRITE,
        precondition: 'any',
      })
      expect(failure(applied)).toMatchObject({ kind: 'NotFound', namespace: missing, wrote: 'no' })
    },
  },
  {
    name: 'status is written by its subresource alone, and only it',
    async run({ client, namespace }) {
      const { kind, body } = gadgetCrd(`s${namespace.slice(-8)}`)
      value(await client.create(crdKind, body as never, WRITE))
      await established(client, body.metadata.name)
      const gadget = {
        apiVersion: '',
        kind: '',
        metadata: { name: 'g', namespace },
        spec: { v: 1 },
        status: { v: 1 },
      }
      const made = value(await client.create(kind, gadget as KubeObject, WRITE))
      expect(made).not.toHaveProperty('status')
      const both = { ...made, spec: { v: 2 }, status: { v: 2 } } as typeof made
      const done = value(await client.update(kind, both, { ...WRITE, subresource: 'status' }))
      expect(done).toMatchObject({ spec: { v: 1 }, status: { v: 2 } })
      expect(done.metadata.generation).toBe(made.metadata.generation)
      const plain = value(
        await client.update(kind, { ...done, spec: { v: 3 }, status: {} } as typeof made, WRITE),
      )
      expect(plain).toMatchObject({ spec: { v: 3 }, status: { v: 2 }, metadata: { generation: 2 } })
      value(await client.delete(crdKind, { name: body.metadata.name }, { ...WRITE, precondition: 'any' }))
    },
  },
  {
    name: 'a Pod without a node is gone at once when deleted without grace',
    async run({ client, namespace }) {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', namespace },
        spec: { containers: [{ name: 'main', image: 'app:v1' }] },
      }
      const made = value(await client.create(podKind, pod as KubeObject, WRITE))
      value(await client.delete(podKind, made.metadata, { ...WRITE, precondition: 'any' }))
      const { resourceVersion } = made.metadata
      expect(
        (await take(client.watch(podKind, { ...READ, namespace, resourceVersion }), 1)).at(-1)?.type,
      ).toMatch(/DELETED|MODIFIED/)
    },
  },
]

export const writeCases: readonly ClientCase[] = [...fences, ...applies, ...refusals]
