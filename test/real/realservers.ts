/**
 * Real Kubernetes API servers for tests: one etcd, and for each name a kube-apiserver with a kube-controller-manager.
 * No kubelet and no scheduler: Pods are simulated by a client (`world.ts`).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, fetch } from 'undici'
import type { Endpoint } from '../../packages/kube/src/env/net.ts'

/** Plain data: a test runner hands it from the process that started the servers to those that use them. */
export interface RealCluster {
  readonly name: string
  readonly url: string
  readonly ca: string
  readonly token: string
  /** File of its audit log: an event of audit.k8s.io/v1 a line. */
  readonly auditLog: string
  /** Of a user, `plain` of the group `people`, to whom no role is bound. */
  readonly plainToken: string
}

export interface RealServers {
  readonly clusters: readonly RealCluster[]
  stop(): Promise<void>
}

const READY_MS = 60_000
const AUDIT_LOG = 'audit.log'
const AUDIT_POLICY = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
})
const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager'] as const

/** Where the programs are; undefined if one is missing. */
export function findPrograms(): string | undefined {
  const folders = [process.env.KUBEBUILDER_ASSETS, '/usr/local/kubebuilder/bin'].filter(
    (f) => f !== undefined,
  )
  return folders.find((folder) => PROGRAMS.every((p) => existsSync(join(folder, p))))
}

export const endpointOf = (c: RealCluster): Endpoint => ({
  url: c.url,
  tls: { ca: c.ca },
  headers: { authorization: `Bearer ${c.token}` },
})

export function kubeconfigOf(c: RealCluster): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': c.name,
    contexts: [{ name: c.name, context: { cluster: c.name, user: c.name } }],
    clusters: [
      {
        name: c.name,
        cluster: { server: c.url, 'certificate-authority-data': Buffer.from(c.ca).toString('base64') },
      },
    ],
    users: [{ name: c.name, user: { token: c.token } }],
  })
}

