/** The order in which things happened on one server, by its own versions. */
import type { Kind, Stored } from '../../src/api/kind.ts'
import { configMapKind } from '../../src/api/kinds/foreign.ts'
import { deploymentKind, READ, value } from '../../src/kube/client.cases.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { at, isArray, type KubeObject } from '../../src/object/object.ts'

export interface Recorder {
  /** What happened until now, oldest first. */
  stop(): readonly string[]
}

/**
 * `created a`, `changed a`, `deleted a` of ConfigMaps; of Deployments also `available a` once that many Pods run the
 * newest template.
 */
export async function record(client: KubeClient, namespace: string): Promise<Recorder> {
  const stopping = new AbortController()
  const seen: { readonly version: bigint; readonly what: string }[] = []
  const note = (o: Stored, what: string): void =>
    void seen.push({ version: BigInt(o.metadata.resourceVersion), what: `${what} ${o.metadata.name}` })
  await Promise.all([
    follow(client, configMapKind, namespace, stopping.signal, note),
    follow(client, deploymentKind, namespace, stopping.signal, (o, what) => {
      if (isAvailable(o)) note(o, 'available')
      else if (what !== 'changed') note(o, what)
    }),
  ])
  return {
    stop() {
      stopping.abort()
      const ordered = [...seen].sort((a, b) => (a.version < b.version ? -1 : 1)).map((s) => s.what)
      return ordered.filter((what, i) => what !== ordered[i - 1])
    },
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
  const run = async (): Promise<void> => {
    for await (const e of client.watch(kind, { ...READ, namespace, resourceVersion, signal })) {
      if (e.type === 'ADDED') note(e.object, 'created')
      if (e.type === 'MODIFIED') note(e.object, 'changed')
      if (e.type === 'DELETED') note(e.object, 'deleted')
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

/** Whether all of `first` come before `then`, each being there. */
export function comesBefore(events: readonly string[], first: string, then: string): boolean {
  const [a, b] = [events.indexOf(first), events.indexOf(then)]
  return a >= 0 && b >= 0 && a < b
}
