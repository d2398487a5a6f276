/** The order in which things happened on one server, by its own versions. */
import { expect } from 'vitest'
import { deploymentKind, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { at, isArray, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import { jobKind } from './casemanifests.ts'

export interface Recorder {
  /** Waits until it has happened. */
  until(event: string): Promise<void>
  /** So far, of that kind: each a single time. */
  expectOnce(what: string): void
  /** Waits until both have happened; then the one has to be older. */
  expectOrder(first: string, then: string): Promise<void>
  /** Nothing of that kind so far: `deleted`. */
  expectNone(what: string): void
  stop(): void
}

/**
 * `created a`, `changed a`, `deleted a` of ConfigMaps; of Deployments also `available a` once that many Pods run the
 * newest template, of Jobs `complete a`. Whoever waits for one waits as long as its case does for anything.
 */
export async function record(
  client: KubeClient,
  namespace: string,
  patienceSeconds: number,
): Promise<Recorder> {
  const stopping = new AbortController()
  const versions = new Map<string, bigint>()
  const repeated: string[] = []
  let news: () => void = () => {}
  const note = (o: Stored, what: string): void => {
    const event = `${what} ${o.metadata.name}`
    if (versions.has(event)) repeated.push(event)
    else versions.set(event, BigInt(o.metadata.resourceVersion))
    news()
  }
  await Promise.all([
    follow(client, configMapKind, namespace, stopping.signal, note),
    follow(client, deploymentKind, namespace, stopping.signal, (o, what) => {
      if (isAvailable(o)) note(o, 'available')
      else if (what !== 'changed') note(o, what)
    }),
    follow(client, jobKind, namespace, stopping.signal, (o, what) => {
      note(o, what === 'changed' && isComplete(o) ? 'complete' : what)
    }),
  ])
  const seen = async (event: string): Promise<bigint> => {
    const late = AbortSignal.timeout(1000 * patienceSeconds)
    late.addEventListener('abort', () => news(), { once: true })
    while (!versions.has(event) && !late.aborted) {
      await new Promise<void>((resolve) => {
        news = resolve
      })
    }
    const version = versions.get(event)
    if (version === undefined)
      throw new Error(`"${event}" has not happened; there were: ${[...versions.keys()].join(', ')}`)
    return version
  }
  return {
    async expectOrder(first, then) {
      const [a, b] = [await seen(first), await seen(then)]
      expect(a < b, `"${first}" (${a}) before "${then}" (${b})`).toBe(true)
    },
    until: async (event) => void (await seen(event)),
    expectOnce: (what) => expect(repeated.filter((e) => e.startsWith(what))).toEqual([]),
    expectNone: (what) => expect([...versions.keys()].filter((e) => e.startsWith(what))).toEqual([]),
    stop: () => stopping.abort(),
  }
}

async function follow(
  client: KubeClient,
  kind: Kind,
  namespace: string,
  signal: AbortSignal,
  note: (o: Stored, what: string) => void,
): Promise<void> {
  const { resourceVersion } = value(await client.list(kind, { ...READ, namespace }))
  let from = resourceVersion
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      for await (const e of client.watch(kind, { ...READ, namespace, resourceVersion: from, signal })) {
        if (e.type === 'ERROR') break
        from = e.type === 'BOOKMARK' ? e.resourceVersion : e.object.metadata.resourceVersion
        if (e.type === 'ADDED') note(e.object, 'created')
        if (e.type === 'MODIFIED') note(e.object, 'changed')
        if (e.type === 'DELETED') note(e.object, 'deleted')
      }
      // A connection that breaks off is begun again where it was: nothing is missed.
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  void run()
}

function isAvailable(o: KubeObject): boolean {
  const conditions = at(o, 'status', 'conditions')
  const isNew = at(o, 'status', 'observedGeneration') === o.metadata.generation
  const says =
    isArray(conditions) && conditions.some((c) => at(c, 'type') === 'Available' && at(c, 'status') === 'True')
  return (
    isNew &&
    says &&
    at(o, 'status', 'updatedReplicas') === 1 &&
    at(o, 'status', 'unavailableReplicas') === undefined
  )
}

function isComplete(o: KubeObject): boolean {
  const list = at(o, 'status', 'conditions')
  return isArray(list) && list.some((c) => at(c, 'type') === 'Complete' && at(c, 'status') === 'True')
}
