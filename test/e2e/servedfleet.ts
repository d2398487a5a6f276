/** One `lockstep up` for all files of a worker: each has a namespace of its own, and its objects are deleted after it. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { parse, stringify } from 'yaml'
import { ownKinds } from '../../packages/lockstep/src/api/registry.ts'
import { type AuditEntry, type AuditedRequest, auditEntry } from '../audit/auditentry.ts'
import { auditProblems } from '../audit/auditproblems.ts'
import { kubeFetch } from './kubefetch.ts'
import { BIN, eventually, surroundings } from './lockstep.ts'

/** Writes the audit log. */
const AUDIT = resolve('test/e2e/auditpreload.js')
/** As many as any file asks for. */
const CLUSTERS = 3
/** Where `lockstep up` puts Secrets of clusters, and the manifests of `examples` their objects. */
const FLEET_NAMESPACE = 'platform'
const OWN = 'apis/lockstep.dev/v1alpha1'

export interface NamespacedFleet {
  /** Its current context is the hub, with the namespace. */
  readonly kubeconfig: string
  /** For files of the test; deleted at the end. */
  readonly folder: string
  readonly namespace: string
  readonly output: () => string
  /**
   * Deletes all objects of its namespaces, on the hub and on clusters. The fleet stays. Fails if the controller sent a request with its
   * own rights that is not a record.
   */
  end(): Promise<void>
}

export interface NamespaceClaim {
  /** How many clusters have a Secret in the namespace. */
  readonly clusters: number
  /** Only where manifests name it; else it is a new one. */
  readonly namespace?: typeof FLEET_NAMESPACE
  /** Namespaces that the file makes itself. */
  readonly also?: readonly string[]
}

interface SharedFleet {
  readonly config: KubeConfig
  /** Path of its kubeconfig. */
  readonly kubeconfig: string
  readonly output: () => string
  readonly secrets: readonly ClusterSecret[]
  /** Each line is a request to one of its servers. */
  readonly auditLog: string
}

interface KubeConfig {
  readonly clusters: readonly { readonly name: string }[]
  readonly contexts: readonly {
    readonly name: string
    readonly context: { readonly cluster: string; readonly user: string; readonly namespace?: string }
  }[]
}

interface ClusterSecret {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly data: Readonly<Record<string, string>>
}

let shared: Promise<SharedFleet> | undefined
let claims = 0

