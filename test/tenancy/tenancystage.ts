/** A hub with RBAC and what `lockstep install` prints, one cluster, and `dev`, who has the role edit in one namespace. */

import { setTimeout as pause } from 'node:timers/promises'
import type { ImpersonatingClient, KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Env } from '../../packages/kube/src/env/env.ts'
import { LOOPBACK } from '../../packages/kube/src/env/hostrefusal.ts'
import type { Endpoint } from '../../packages/kube/src/env/net.ts'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { parseYamlStream } from '../../packages/kube/src/object/index.ts'
import { defineKind, type Kind, type Stored } from '../../packages/kube/src/object/kind.ts'
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { CLUSTER_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import type { Profile } from '../../packages/lockstep/src/api/rights.ts'
import { PLATFORM, TEAM } from '../../packages/lockstep/src/cli/commands/demo/tenancy/attacks.ts'
import { installManifests } from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import { type Manager, startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { AuditEntry } from '../audit/auditentry.ts'

const WRITE = { purpose: 'user', manager: 'test', force: true, precondition: 'any' } as const

interface BlockedStatus {
  readonly blockers?: readonly { readonly reason: string; readonly message: string }[]
  readonly environments?: readonly BlockedStatus[]
}

/** Servers of one kind: embedded, or real. */
export interface TenancyServers {
  readonly env: Env
  /** With the rights of an administrator, or of `dev`, whose name is `devName`. */
  readonly admin: Endpoint
  readonly dev: Endpoint
  readonly devName: string
  /** kubeconfig of the cluster `c1`, for an administrator of it. */
  readonly kubeconfig: string
  /** Requests to the hub so far. */
  audit(): Promise<readonly AuditEntry[]>
  /** Watches of the hub that were opened as a user, and are open. */
  openWatches(user: string): Promise<readonly AuditEntry[]>
  stop(): Promise<void>
}

export class TenancyStage {
  readonly servers: TenancyServers
  readonly admin: KubeClient
  readonly dev: KubeClient
  /** Another user: may write Modules in the namespace, and act as no account. */
  readonly editor: KubeClient
  manager: Manager | undefined
  private controller: ImpersonatingClient | undefined

  constructor(servers: TenancyServers) {
    this.servers = servers
    const { env } = servers
    const admin = createHttpClient(env, 'hub', env.net.connect(servers.admin, 'operator'), 'admin')
    this.admin = admin
    this.editor = admin.as('editor')
    this.dev = createHttpClient(env, 'hub', env.net.connect(servers.dev, 'operator'), 'dev')
  }

  /** The installation, its controller, and a Module of the platform that is delivered to `c1`. */
  async open(profiles: readonly Profile[] = []): Promise<void> {
    const { devName, kubeconfig } = this.servers
    await this.apply(this.admin, installManifests({ namespaces: [PLATFORM, TEAM], profiles }))
    await this.apply(this.admin, [bindingTo('edit', devName), bindingTo('lockstep-edit', 'editor')])
    const metadata = { name: 'c1', namespace: PLATFORM, labels: { [CLUSTER_LABEL]: 'true' } }
    await this.apply(this.admin, [{ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { kubeconfig } }])
    await this.restart()
  }

  /** Another process of the controller. */
  async restart(): Promise<void> {
    this.manager?.stop()
    await this.controller?.close()
    const token = await this.controllerToken()
    const { env, admin } = this.servers
    const endpoint = { ...admin, headers: { authorization: `Bearer ${token}` } }
    const connection = env.net.connect(endpoint, 'operator')
    this.controller = createHttpClient(env, 'hub', connection, 'lockstep-controller')
    this.manager = startManager(env, this.controller, { allowHosts: LOOPBACK })
    await this.manager.started
  }

  async close(): Promise<void> {
    this.manager?.stop()
    await this.controller?.close()
    await this.admin.close()
    await this.dev.close()
    await this.servers.stop()
  }

  /** Documents in YAML, or objects. */
  async apply(as: KubeClient, what: string | readonly object[]): Promise<void> {
    for (const o of objectsOf(what)) {
      const done = await this.tryApply(as, o)
      if (!done.ok) throw new Error(`${o.kind} ${o.metadata.name}: ${JSON.stringify(done.error)}`)
    }
  }

  async tryApply(as: KubeClient, o: KubeObject) {
    let kind = await this.kindOf(o)
    // A definition is served a moment after it was written.
    for (let i = 0; i < 200 && !kind; i++) {
      await pause(50)
      kind = await this.kindOf(o)
    }
    if (!kind) throw new Error(`${o.apiVersion} ${o.kind} is not served`)
    // As kubectl does: unknown fields are refused.
    return as.apply(kind, o, { ...WRITE, validate: 'Strict' })
  }

  /** A request with the credential of the controller. */
  asController<T>(send: (client: ImpersonatingClient) => Promise<T>): Promise<T> {
    return send(this.controller!)
  }

  async tryDelete(apiVersion: string, kind: string, name: string, namespace?: string) {
    const of = await this.kindOf({ apiVersion, kind } as KubeObject)
    return this.admin.delete(of!, { name, ...(namespace ? { namespace } : {}) }, WRITE)
  }

  async find(apiVersion: string, kind: string, name: string, namespace?: string) {
    const of = await this.kindOf({ apiVersion, kind } as KubeObject)
    const found = of && (await this.admin.get(of, { name, ...(namespace ? { namespace } : {}) }, WRITE))
    return found?.ok ? found.value : undefined
  }

  async module(namespace: string, name: string): Promise<Stored<Module> | undefined> {
    const found = await this.admin.get(moduleKind, { namespace, name }, WRITE)
    return found.ok ? found.value : undefined
  }

  /** `Reason: message` of its blockers. */
  async blockers(namespace: string, name: string, kind: Kind = moduleKind): Promise<string[]> {
    const found = await this.admin.get(kind, { namespace, name }, WRITE)
    const { status } = (found.ok ? found.value : {}) as { status?: BlockedStatus }
    const all = [status, ...(status?.environments ?? [])].flatMap((s) => s?.blockers ?? [])
    return all.map((b) => `${b.reason}: ${b.message}`)
  }

  /** Waits, as long as that takes, until something holds. */
  async until<T>(what: string, look: () => Promise<T | undefined | false>, seconds = 60): Promise<T> {
    for (let left = seconds * 20; ; left--) {
      const found = await look()
      if (found) return found
      if (left === 0) throw new Error(`${what}: not within ${seconds} s`)
      await pause(50)
    }
  }

  private async controllerToken(): Promise<string> {
    const { env, admin } = this.servers
    const connection = env.net.connect(admin, 'operator')
    const answer = await connection.request({
      method: 'POST',
      path: '/api/v1/namespaces/lockstep-system/serviceaccounts/lockstep-controller/token',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    })
    if (!answer.ok) throw new Error(answer.error.detail)
    const text = await answer.value.text()
    await connection.close()
    if (!text.ok || answer.value.status !== 201) throw new Error(JSON.stringify(text))
    return JSON.parse(text.value).status.token
  }

  private async kindOf({ apiVersion, kind }: KubeObject): Promise<Kind | undefined> {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
    if (apiVersion === 'v1' && kind === 'ConfigMap') return configMapKind as unknown as Kind
    if (apiVersion === 'v1' && kind === 'Secret') return secretKind as unknown as Kind
    const served = await this.admin.discover({ purpose: 'user' })
    const found = served.ok
      ? served.value.find((r) => r.group === group && r.version === version && r.kind === kind)
      : undefined
    return found && defineKind(found)
  }
}

const objectsOf = (what: string | readonly object[]): KubeObject[] =>
  (typeof what === 'string' ? parseYamlStream(what) : what) as KubeObject[]

const bindingTo = (role: string, user: string): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: `dev-${role}`, namespace: TEAM },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
})