/** `bare`: without a controller-manager, so that nobody but the test writes. `flags`: more of each kube-apiserver. */
export async function startRealServers(
  programs: string,
  names: readonly string[],
  bare: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<RealServers> {
  const run = new ServerRun(programs, await mkdtemp(join(tmpdir(), 'lockstep-real-')))
  try {
    const etcd = await run.etcd()
    const clusters = await Promise.all([...names, ...bare].map((name) => run.cluster(name, etcd, flags)))
    for (const c of clusters) if (names.includes(c.name)) run.controllers(c)
    return { clusters, stop: () => run.stop() }
  } catch (e) {
    await run.stop()
    throw e
  }
}

class ServerRun {
  private readonly programs: string
  private readonly folder: string
  private readonly children: { readonly name: string; readonly child: ChildProcess; log: string }[] = []

  constructor(programs: string, folder: string) {
    this.programs = programs
    this.folder = folder
    // A test run that dies leaves no servers behind.
    process.once('exit', () => {
      for (const { child } of this.children) child.kill('SIGKILL')
    })
  }

  async etcd(): Promise<string> {
    const [client, peer] = [await freePort(), await freePort()]
    const url = `http://127.0.0.1:${client}`
    this.start('etcd', 'etcd', [
      `--data-dir=${join(this.folder, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      '--unsafe-no-fsync',
      '--log-level=error',
    ])
    await this.until('etcd', async () => (await fetch(`${url}/health`)).status === 200)
    // A server whose cache begins at revision 1 has the whole past: nothing of it is too old, as on no real cluster.
    const body = JSON.stringify({ key: btoa('lockstep'), value: btoa('older') })
    for (let i = 0; i < 3; i++) {
      const put = await fetch(`${url}/v3/kv/put`, { method: 'POST', body })
      if (put.status !== 200) throw new Error(`etcd does not take a key: ${await put.text()}`)
    }
    return url
  }

  async cluster(name: string, etcd: string, flags: readonly string[]): Promise<RealCluster> {
    const folder = join(this.folder, name)
    await mkdir(folder, { recursive: true })
    const [token, plainToken] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
    const users = `${token},admin,,"system:masters"\n${plainToken},plain,,"people"\n`
    await writeFile(join(folder, 'tokens.csv'), users, { mode: 0o600 })
    await writeFile(join(folder, 'audit.yaml'), AUDIT_POLICY)
    await writeKeys(folder)
    const port = await freePort()
    const url = `https://127.0.0.1:${port}`
    const all = [...apiServerFlags(folder, name, etcd, port), ...flags]
    this.start(`kube-apiserver ${name}`, 'kube-apiserver', all)
    const agent = new Agent({ connect: { rejectUnauthorized: false } })
    await this.until(`kube-apiserver ${name}`, async () => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`${url}/readyz`, { dispatcher: agent, headers })).status === 200
    })
    await agent.close()
    const cluster = {
      name,
      url,
      token,
      plainToken,
      auditLog: join(folder, AUDIT_LOG),
      ca: await readFile(join(folder, 'apiserver.crt'), 'utf8'),
    }
    await writeFile(join(folder, 'kubeconfig'), kubeconfigOf(cluster), { mode: 0o600 })
    return cluster
  }

  controllers({ name }: RealCluster): void {
    const flags = managerFlags(join(this.folder, name))
    this.start(`kube-controller-manager ${name}`, 'kube-controller-manager', flags)
  }

  /** Ends all, first what depends on others, and takes the files away. */
  async stop(): Promise<void> {
    for (const { child } of [...this.children].reverse()) await end(child)
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  private start(name: string, program: string, args: readonly string[]): void {
    const child = spawn(join(this.programs, program), args, {
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const entry = { name, child, log: '' }
    child.stderr?.on('data', (text: Buffer) => {
      entry.log = (entry.log + text.toString()).slice(-4000)
    })
    this.children.push(entry)
  }

  /** These programs tell nobody when they are ready, so they are asked. */
  private async until(name: string, isReady: () => Promise<boolean>): Promise<void> {
    const { child, log } = this.children.find((c) => c.name === name)!
    const deadline = Date.now() + READY_MS
    while (Date.now() < deadline && child.exitCode === null) {
      if (await isReady().catch(() => false)) return
      await pause(100)
    }
    throw new Error(
      `${name} is not ready; its last words: ${this.children.find((c) => c.name === name)?.log || log}`,
    )
  }
}

function apiServerFlags(folder: string, name: string, etcd: string, port: number): string[] {
  return [
    `--etcd-servers=${etcd}`,
    `--etcd-prefix=/${name}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    `--audit-policy-file=${join(folder, 'audit.yaml')}`,
    `--audit-log-path=${join(folder, AUDIT_LOG)}`,
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-cluster-ip-range=10.0.0.0/16',
    // As envtest does: nobody makes tokens for Pods that never run.
    '--disable-admission-plugins=ServiceAccount',
    // Platforms bring agents that need it; real clusters allow it.
    '--allow-privileged=true',
    '--profiling=false',
  ]
}

/** Those that act on what is delivered; none of cloud, nodes and certificates. */
const CONTROLLERS = [
  'namespace-controller',
  'garbage-collector-controller',
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'daemonset-controller',
  'job-controller',
  'ttl-after-finished-controller',
  'cronjob-controller',
  'disruption-controller',
  'serviceaccount-controller',
  'endpointslice-controller',
  'clusterrole-aggregation-controller',
]

const managerFlags = (folder: string): string[] => [
  `--kubeconfig=${join(folder, 'kubeconfig')}`,
  `--controllers=${CONTROLLERS.join(',')}`,
  `--service-account-private-key-file=${join(folder, 'sa.key')}`,
  '--bind-address=127.0.0.1',
  '--secure-port=0',
  '--leader-elect=false',
  '--kube-api-qps=200',
  '--kube-api-burst=400',
]

async function writeKeys(folder: string): Promise<void> {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  await writeFile(join(folder, 'sa.key'), pair.privateKey, { mode: 0o600 })
  await writeFile(join(folder, 'sa.pub'), pair.publicKey)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** Asks it to end, and ends it if it does not. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), 3000)
  await ended
  clearTimeout(patience)
}