/** The fleet of this worker, started at the first claim, with a namespace for one file. */
export async function servedFleet(claim: NamespaceClaim): Promise<NamespacedFleet> {
  const fleet = await (shared ?? startShared())
  shared = Promise.resolve(fleet)
  const namespace = claim.namespace ?? `team-${++claims}`
  const hub = fleet.kubeconfig
  if (claim.namespace === undefined)
    await send(hub, 'POST', 'api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    })
  if (claim.also !== undefined)
    await send(hub, 'POST', `${RBAC}/clusterrolebindings`, editorBinding(namespace))
  for (const { metadata, data } of fleet.secrets.slice(0, claim.clusters))
    await send(hub, 'POST', `api/v1/namespaces/${namespace}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: metadata.name, labels: metadata.labels },
      data,
    })
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-e2e-'))
  const kubeconfig = join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, stringify(configOf(fleet.config, claim.clusters, namespace)))
  return {
    kubeconfig,
    folder,
    namespace,
    output: fleet.output,
    end: async () => {
      // The next file starts a fleet of its own unless this one is empty again.
      shared = undefined
      for (const name of [...(claim.also ?? []), namespace]) await removeOwn(hub, name)
      for (const name of [...(claim.also ?? []), namespace]) await removeRest(hub, name)
      rmSync(folder, { recursive: true, force: true })
      shared = Promise.resolve(fleet)
      expect(auditProblems(hubRequests(fleet.auditLog))).toEqual([])
    },
  }
}

const HUB = '/clusters/hub'

/** Requests to the hub since its start, without refusals in namespaces that are deleted: their RoleBindings go first. */
function* hubRequests(auditLog: string): Iterable<AuditEntry> {
  const deleted = new Set<string>()
  for (const line of readFileSync(auditLog, 'utf8').split('\n')) {
    const request: AuditedRequest | undefined = line === '' ? undefined : JSON.parse(line)
    const entry = request?.url.startsWith(`${HUB}/`)
      ? auditEntry({ ...request, url: request.url.slice(HUB.length) })
      : undefined
    if (entry?.verb === 'delete' && entry.resource === 'namespaces') deleted.add(entry.name)
    if (entry && !(entry.code === 403 && deleted.has(entry.namespace))) yield entry
  }
}

/** The hub and the first clusters. */
const RBAC = 'apis/rbac.authorization.k8s.io/v1'

/** Accounts of the namespace may edit the others of the file, too. */
const editorBinding = (namespace: string): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: `${namespace}-edit` },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
  subjects: [
    { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: `system:serviceaccounts:${namespace}` },
  ],
})

const configOf = (config: KubeConfig, clusters: number, namespace: string): KubeConfig => ({
  ...config,
  clusters: config.clusters.slice(0, clusters + 1),
  contexts: config.contexts
    .slice(0, clusters + 1)
    .map((c, i) => (i === 0 ? { ...c, context: { ...c.context, namespace } } : c)),
})

/** To the hub. */
async function send(kubeconfig: string, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await kubeFetch(kubeconfig, 'hub', `/${path}`, {
    method,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  if (!answer.ok && answer.status !== 404) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

async function namesIn(hub: string, collection: string): Promise<string[]> {
  const { items = [] } = (await send(hub, 'GET', collection)) as {
    items?: { metadata: { name: string } }[]
  }
  return items.map(({ metadata }) => metadata.name)
}

async function removeAll(hub: string, collection: string): Promise<void> {
  for (const name of await namesIn(hub, collection)) await send(hub, 'DELETE', `${collection}/${name}`)
}

const collectionOf = (namespace: string, plural: string): string => `${OWN}/namespaces/${namespace}/${plural}`
/** One for each cluster, as long as its Secret exists. */
const ASSEMBLAGES = 'remoteassemblages'

/** Secrets of clusters stay until controllers have deleted the objects on clusters. */
async function removeOwn(hub: string, namespace: string): Promise<void> {
  let left: string[] = []
  await eventually(
    async () => {
      for (const { plural, internal } of ownKinds)
        if (internal !== true && plural !== ASSEMBLAGES) await removeAll(hub, collectionOf(namespace, plural))
      left = []
      for (const { plural } of ownKinds)
        if (plural !== ASSEMBLAGES) left.push(...(await namesIn(hub, collectionOf(namespace, plural))))
      return left.length === 0
    },
    `nothing is left in namespace ${namespace}`,
    () => left.join('\n'),
  )
}

async function removeRest(hub: string, namespace: string): Promise<void> {
  for (const plural of ['secrets', 'configmaps', 'events'])
    await removeAll(hub, `api/v1/namespaces/${namespace}/${plural}`)
  await removeAll(hub, collectionOf(namespace, ASSEMBLAGES))
  if (namespace !== FLEET_NAMESPACE) await send(hub, 'DELETE', `api/v1/namespaces/${namespace}`)
}

/** Reads a line that never comes: the end of its input is the end of the worker, however that ended. */
const UNTIL_WORKER_ENDS = '"$@" & read -r _; kill $!; wait $!; rm -rf "$0"'

async function startShared(): Promise<SharedFleet> {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-served-'))
  const path = join(folder, 'kubeconfig')
  const auditLog = join(folder, 'audit.log')
  const up = [process.execPath, '--import', AUDIT, BIN, 'up', '--clusters', String(CLUSTERS)]
  const child = spawn('sh', ['-c', UNTIL_WORKER_ENDS, folder, ...up, '--kubeconfig-out', path], {
    env: surroundings({ LOCKSTEP_AUDIT_LOG: auditLog }),
  })
  let output = ''
  await new Promise<void>((ready, failed) => {
    const hear = (text: string): void => {
      output += text
      if (output.includes('In another terminal')) ready()
    }
    child.stdout.setEncoding('utf8').on('data', hear)
    child.stderr.setEncoding('utf8').on('data', hear)
    child.on('exit', () => failed(new Error(`lockstep up ended: ${output}`)))
  })
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as Socket).unref()
  const config = parse(readFileSync(path, 'utf8')) as KubeConfig
  const { items } = (await send(path, 'GET', `api/v1/namespaces/${FLEET_NAMESPACE}/secrets`)) as {
    items: ClusterSecret[]
  }
  await removeAll(path, `api/v1/namespaces/${FLEET_NAMESPACE}/secrets`)
  return { config, kubeconfig: path, output: () => output, secrets: items, auditLog }
}
