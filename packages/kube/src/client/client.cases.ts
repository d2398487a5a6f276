/** What every KubeClient does, over whatever wire and against whatever server: one table for all of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Env } from '../env/env.ts'
import type { Connection } from '../env/net.ts'
import { sleep } from '../env/sleep.ts'
import { type ConfigMap, configMapKind, crdKind, namespaceKind } from '../kinds/types.ts'
import { at, isArray, type KubeObject } from '../object/index.ts'
import { defineKind } from '../object/kind.ts'
import type { KubeClient, KubeResult, Page, WatchEvent } from './client.ts'
import { createHttpClient } from './httpclient.ts'
import type { RequestError } from './requesterror.ts'

/** A server, and connections to it. */
export interface ClientSubject {
  readonly env: Env
  connect(): Connection
  stop(): Promise<void>
}

/** What a case works with; its namespace is its own. */
export interface CaseContext {
  readonly env: Env
  readonly client: KubeClient
  readonly namespace: string
  connect(): Connection
}

export interface ClientCase {
  readonly name: string
  run(c: CaseContext): Promise<void>
}

export const WRITE = { purpose: 'user', manager: 'tester' } as const
/** By nobody who holds a lease. */
export const ANY = { ...WRITE, precondition: 'any' } as const
export const READ = { purpose: 'user' } as const

export const deploymentKind = defineKind<KubeObject>({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
})

export function value<T>(r: KubeResult<T>): T {
  if (!r.ok) throw new Error(JSON.stringify(r.error))
  return r.value
}

export function failure<T>(r: KubeResult<T>): RequestError {
  if (r.ok) throw new Error(`was accepted: ${JSON.stringify(r.value)}`)
  return r.error
}

export const configMap = (namespace: string, name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
})

/** Runs a table against one server; each case has a namespace of its own. */
export function runCases(
  title: string,
  cases: readonly ClientCase[],
  make: () => Promise<ClientSubject>,
): void {
  describe(title, () => {
    let subject: ClientSubject
    let client: KubeClient
    beforeAll(async () => {
      subject = await make()
      client = createHttpClient(subject.env, 'subject', subject.connect())
    })
    afterAll(async () => {
      await client.close()
      await subject.stop()
    })
    for (const c of cases) {
      it(c.name, async () => {
        const namespace = `case-${subject.env.random.uuid().slice(0, 8)}`
        const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
        value(await client.create(namespaceKind, body, WRITE))
        await c.run({ env: subject.env, client, namespace, connect: () => subject.connect() })
      })
    }
  })
}

