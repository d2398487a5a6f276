/** Installation and its end on a real hub: manifests and chart, rights of the controller, old definitions, uninstall. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, type JsonObject, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { ownCrds } from '../../packages/lockstep/src/api/crd/crd.ts'
import { SCHEMA_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { PROFILES } from '../../packages/lockstep/src/api/rights.ts'
import { installManifests } from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import { clusterApiDefinitions } from '../../packages/simulators/src/clusterapi/definitions.cases.ts'
import { CHART, hasHelm, helm, helmPath, REPOSITORY, rendered } from '../charts/lockstepchart.ts'
import { eventually } from '../e2e/lockstep.ts'
import { sit } from '../e2e/person.ts'
import { findPrograms, kubeconfigOf, type RealServers, startRealServers } from './realservers.ts'

const IMAGE = `${REPOSITORY}:0.1.0`
const SYSTEM = 'lockstep-system'
const MODULES = 'modules.lockstep.dev'
const OF_PEOPLE = ['argocd', 'default', 'kube-node-lease', 'kube-public', 'kube-system', 'platform']
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0
if (!hasKubectl) console.warn('kubectl is not on the PATH: the installation is not tested')

let servers: RealServers
let folder: string
let kubeconfig: string

beforeAll(async () => {
  servers = await startRealServers(findPrograms()!, ['hub'])
  folder = mkdtempSync(join(tmpdir(), 'lockstep-install-real-'))
  kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, kubeconfigOf(servers.clusters[0]!), { mode: 0o600 })
}, 120_000)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await servers.stop()
})

function kubectl(args: readonly string[], objects?: readonly object[]) {
  const items = objects && JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })
  const env = { PATH: process.env.PATH, HOME: folder, KUBECONFIG: kubeconfig }
  const ran = spawnSync('kubectl', args, { env, input: items, encoding: 'utf8', maxBuffer: 2 ** 26 })
  return { code: ran.status, out: ran.stdout, err: ran.stderr }
}
const apply = (objects: readonly object[], ...more: string[]) =>
  kubectl(['apply', '--server-side', '--force-conflicts', ...more, '-f', '-'], objects)
/** Objects that name a namespace need it, also in a dry run. */
const createNamespaces = () => {
  const namespaces = [SYSTEM, 'platform', 'argocd']
  expect(
    apply(namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))).err,
  ).toBe('')
}
const lockstep = (args: string, config = kubeconfig) =>
  sit(args.split(' '), { variables: { KUBECONFIG: config, PATH: process.env.PATH ?? '' } })
