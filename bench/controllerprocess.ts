/** The controller in a process of its own, the servers in another one: CPU and memory are of the controller alone. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReadOnlyStore } from '../packages/kube/src/cache/index.ts'
import { startInformer } from '../packages/kube/src/cache/informer.ts'
import type { KubeClient } from '../packages/kube/src/client/client.ts'
import { createHttpClient } from '../packages/kube/src/client/httpclient.ts'
import type { Endpoint } from '../packages/kube/src/env/net.ts'
import { createNodeEnv } from '../packages/kube/src/env/node/nodeenv.ts'
import { type Module, moduleKind } from '../packages/lockstep/src/api/kinds/index.ts'
import { FLEET_NAMESPACE, HUB, kubeconfigOf } from '../packages/lockstep/src/cli/kit/localfleet/localfleet.ts'
import { quiet } from '../test/kube/subjects.ts'
import type { ScaledSize } from '../test/requests/scaledfleet.ts'
import type { BenchReport } from './benchreport.ts'
import { processFigures } from './peers/serverfigures.ts'
import { startServers } from './startservers.ts'

const LOCKSTEP = join(process.cwd(), 'packages/lockstep/bin/lockstep.js')
const USER = { purpose: 'user', manager: 'bench', precondition: 'any', force: true } as const

export async function controllerProcess(
  report: BenchReport,
  script: string,
  size: ScaledSize,
): Promise<void> {
  const servers = await startServers(script, size.clusters)
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-bench-'))
  const controller = await startController(folder, servers.hub)
  const env = createNodeEnv(quiet)
  const hub = createHttpClient(env, 'hub', env.net.connect(servers.hub, 'operator'), 'bench')
  const modules = startInformer<Module, Module>(env, hub, {
    kind: moduleKind,
    namespace: FLEET_NAMESPACE,
    project: (o) => o,
  })
  try {
    await new Promise<void>((resolve) => modules.store.onSynced(resolve))
    await Promise.race([measure(report, size, { hub, store: modules.store, controller }), ended(controller)])
  } finally {
    modules.stop()
    await hub.close()
    controller.kill('SIGKILL')
    await servers.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Measured {
  readonly hub: KubeClient
  readonly store: ReadOnlyStore<Module>
  readonly controller: ChildProcess
}

async function measure(report: BenchReport, size: ScaledSize, m: Measured): Promise<void> {
  const what = `${size.clusters} clusters × ${size.modules} modules × ${size.objects} objects, the controller alone`
  for (const version of ['1', '2']) {
    const [from, before] = [performance.now(), processFigures(m.controller.pid!)]
    await release(version, size, m)
    const after = processFigures(m.controller.pid!)
    report.figure(`${what}, release ${version}: wall seconds`, (performance.now() - from) / 1000)
    if (!before || !after) continue
    const cpuMs = (1000 * (after.cpuSeconds - before.cpuSeconds)) / size.clusters / size.modules
    report.figure(`${what}, release ${version}: CPU ms a unit`, cpuMs)
    report.figure(`${what}, after release ${version}: MiB`, after.residentMiB)
  }
}

/** Until every Module is ready at it on every cluster. */
async function release(version: string, size: ScaledSize, { hub, store }: Measured): Promise<void> {
  const isReady = ({ status }: Module): boolean =>
    status?.release === version && status.ready === `${size.clusters}/${size.clusters}`
  const ready = new Promise<void>((resolve) => {
    const cancel = store.subscribe(() => {
      const all = [...store.all()]
      if (all.length < size.modules || !all.every(isReady)) return
      cancel()
      resolve()
    })
  })
  for (let i = 0; i < size.modules; i++) {
    const done = await hub.apply(moduleKind, moduleOf(i, size, version), USER)
    if (!done.ok) throw new Error(JSON.stringify(done.error))
  }
  await ready
}

async function ended(controller: ChildProcess): Promise<never> {
  const [code, signal] = await once(controller, 'exit')
  throw new Error(`lockstep controller ended with ${code ?? signal}`)
}

async function startController(folder: string, { url, tls, headers }: Endpoint): Promise<ChildProcess> {
  const file = join(folder, 'kubeconfig')
  const [ca, token] = [tls?.ca, headers?.authorization?.replace('Bearer ', '')]
  const access = { url, ...(ca === undefined ? {} : { ca }), ...(token === undefined ? {} : { token }) }
  await writeFile(
    file,
    kubeconfigOf([HUB], () => access, FLEET_NAMESPACE),
    { mode: 0o600 },
  )
  const args = [LOCKSTEP, 'controller', '--kubeconfig', file, '--allow-host', '127.0.0.0/8']
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** All Modules need the first one. One object of a unit changes. */
function moduleOf(i: number, { objects }: ScaledSize, version: string): Module {
  const maps = Array.from({ length: objects }, (_, n) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `m${i}-${n}`, namespace: 'default' },
    data: { value: n === 0 ? version : 'same' },
  }))
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name: `m${i}`, namespace: FLEET_NAMESPACE },
    spec: {
      release: version,
      source: { inline: { objects: maps } },
      targets: { clusterSelector: {} },
      rollout: { strategy: 'Replace' },
      ...(i === 0 ? {} : { dependsOn: [{ id: 'm0', module: { kind: 'Module', name: 'm0' } }] }),
    },
  } as unknown as Module
}