const reads: readonly ClientCase[] = [
  {
    name: 'create answers with the stored object; get finds the same',
    async run({ client, namespace }) {
      const made = value(await client.create(configMapKind, configMap(namespace, 'a', { x: '1' }), WRITE))
      expect(made).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { x: '1' } })
      expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
      expect(value(await client.get(configMapKind, { namespace, name: 'a' }, READ))).toEqual(made)
    },
  },
  {
    name: 'what does not exist is NotFound, what is not served is KindUnknown',
    async run({ client, namespace }) {
      const widget = defineKind({ group: 'x.test', version: 'v1', kind: 'W', plural: 'ws', namespaced: true })
      const other = { ...configMapKind, plural: 'nothings', kind: 'Nothing' }
      const key = { namespace, name: 'absent' }
      expect(failure(await client.get(configMapKind, key, READ)).kind).toBe('NotFound')
      expect(failure(await client.delete(configMapKind, key, { ...WRITE, precondition: 'any' })).kind).toBe(
        'NotFound',
      )
      expect(failure(await client.get(widget, key, READ)).kind).toBe('KindUnknown')
      expect(failure(await client.list(widget, READ)).kind).toBe('KindUnknown')
      expect(failure(await client.get(other, key, READ)).kind).toBe('KindUnknown')
      expect(failure(await client.create(widget, configMap(namespace, 'w'), WRITE)).kind).toBe('KindUnknown')
    },
  },
  {
    name: 'answers say what time it is at the server: that of this machine, to a second and some',
    async run({ client, env, namespace }) {
      value(await client.create(configMapKind, configMap(namespace, 'a'), WRITE))
      const { nowMs, errorMs } = client.serverTime!
      const own = env.clock.now()
      // But for what is set on the clock of this machine meanwhile.
      expect(nowMs).toBeLessThan(own + 100)
      expect(nowMs + errorMs).toBeGreaterThan(own - 100)
    },
  },
  {
    name: 'list: pages of one snapshot, each item with its kind',
    async run({ client, namespace }) {
      for (let i = 0; i < 7; i++)
        value(await client.create(configMapKind, configMap(namespace, `m${i}`), WRITE))
      const names: string[] = []
      const versions = new Set<string>()
      for (let page: string | undefined = ''; page !== undefined; ) {
        const o = { ...READ, namespace, limit: 3, fieldSelector: 'metadata.name!=kube-root-ca.crt' }
        const found: Page<ConfigMap> = value(
          await client.list(configMapKind, page ? { ...o, continue: page } : o),
        )
        expect(found.items.every((i) => i.kind === 'ConfigMap' && i.apiVersion === 'v1')).toBe(true)
        if (names.length === 0) value(await client.create(configMapKind, configMap(namespace, 'm5b'), WRITE))
        names.push(...found.items.map((i) => i.metadata.name))
        versions.add(found.resourceVersion)
        page = found.continue
      }
      expect(names).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'])
      expect(versions.size).toBe(1)
    },
  },
  {
    name: 'list: selectors by label and name',
    async run({ client, namespace }) {
      const labelled = configMap(namespace, 'b')
      value(await client.create(configMapKind, configMap(namespace, 'a'), WRITE))
      value(
        await client.create(
          configMapKind,
          { ...labelled, metadata: { ...labelled.metadata, labels: { app: 'b' } } },
          WRITE,
        ),
      )
      const namesBy = async (o: object) =>
        value(await client.list(configMapKind, { ...READ, namespace, ...o })).items.map(
          (i) => i.metadata.name,
        )
      expect(await namesBy({ labelSelector: 'app=b' })).toEqual(['b'])
      expect(await namesBy({ fieldSelector: 'metadata.name=a' })).toEqual(['a'])
    },
  },
  {
    name: 'a token of a list that nobody gave out is refused, not an empty page',
    async run({ client, namespace }) {
      const e = failure(
        await client.list(configMapKind, { ...READ, namespace, limit: 1, continue: 'rubbish' }),
      )
      expect(e).toMatchObject({ kind: 'Invalid', wrote: 'no' })
    },
  },
  {
    name: 'discovery: kinds, verbs, scope, status subresource, preferred version',
    async run({ client }) {
      const served = value(await client.discover(READ))
      const find = (group: string, kind: string) => served.find((r) => r.group === group && r.kind === kind)
      expect(find('', 'ConfigMap')).toMatchObject({
        version: 'v1',
        plural: 'configmaps',
        namespaced: true,
        hasStatus: false,
        preferred: true,
      })
      expect(find('apps', 'Deployment')).toMatchObject({ plural: 'deployments', hasStatus: true })
      expect(find('', 'Namespace')).toMatchObject({ namespaced: false, hasStatus: true })
      expect(find('apps', 'Deployment')?.verbs).toEqual(expect.arrayContaining(['list', 'watch', 'patch']))
      expect(find('rbac.authorization.k8s.io', 'ClusterRole')).toMatchObject({ namespaced: false })
    },
  },
  {
    name: 'logs: of a Pod that is not there',
    async run({ client, namespace }) {
      const o = { ...READ, tailLines: 5, limitBytes: 1000, container: 'main' }
      const e = failure(await client.logs({ namespace, name: 'p' }, o))
      expect(e).toMatchObject({ kind: 'NotFound', wrote: 'no' })
    },
  },
]