const names = (kind: string): string[] =>
  kubectl(['get', kind, '-o', 'name'])
    .out.trim()
    .split('\n')
    .map((n) => n.replace(/^.*\//, ''))

const manifests = installManifests({ namespaces: ['platform'], profiles: [], controller: { image: IMAGE } })
/** Established kinds are served once the server has prepared their storage. */
const install = async () => {
  expect(apply(manifests)).toMatchObject({ code: 0, err: '' })
  await eventually(async () => kubectl(['get', 'lockstep', '-A']).code === 0, 'all kinds are served')
}

describe.skipIf(!hasKubectl)('a server-side dry run has no warning', () => {
  const all = { namespaces: ['platform'], profiles: PROFILES, controller: { image: IMAGE } }
  it.each([
    ['install', () => manifests],
    ['install --with all profiles', () => installManifests(all)],
  ])('%s', (_, objects) => {
    createNamespaces()
    expect(apply(objects(), '--dry-run=server')).toMatchObject({ code: 0, err: '' })
  })

  it.skipIf(!hasHelm).each([
    ['minimal', {}],
    [
      'with all that needs no other definitions',
      {
        with: PROFILES,
        receivers: { ingress: { host: 'hooks.example.com', className: 'x', tlsSecret: 'hooks' } },
        networkPolicy: { hooksFrom: [{ namespaceSelector: {} }], egress: [{ ports: [{ port: 3128 }] }] },
        credentialProviders: [
          {
            name: 'eks',
            execConfig: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws-eks-token' },
            servers: ['*.eks.amazonaws.com'],
            namespaces: ['platform'],
          },
        ],
        extraCAs: { configMap: 'company-ca' },
        proxy: { https: 'http://proxy:3128' },
        image: { repository: REPOSITORY, pullSecrets: ['registry'] },
      },
    ],
  ])('the chart, %s', (_, values) => {
    createNamespaces()
    const objects = rendered({ namespaces: ['platform'], image: { repository: REPOSITORY }, ...values })
    expect(apply(objects, '--dry-run=server')).toMatchObject({ code: 0, err: '' })
  })
})

describe.skipIf(!hasKubectl)('installed', () => {
  beforeAll(async () => {
    createNamespaces()
    await install()
  })

  it('Pods of the controller pass the profile restricted, which refuses others', () => {
    const deployment = manifests.find((o) => o.kind === 'Deployment')!
    const template = at(deployment, 'spec', 'template') as JsonObject
    const metadata = { ...(template.metadata as JsonObject), name: 'pod', namespace: SYSTEM }
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec as JsonObject }
    const create = (o: object) => kubectl(['create', '--dry-run=server', '-f', '-'], [o])
    expect(create(pod)).toMatchObject({ code: 0, err: '' })
    const { securityContext: _, ...unsafe } = pod.spec
    expect(create({ ...pod, spec: unsafe }).err).toMatch(/violates PodSecurity "restricted/)
  })

  it('check as the account of the controller finds everything', async () => {
    const { out } = await lockstep('check -o json', controllerConfig())
    const findings = (JSON.parse(out).findings as { name: string; state: string; for: string }[]).filter(
      (f) => !/^(git|ssh|helm|kustomize or kubectl)$/.test(f.name),
    )
    expect(findings.length).toBeGreaterThan(ownCrds().length + 5)
    expect(findings.filter((f) => f.state !== 'ok')).toEqual([])
  })

  it('a controller waits for definitions that are new enough, and leads soon after', async () => {
    const old = ['annotate', `crd/${MODULES}`, '--overwrite', `${SCHEMA_ANNOTATION}=0`]
    expect(kubectl(old).code).toBe(0)
    const controller = startController()
    try {
      const failed = await controller.logged('crds failed')
      expect(failed.err).toMatch(
        /^modules\.lockstep\.dev is at 0, this version needs \d+; apply the CRDs of /,
      )
      expect(kubectl(['get', 'lease', '-n', SYSTEM, '-o', 'name']).out).toBe('')
      await install()
      await controller.logged('crds ok')
      await controller.logged('controller started')
    } finally {
      controller.stop()
    }
  }, 90_000)
})

/** A kubeconfig with a token of the account lockstep-controller. */
function controllerConfig(): string {
  const token = kubectl(['create', 'token', 'lockstep-controller', '-n', SYSTEM]).out.trim()
  const path = join(folder, 'controller.kubeconfig')
  writeFileSync(path, kubeconfigOf({ ...servers.clusters[0]!, token }), { mode: 0o600 })
  return path
}

interface StartedController {
  /** The first line of the log with this message; waits for it. */
  logged(message: string): Promise<Readonly<Record<string, unknown>>>
  stop(): void
}

function startController(): StartedController {
  const args = [
    resolve('packages/lockstep/bin/lockstep.js'),
    'controller',
    '--kubeconfig',
    controllerConfig(),
  ]
  const env = { PATH: process.env.PATH, HOME: folder }
  const child: ChildProcess = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  child.stderr!.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  const lines = () =>
    text
      .split('\n')
      .slice(0, -1)
      .filter((l) => l.startsWith('{'))
      .map((l) => JSON.parse(l) as Readonly<Record<string, unknown>>)
  return {
    logged: async (message) => {
      await eventually(async () => lines().some((l) => l.msg === message), `the log has: ${message}`)
      return lines().find((l) => l.msg === message)!
    },
    stop: () => child.kill('SIGKILL'),
  }
}

const uninstallRelease = () => {
  const env = { ...process.env, PATH: helmPath }
  return spawnSync('helm', ['uninstall', 'lockstep', '-n', SYSTEM, '--kubeconfig', kubeconfig], { env })
}

const set = {
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSet',
  metadata: { name: 'cni', namespace: 'platform', annotations: { 'lockstep.dev/managed': 'true' } },
  spec: {
    strategy: 'ApplyOnce',
    clusterSelector: { matchLabels: { a: 'b' } },
    resources: [{ kind: 'ConfigMap', name: 'cni' }],
  },
}

describe.skipIf(!hasKubectl)('uninstalled', () => {
  const uninstall = async () => {
    const ran = await lockstep('uninstall --yes')
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('Confirmed the deletion of')])
    await eventually(async () => !names('namespaces').includes(SYSTEM), 'the namespace is deleted')
    expect(names('namespaces')).toEqual(OF_PEOPLE)
    expect(names('clusterroles,clusterrolebindings').filter((n) => n.startsWith('lockstep'))).toEqual([])
    expect(names('validatingadmissionpolicies').filter((n) => n.includes('lockstep'))).toEqual([])
    expect(names('crd').filter((n) => n.endsWith('lockstep.dev'))).toEqual([])
  }

  it('without Cluster API only namespaces of people remain', async () => {
    createNamespaces()
    await install()
    await uninstall()
  }, 90_000)

  it('with Cluster API its definitions and sets remain too', async () => {
    expect(apply(clusterApiDefinitions('1.13') as readonly KubeObject[]).code).toBe(0)
    createNamespaces()
    await install()
    const definition = 'crd/clusterresourcesets.addons.cluster.x-k8s.io'
    expect(kubectl(['wait', '--for=condition=Established', definition, '--timeout=60s']).code).toBe(0)
    expect(apply([set]).code).toBe(0)
    await uninstall()
    const left = JSON.parse(
      kubectl(['get', 'clusterresourcesets', 'cni', '-n', 'platform', '-o', 'json']).out,
    )
    expect(left.metadata.annotations?.['lockstep.dev/managed']).toBeUndefined()
  }, 90_000)

  it.skipIf(!hasHelm)(
    'by Helm: definitions and namespaces stay',
    async () => {
      const values = { namespaces: ['platform', 'team-h'], image: { repository: REPOSITORY } }
      const by = (...args: string[]) => helm([...args, '--kubeconfig', kubeconfig], values, SYSTEM, [])
      expect(by('install', 'lockstep', CHART, '--create-namespace')).toMatchObject({ code: 0, err: '' })
      expect(by('upgrade', 'lockstep', CHART)).toMatchObject({ code: 0, err: '' })
      const deployed = kubectl(['get', 'deployments', '-n', SYSTEM, '-o', 'name']).out
      expect(deployed).toBe('deployment.apps/lockstep-controller\n')
      expect(uninstallRelease().status).toBe(0)
      expect(names('crd').filter((n) => n.endsWith('lockstep.dev'))).toHaveLength(ownCrds().length)
      expect(names('namespaces')).toEqual(expect.arrayContaining(['platform', 'team-h']))
      expect(names('clusterroles').filter((n) => n.startsWith('lockstep'))).toEqual([])
    },
    90_000,
  )
})
