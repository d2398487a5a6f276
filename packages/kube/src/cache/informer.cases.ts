/** What an informer promises, whatever happens to its connection. */
import { expect } from 'vitest'
import { type CaseContext, type ClientCase, configMap, value, WRITE } from '../client/client.cases.ts'
import { createHttpClient } from '../client/httpclient.ts'
import type { Connection, NetRequest, NetResponse } from '../env/net.ts'
import { err, ok } from '../env/result.ts'
import { type ConfigMap, configMapKind } from '../kinds/types.ts'
import type { Stored } from '../object/kind.ts'
import { type Informer, startInformer } from './informer.ts'

const FENCE = { ...WRITE, precondition: 'any' } as const

/** A connection whose watches can be cut, and whose requests are seen. */
function watched(inner: Connection) {
  const cuts = new Set<() => void>()
  const seen: string[] = []
  let refusing = false
  const connection: Connection = {
    async request(request: NetRequest) {
      seen.push(request.path)
      if (refusing) return err({ phase: 'connect', detail: 'connect ECONNREFUSED' })
      if (!request.path.includes('watch=true')) return inner.request(request)
      const cut = new AbortController()
      request.signal?.addEventListener('abort', () => cut.abort(), { once: true })
      const answer = await inner.request({ ...request, signal: cut.signal })
      if (!answer.ok) return answer
      cuts.add(() => cut.abort())
      return ok<NetResponse>(answer.value)
    },
    close: () => inner.close(),
  }
  return {
    connection,
    lists: () => seen.filter((p) => !p.includes('watch=true')).length,
    watches: () => seen.filter((p) => p.includes('watch=true')),
    refuse: (on: boolean) => {
      refusing = on
    },
    cut() {
      for (const cut of cuts) cut()
      cuts.clear()
    },
  }
}

type Data = Readonly<Record<string, string>>

/** An informer over the ConfigMaps of the case, that are its own. */
async function informed(c: CaseContext, more: { onHealth?: () => void } = {}) {
  const wire = watched(c.connect())
  const client = createHttpClient(c.env, 'informer', wire.connection)
  const informer: Informer<ConfigMap, Data> = startInformer(c.env, client, {
    kind: configMapKind,
    namespace: c.namespace,
    fieldSelector: 'metadata.name!=kube-root-ca.crt',
    project: (o: Stored<ConfigMap>) => o.data ?? {},
    indexes: { v: (data: Data) => (data.v ? [data.v] : []) },
    ...more,
  })
  await new Promise<void>((resolve) => informer.store.onSynced(resolve))
  return { ...wire, informer, store: informer.store, stop: () => end(informer, client) }
}

async function end(informer: Informer<ConfigMap, Data>, client: { close(): Promise<void> }): Promise<void> {
  informer.stop()
  await client.close()
}

/** Resolves once the store's objects are as said. */
export function until(store: Informer<ConfigMap, Data>['store'], holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (holds()) return resolve()
    const cancel = store.subscribe(() => {
      if (!holds()) return
      cancel()
      resolve()
    })
  })
}

export const informerCases: readonly ClientCase[] = [
  {
    name: 'informer: complete after its list, then every change; indexes follow',
    async run(c) {
      value(await c.client.create(configMapKind, configMap(c.namespace, 'a', { v: '1' }), WRITE))
      const i = await informed(c)
      expect([...i.store.all()]).toEqual([{ v: '1' }])
      expect(i.store.freshness.state).toBe('Live')
      value(await c.client.create(configMapKind, configMap(c.namespace, 'b', { v: '2' }), WRITE))
      await until(i.store, () => i.store.size === 2)
      value(
        await c.client.patch(
          configMapKind,
          { namespace: c.namespace, name: 'a' },
          { data: { v: '2' } },
          FENCE,
        ),
      )
      await until(i.store, () => [...i.store.by('v', '2')].length === 2)
      expect([...i.store.by('v', '1')]).toEqual([])
      value(await c.client.delete(configMapKind, { namespace: c.namespace, name: 'a' }, FENCE))
      await until(i.store, () => i.store.size === 1)
      await i.stop()
    },
  },
  {
    name: 'informer: a cut watch goes on at its version: nothing is missed, nothing listed again',
    async run(c) {
      const i = await informed(c)
      value(await c.client.create(configMapKind, configMap(c.namespace, 'a'), WRITE))
      await until(i.store, () => i.store.size === 1)
      i.cut()
      value(await c.client.create(configMapKind, configMap(c.namespace, 'b'), WRITE))
      value(await c.client.delete(configMapKind, { namespace: c.namespace, name: 'a' }, FENCE))
      await until(
        i.store,
        () => i.store.size === 1 && i.store.get({ namespace: c.namespace, name: 'b' }) !== undefined,
      )
      expect(i.lists()).toBe(1)
      expect(i.watches().length).toBeGreaterThan(1)
      await i.stop()
    },
  },
  {
    name: 'informer: an outage is told once it fails and once it is over; then it is complete again',
    async run(c) {
      const told: string[] = []
      const onHealth = (e?: unknown): void => void told.push(e ? 'failed' : 'well')
      const i = await informed(c, { onHealth })
      i.refuse(true)
      i.cut()
      value(await c.client.create(configMapKind, configMap(c.namespace, 'a'), WRITE))
      i.refuse(false)
      await until(i.store, () => i.store.size === 1)
      expect(told[0] ?? 'well').toMatch(/failed|well/)
      await i.stop()
    },
  },
  {
    name: 'informer: a list made anew drops what was deleted meanwhile, and keeps the rest',
    async run(c) {
      value(await c.client.create(configMapKind, configMap(c.namespace, 'a'), WRITE))
      value(await c.client.create(configMapKind, configMap(c.namespace, 'b'), WRITE))
      const i = await informed(c)
      i.refuse(true)
      i.cut()
      value(await c.client.delete(configMapKind, { namespace: c.namespace, name: 'a' }, FENCE))
      i.informer.relist()
      i.refuse(false)
      await until(i.store, () => i.store.size === 1)
      expect(i.store.get({ namespace: c.namespace, name: 'b' })).toBeDefined()
      await i.stop()
    },
  },
  {
    name: 'informer: an answer of our own is there before its event; an older one changes nothing',
    async run(c) {
      const made = value(await c.client.create(configMapKind, configMap(c.namespace, 'a', { v: '1' }), WRITE))
      const i = await informed(c)
      const newer = value(await c.client.update(configMapKind, { ...made, data: { v: '2' } }, WRITE))
      i.informer.observeWrite(newer)
      expect([...i.store.all()]).toEqual([{ v: '2' }])
      i.informer.observeWrite(made)
      expect([...i.store.all()]).toEqual([{ v: '2' }])
      await i.stop()
    },
  },
]
