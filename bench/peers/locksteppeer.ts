/** Lockstep as its users run it: installed by the command line, the controllers in a process. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startInformer } from '../../packages/kube/src/cache/informer.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { kubeconfigOf } from '../../test/real/realservers.ts'
import { type LayoutUnit, unitObjects } from '../../test/requests/layout.ts'
import { inParallel } from './inparallel.ts'
import type { Peer, PeerPlace } from './peer.ts'

const LOCKSTEP = join(process.cwd(), 'packages/lockstep/bin/lockstep.js')
const NAMESPACE = 'default'
const USER = { purpose: 'user', manager: 'bench', force: true, precondition: 'any' } as const

export async function startLockstep(place: PeerPlace): Promise<Peer> {
  const { env, client, cluster, folder } = place
  const kubeconfig = join(folder, 'lockstep.kubeconfig')
  await writeFile(kubeconfig, kubeconfigOf(cluster), { mode: 0o600 })
  const install = ['install', '--namespaces', NAMESPACE, '--controller=false']
  const manifests = run(process.execPath, [LOCKSTEP, ...install], '')
  run('kubectl', ['apply', '--server-side', '--kubeconfig', kubeconfig, '-f', '-'], manifests)
  let isStopping = false
  const controller = spawn(process.execPath, [LOCKSTEP, 'controller', '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  controller.once('exit', (code) => {
    if (!isStopping) throw new Error(`lockstep controller ended with ${code}: see ${folder}`)
  })
  controller.stderr.pipe(createWriteStream(join(folder, 'lockstep.log')))
  const modules = startInformer<Module, Module>(env, client, {
    kind: moduleKind,
    namespace: NAMESPACE,
    project: (o) => o,
  })
  const { store } = modules
  await new Promise<void>((resolve) => store.onSynced(resolve))
  /** Resolves at the event after which `holds` is true. */
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      if (holds()) return resolve()
      const cancel = store.subscribe(() => {
        if (!holds()) return
        cancel()
        resolve()
      })
    })
  const isReady = ({ name }: LayoutUnit, version: string): boolean => {
    const m = store.get({ namespace: NAMESPACE, name })
    const ready = m?.status?.conditions?.find((c) => c.type === 'Ready')
    return ready?.status === 'True' && m?.status?.release === version
  }
  return {
    name: 'lockstep',
    pids: { 'lockstep controller': controller.pid! },
    async release(units, version) {
      const begun = performance.now()
      await inParallel(units, async (unit) => {
        const done = await client.apply(moduleKind, moduleOf(unit, version), USER)
        if (!done.ok) throw new Error(JSON.stringify(done.error))
      })
      const written = performance.now()
      // A unit that is ready is not checked again, so an event costs this client little.
      const left = new Set(units)
      await until(() => {
        for (const unit of left) if (isReady(unit, version)) left.delete(unit)
        return left.size === 0
      })
      return { writing: written - begun, delivering: performance.now() - written }
    },
    async deleteAll(units) {
      const begun = performance.now()
      await inParallel(units, async ({ name }) => {
        await client.delete(moduleKind, { namespace: NAMESPACE, name }, USER)
      })
      // Deletions of more than half of the units wait for a person.
      const allow = ['removal', 'allow', '-n', NAMESPACE, '--all', '--kubeconfig', kubeconfig]
      await once(spawn(process.execPath, [LOCKSTEP, ...allow], { stdio: 'ignore' }), 'exit')
      await until(() => [...store.all()].length === 0)
      return performance.now() - begun
    },
    async stop() {
      isStopping = true
      modules.stop()
      controller.kill('SIGTERM')
      await once(controller, 'exit')
    },
  }
}

function run(program: string, args: readonly string[], input: string): string {
  const done = spawnSync(program, args, { encoding: 'utf8', input, maxBuffer: 1 << 26 })
  if (done.status !== 0) throw new Error(`${program} ${args[0]}: ${done.stderr}`)
  return done.stdout
}

const moduleOf = ({ name, needs }: LayoutUnit, version: string): Module =>
  ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      release: version,
      targets: { hub: true },
      source: { inline: { objects: unitObjects(name, version) } },
      ...(needs.length === 0
        ? {}
        : { dependsOn: needs.map((n) => ({ id: n, module: { kind: 'Module', name: n } })) }),
    },
  }) as unknown as Module
