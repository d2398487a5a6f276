/** The controller from its image, with files of a Pod only, on real servers. Takes minutes: npm run test:real -- --long. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { installManifests } from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import { eventually } from '../e2e/lockstep.ts'
import { buildInCopy, type ImageBuild } from '../image/imagebuild.ts'
import { canUnpack, OWN_PLATFORM, UnpackedImage } from '../image/unpackedimage.ts'
import { loopbackEnv } from '../kube/loopbackenv.ts'
import { endpointOf, findPrograms, kubeconfigOf, type RealServers, startRealServers } from './realservers.ts'

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
const NAMESPACE = 'platform'

describe.skipIf(process.env.LOCKSTEP_LONG !== '1' || !canUnpack)('the controller from its image', () => {
  const env = loopbackEnv()
  let servers: RealServers
  let folder: string
  let build: ImageBuild
  let hub: KubeClient
  let cluster: KubeClient

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lockstep-image-real-'))
    build = await buildInCopy(folder, 'UTC', '022', OWN_PLATFORM)
    if ('refused' in build) console.warn(`image: skipped, ${build.refused}`)
    servers = await startRealServers(findPrograms()!, ['hub', 'c1'])
    const clientOf = (i: number) =>
      createHttpClient(env, `s${i}`, env.net.connect(endpointOf(servers.clusters[i]!), 'operator'), 'test')
    ;[hub, cluster] = [clientOf(0), clientOf(1)]
  }, 1_200_000)
  afterAll(async () => {
    await hub.close()
    await cluster.close()
    await servers.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(({ skip }) => {
    if ('refused' in build) skip('the inputs of the image are absent')
  })

  const kubectl = (args: readonly string[], objects?: readonly object[]) =>
    execFileSync('kubectl', ['--kubeconfig', join(folder, 'hub'), ...args], {
      encoding: 'utf8',
      input: objects && JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
      maxBuffer: 2 ** 26,
    }).trim()
  const apply = (objects: readonly object[]) => kubectl(['apply', '--server-side', '-f', '-'], objects)

  it('is ready, leads and delivers a Module with nothing writable but /tmp and its cache', async () => {
    const [hubServer, c1] = servers.clusters
    writeFileSync(join(folder, 'hub'), kubeconfigOf(hubServer!), { mode: 0o600 })
    apply(installManifests({ namespaces: [NAMESPACE], profiles: [] }))
    await eventually(async () => isServed(kubectl), 'all kinds are served')
    const image = new UnpackedImage((build as { layout: never }).layout, join(folder, 'root'))
    const token = kubectl(['create', 'token', 'lockstep-controller', '-n', 'lockstep-system'])
    const files = { token, 'ca.crt': hubServer!.ca, namespace: 'lockstep-system' }
    for (const [name, text] of Object.entries(files)) {
      const path = join(image.root, ACCOUNT, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    const { hostname, port } = new URL(hubServer!.url)
    const controller = image.start(
      ['/usr/bin/lockstep', 'controller', '--health-address=127.0.0.1:0', '--allow-host=127.0.0.0/8'],
      [`KUBERNETES_SERVICE_HOST=${hostname}`, `KUBERNETES_SERVICE_PORT=${port}`],
    )
    let log = ''
    controller.stderr!.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    try {
      apply([secretOf(kubeconfigOf(c1!)), MODULE])
      await eventually(async () => isReady(hub), 'the Module is ready')
      const read = await cluster.get(
        configMapKind,
        { name: 'delivered', namespace: 'default' },
        { purpose: 'user' },
      )
      expect(read).toMatchObject({ ok: true, value: { data: { a: '1' } } })
      const [, health] = /"address":"(http:[^"]*)","msg":"serves health checks"/.exec(log) ?? []
      let answer = ''
      const isReadyNow = async () => {
        const response = await fetch(`${health}/readyz?verbose`)
        answer = await response.text()
        return response.status === 200
      }
      await eventually(isReadyNow, 'the process is ready').catch((e) => {
        throw new Error(`${e.message}: ${answer}`)
      })
      expect(log).not.toMatch(/EROFS|EACCES|"level":"error"/)
    } finally {
      const ended = new Promise<number | null>((done) => controller.on('exit', (code) => done(code)))
      controller.kill('SIGTERM')
      expect({ code: await ended, log }).toEqual({ code: 0, log })
    }
  }, 300_000)
})

function isServed(kubectl: (args: readonly string[]) => string): boolean {
  try {
    kubectl(['get', 'lockstep', '-A'])
    return true
  } catch {
    return false
  }
}

async function isReady(hub: KubeClient): Promise<boolean> {
  const read = await hub.get(moduleKind, { name: 'web', namespace: NAMESPACE }, { purpose: 'user' })
  return read.ok && read.value.status?.conditions?.find((c) => c.type === 'Ready')?.status === 'True'
}

const secretOf = (kubeconfig: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'c1', namespace: NAMESPACE, labels: { 'lockstep.dev/cluster': 'true' } },
  stringData: { kubeconfig },
})

const MODULE = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { name: 'web', namespace: NAMESPACE },
  spec: {
    source: {
      inline: {
        objects: [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'delivered', namespace: 'default' },
            data: { a: '1' },
          },
        ],
      },
    },
    targets: { clusterSelector: {} },
  },
}
