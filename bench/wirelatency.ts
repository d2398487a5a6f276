/**
 * From the commit that makes a dependency healthy to the request that first touches its dependent, over real sockets: the
 * servers in a process of their own, so that one clock sees both ends.
 */
import type { ImpersonatingClient, KubeClient } from '../packages/kube/src/client/client.ts'
import { createHttpClient } from '../packages/kube/src/client/httpclient.ts'
import { LOOPBACK } from '../packages/kube/src/env/hostrefusal.ts'
import { createNodeEnv } from '../packages/kube/src/env/node/nodeenv.ts'
import { configMapKind } from '../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../packages/kube/src/object/index.ts'
import { moduleKind } from '../packages/lockstep/src/api/kinds/module/columns.ts'
import { startManager } from '../packages/lockstep/src/controllers/manager/manager.ts'
import { quiet } from '../test/kube/subjects.ts'
import type { BenchReport } from './benchreport.ts'
import { type Servers, startServers } from './startservers.ts'

const NAMESPACE = 'platform'
const USER = { purpose: 'user', manager: 'bench', precondition: 'any', force: true } as const

/** One pair after the other: `a` moves to the next release, and `b`, which was written first, follows. */
export async function dependencyToDependant(
  report: BenchReport,
  script: string,
  edges: number,
): Promise<void> {
  const env = createNodeEnv(quiet)
  const servers = await startServers(script)
  const connect = (name: 'hub' | 'c0', agent: string): ImpersonatingClient =>
    createHttpClient(env, name, env.net.connect(servers[name], 'operator'), agent)
  const hub = connect('hub', 'bench')
  const manager = startManager(env, connect('hub', 'lockstep-controller'), { allowHosts: LOOPBACK })
  await manager.started
  const ours: number[] = []
  for (let i = 0; i < edges; i++) {
    const { done } = await servers.arm('edge', `r${i}`)
    await write(hub, i, 'b')
    await write(hub, i, 'a')
    ours.push(await done)
  }
  manager.stop()
  const raw = await rawLimit(connect('c0', 'bench'), hub, servers, edges)
  const what = `dependency healthy → first request of its dependent, ${edges} dependencies`
  for (const [name, all] of [
    ['', ours],
    [', raw: an event, a swap and a patch', raw],
  ] as const) {
    report.figure(`${what}${name}: p50 ms`, quantile(all, 0.5))
    report.figure(`${what}${name}: p99 ms`, quantile(all, 0.99))
  }
  report.figure(`${what}: ours ÷ raw, p50`, quantile(ours, 0.5) / quantile(raw, 0.5))
  await hub.close()
  await servers.stop()
}

async function write(hub: KubeClient, round: number, name: 'a' | 'b'): Promise<void> {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { round: String(round) },
  }
  const body = {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      release: `r${round}`,
      source: { inline: { objects: [object] } },
      targets: { clusterSelector: {} },
      ...(name === 'b' ? { dependsOn: [{ id: 'a', module: { kind: 'Module', name: 'a' } }] } : {}),
    },
  }
  await must(hub.apply(moduleKind, body as unknown as KubeObject, USER))
}

/** Lower bound of any client of such an API: seen by a watch, swapped on one server, patched on another. */
async function rawLimit(
  cluster: KubeClient,
  hub: KubeClient,
  servers: Servers,
  rounds: number,
): Promise<number[]> {
  const map = (name: string, round: number) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: NAMESPACE },
    data: { round: String(round) },
  })
  const own = await must(hub.apply(configMapKind, map('raw-own', -1), USER))
  await must(hub.apply(configMapKind, map('raw-trigger', -1), USER))
  const { resourceVersion } = (await must(
    hub.list(configMapKind, { purpose: 'user', namespace: NAMESPACE }),
  )) as {
    resourceVersion: string
  }
  const watch = hub.watch(configMapKind, {
    purpose: 'user',
    namespace: NAMESPACE,
    fieldSelector: 'metadata.name=raw-trigger',
    resourceVersion,
    timeoutSeconds: 3600,
  })
  const events = watch[Symbol.asyncIterator]()
  const all: number[] = []
  let held = own
  for (let i = 0; i < rounds; i++) {
    const { done } = await servers.arm('raw', '')
    await must(hub.apply(configMapKind, map('raw-trigger', i), USER))
    await events.next()
    held = await must(hub.update(configMapKind, { ...held, data: { round: String(i) } }, USER))
    const patched = { ...map('raw-patched', i), metadata: { name: 'raw-patched', namespace: 'default' } }
    await must(cluster.apply(configMapKind, patched, USER))
    all.push(await done)
  }
  await cluster.close()
  return all
}

function quantile(all: readonly number[], q: number): number {
  const sorted = [...all].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!
}

async function must<T>(answer: Promise<{ ok: true; value: T } | { ok: false; error: unknown }>): Promise<T> {
  const done = await answer
  if (!done.ok) throw new Error(JSON.stringify(done.error))
  return done.value
}
