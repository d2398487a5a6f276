/** Every command of the pages about backup and troubleshooting: a hub is lost, and another one takes over its cluster. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { untypedFences } from '../docs/consolepage.ts'
import { hasKubectl, LAUNCHER, PageShell } from './pageshell.ts'
import { findPrograms, kubeconfigOf, type RealServers, startRealServers } from './realservers.ts'

const BACKUP = 'docs/operations/backup.md'
const TROUBLE = 'docs/operations/troubleshooting.md'

let servers: RealServers
let shell: PageShell
const controllers: ChildProcess[] = []

beforeAll(async () => {
  servers = await startRealServers(findPrograms()!, ['lost', 'new', 'edge'])
  shell = new PageShell()
  for (const c of servers.clusters) shell.add(c)
}, 120_000)
afterAll(async () => {
  for (const controller of controllers) controller.kill('SIGKILL')
  shell.close()
  await servers.stop()
})

async function install(hub: string): Promise<void> {
  const command =
    'lockstep install --namespaces platform --controller=false | kubectl apply --server-side -f -'
  expect(shell.run(hub, command)).toMatchObject({ code: 0 })
  await shell.until(hub, 'kubectl get lockstep -A')
  const address = ['--allow-host', `platform=${new URL(clusterOf('edge').url).host}`]
  const options = ['controller', '--kubeconfig', join(shell.folder, hub), ...address]
  controllers.push(spawn(process.execPath, [LAUNCHER, ...options], { stdio: 'ignore' }))
}

const clusterOf = (name: string) => servers.clusters.find((c) => c.name === name)!

/** A Module whose ConfigMap is on the cluster. */
function deploy(hub: string): Promise<void> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'edge',
      namespace: 'platform',
      labels: { 'lockstep.dev/cluster': 'true', env: 'prod' },
    },
    stringData: { kubeconfig: kubeconfigOf(clusterOf('edge')) },
  }
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'web', namespace: 'web' },
    data: { v: '1' },
  }
  const module = {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name: 'web', namespace: 'platform' },
    spec: {
      source: {
        inline: { objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } }, manifest] },
      },
      targets: { clusterSelector: { matchLabels: { env: 'prod' } } },
    },
  }
  const list = { apiVersion: 'v1', kind: 'List', items: [secret, module] }
  writeFileSync(join(shell.folder, 'objects.json'), JSON.stringify(list))
  expect(shell.run(hub, 'kubectl apply -f objects.json')).toMatchObject({ code: 0 })
  return shell.until(hub, 'lockstep wait module/web --for ready --timeout 60s -n platform')
}

it.each([BACKUP, TROUBLE])('%s: every fence is either run or marked as text', (page) => {
  expect(untypedFences(page)).toBe(0)
})

const hasJq = spawnSync('jq', ['--version']).status === 0

describe.skipIf(!hasKubectl || !hasJq)('the commands of', () => {
  it('backup, restore and troubleshooting', async () => {
    await install('lost')
    await deploy('lost')
    for (const section of [
      'A Module is not ready',
      'A cluster is not connected',
      'The controller does nothing',
    ])
      await shell.follow('lost', TROUBLE, section)
    await shell.follow('lost', BACKUP, 'By objects')
    const ended = once(controllers[0]!, 'exit')
    controllers[0]!.kill('SIGTERM')
    await ended
    const before = content()
    await install('new')
    const reasons = "kubectl get module web -n platform -o jsonpath='{.status.blockers[*].reason}'"
    await shell.follow('new', BACKUP, 'Restore into a new hub', async (command) => {
      if (command.startsWith('lockstep adopt')) await shell.until('new', reasons, 'OwnedByAnotherHub')
    })
    expect(content()).toEqual(before)
  }, 300_000)
})

/** The object on the cluster without its marks. */
function content(): string {
  const { out } = shell.run('edge', "kubectl get configmap web -n web -o jsonpath='{.metadata.uid} {.data}'")
  return out
}