const watches: readonly ClientCase[] = [
  {
    name: 'watch: every change after its version, in order, with whole objects',
    async run({ client, namespace }) {
      const { resourceVersion } = value(await client.list(configMapKind, { ...READ, namespace }))
      const made = value(await client.create(configMapKind, configMap(namespace, 'a', { v: '1' }), WRITE))
      value(await client.update(configMapKind, { ...made, data: { v: '2' } }, WRITE))
      value(await client.delete(configMapKind, made.metadata, { ...WRITE, precondition: 'any' }))
      const o = { ...READ, namespace, resourceVersion, fieldSelector: 'metadata.name=a' }
      const events = await take(client.watch(configMapKind, o), 3)
      expect(events.map((e) => ('object' in e ? [e.type, e.object.data] : []))).toEqual([
        ['ADDED', { v: '1' }],
        ['MODIFIED', { v: '2' }],
        ['DELETED', { v: '2' }],
      ])
    },
  },
  {
    name: 'list and watch of metadata: with kind and managedFields, without content',
    async run({ client, namespace }) {
      const o = { ...READ, namespace, fields: 'metadata', fieldSelector: 'metadata.name=a' } as const
      const made = value(await client.create(configMapKind, configMap(namespace, 'a', { v: '1' }), WRITE))
      const [listed] = value(await client.list(configMapKind, o)).items
      const { resourceVersion } = made.metadata
      value(await client.update(configMapKind, { ...made, data: { v: '2' } }, WRITE))
      const [event] = await take(client.watch(configMapKind, { ...o, resourceVersion }), 1)
      const watched = event && 'object' in event ? event.object : undefined
      expect(watched?.metadata.resourceVersion).not.toBe(resourceVersion)
      for (const found of [listed, watched]) {
        expect(found).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } })
        expect(found?.metadata.managedFields?.[0]?.manager).toBe(WRITE.manager)
        expect(found?.data).toBeUndefined()
      }
    },
  },
  {
    name: 'watch: what stops matching a selector looks deleted',
    async run({ client, namespace }) {
      const body = configMap(namespace, 'a')
      const made = value(
        await client.create(
          configMapKind,
          { ...body, metadata: { ...body.metadata, labels: { app: 'a' } } },
          WRITE,
        ),
      )
      const { resourceVersion } = made.metadata
      value(
        await client.patch(
          configMapKind,
          made.metadata,
          { metadata: { labels: { app: 'b' } } },
          {
            ...WRITE,
            precondition: 'any',
          },
        ),
      )
      const o = { ...READ, namespace, resourceVersion, labelSelector: 'app=a' }
      expect((await take(client.watch(configMapKind, o), 1)).map((e) => e.type)).toEqual(['DELETED'])
    },
  },
  {
    name: 'watch: from a version that is too old: Expired',
    async run({ client, namespace }) {
      const watch = client.watch(configMapKind, { ...READ, namespace, resourceVersion: '1' })
      expect(await take(watch, 1)).toMatchObject([{ type: 'ERROR', error: { kind: 'Expired', wrote: 'no' } }])
    },
  },
  {
    name: 'watch: the server ends it at its time, without an error, after a bookmark',
    async run({ client, namespace }) {
      const { resourceVersion } = value(await client.list(configMapKind, { ...READ, namespace }))
      const o = { ...READ, namespace, resourceVersion, timeoutSeconds: 3 }
      const events = await take(client.watch(configMapKind, o), Number.POSITIVE_INFINITY)
      expect(events.filter((e) => e.type === 'ERROR')).toEqual([])
    },
  },
  {
    name: 'watch: of a kind that is not served: KindUnknown',
    async run({ client, namespace }) {
      const kind = defineKind({ group: 'x.test', version: 'v1', kind: 'W', plural: 'ws', namespaced: true })
      const events = await take(client.watch(kind, { ...READ, namespace, resourceVersion: '1' }), 1)
      expect(events).toMatchObject([{ type: 'ERROR', error: { kind: 'KindUnknown' } }])
    },
  },
  {
    name: 'watch: a kind that comes with a CRD is there at once when it is Established',
    async run({ env, client, namespace }) {
      const { kind, body } = gadgetCrd(`g${namespace.slice(-8)}`)
      value(await client.create(crdKind, body as never, WRITE))
      await established(client, body.metadata.name)
      const gadget = { apiVersion: '', kind: 'Gadget', metadata: { name: 'g', namespace }, spec: {} }
      const made = value(await client.create(kind, gadget, WRITE))
      const first = await begun(env, () => client.watch(kind, { ...READ, namespace, resourceVersion: '0' }))
      expect(first).toMatchObject({ type: 'ADDED', object: { metadata: { uid: made.metadata.uid } } })
      value(await client.delete(crdKind, { name: body.metadata.name }, { ...WRITE, precondition: 'any' }))
    },
  },
]

export function gadgetCrd(group: string) {
  const name = `${group}.x.test`
  const kind = { group: name, version: 'v1', kind: 'Gadget', plural: 'gadgets', namespaced: true } as const
  return {
    kind,
    body: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `gadgets.${name}` },
      spec: {
        group: name,
        scope: 'Namespaced',
        names: { kind: 'Gadget', plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        ],
      },
    },
  }
}

/** Resolves when the kind of a CRD is served. */
export async function established(client: KubeClient, name: string): Promise<void> {
  const o = { ...READ, resourceVersion: '0', fieldSelector: `metadata.name=${name}`, timeoutSeconds: 20 }
  for await (const e of client.watch(crdKind, o)) {
    const conditions = 'object' in e ? at(e.object, 'status', 'conditions') : undefined
    if (!isArray(conditions)) continue
    if (conditions.some((c) => at(c, 'type') === 'Established' && at(c, 'status') === 'True')) return
  }
  throw new Error(`${name} was not established`)
}

/** The first event; until the cache of a new kind has begun a server (since 1.31) refuses with 429, and says when to ask again. */
async function begun<T extends KubeObject>(
  { clock }: Env,
  watch: () => AsyncIterable<WatchEvent<T>>,
): Promise<WatchEvent<T> | undefined> {
  for (;;) {
    const [first] = await take(watch(), 1)
    if (first?.type !== 'ERROR' || first.error.kind !== 'Throttled') return first
    await sleep(clock, first.error.retryAfterMs)
  }
}

/** The first `count` events that are no bookmarks. */
export async function take<T extends KubeObject>(
  watch: AsyncIterable<WatchEvent<T>>,
  count: number,
): Promise<WatchEvent<T>[]> {
  const events: WatchEvent<T>[] = []
  for await (const e of watch) {
    if (e.type !== 'BOOKMARK') events.push(e)
    if (events.length >= count) break
  }
  return events
}

export const readCases: readonly ClientCase[] = [...reads, ...watches]
