/** A hub and two clusters, whatever serves them, and the controllers that work on them. */

import { ANY, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import type { ImpersonatingClient, KubeClient, ListOptions } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Env } from '../../packages/kube/src/env/env.ts'
import type { Endpoint, Net } from '../../packages/kube/src/env/net.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import {
  configMapKind,
  eventKind,
  type KubernetesEvent,
  namespaceKind,
  secretKind,
} from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, encodeJson, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Kind, Stored } from '../../packages/kube/src/object/kind.ts'
import { type Inventory, inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { CLUSTER_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { type Manager, startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { ManagerOptions } from '../../packages/lockstep/src/controllers/runtime/options.ts'
import { inventoryName } from '../../packages/lockstep/src/deliver/plan/unitnames.ts'
import type { ExecProviders } from '../../packages/lockstep/src/fleet/credentials/provider.ts'
import type { WebhookReceiver } from '../../packages/lockstep/src/gitproviders/events/webhookreceiver.ts'
import type { World } from '../../packages/simulators/src/world/startworld.ts'
import type { AuditEntry } from '../audit/auditentry.ts'
import { accountsAdmin, clusterRoleBindingKind } from '../fleet/accountrights.ts'
import { connectAs } from '../kube/connectas.ts'
import { installHub } from './installhub.ts'
import { type Recorder, record } from './recorder.ts'

export interface Server {
  /** A client of a person, or of a test. */
  readonly client: KubeClient
  /** As a cluster's Secret has it. */
  readonly kubeconfig: string
  readonly world: World
}

export interface FleetSubject {
  readonly env: Env
  readonly hub: Server
  readonly c1: Server
  /** Of no corner, unless a case asks for it. */
  readonly c2: Server
  /** Requests to the hub; absent: they are not recorded. */
  readonly audit?: readonly AuditEntry[]
  /** Hosts that were contacted; absent: they are not recorded. */
  readonly contacts?: ReadonlySet<string>
  /** A new client of the hub for a process of controllers; `around`: the network between them. */
  controllerClient(around?: (net: Net) => Net): ImpersonatingClient
  /** A client of the hub that acts for somebody else. */
  hubAs(user: string): KubeClient
  /** The same clusters under a hub of its own, which its `stop` destroys. */
  withOtherHub(): Promise<FleetSubject>
  stop(): Promise<void>
}

/** Clients of a hub that serves at `endpoint`. */
export const fleetOf = (
  env: Env,
  endpoint: Endpoint,
  servers: Pick<FleetSubject, 'hub' | 'c1' | 'c2'>,
): Pick<FleetSubject, 'env' | 'hub' | 'c1' | 'c2' | 'controllerClient' | 'hubAs'> => ({
  env,
  ...servers,
  controllerClient: (around = (net) => net) =>
    createHttpClient(env, 'hub', around(env.net).connect(endpoint, 'operator'), 'lockstep-controller'),
  hubAs: (user) => createHttpClient(env, 'hub', connectAs(env.net.connect(endpoint, 'operator'), user), user),
})

/** A case waits no longer than this for what it expects, if it does not say otherwise: real servers on two cores are slow. */
export const PATIENCE_SECONDS = 120

const FORCE = { ...WRITE, precondition: 'any', force: true } as const

/** A credential plugin that gives what the inventory told it. */
const ECHO =
  'const {apiVersion, spec} = JSON.parse(process.env.KUBERNETES_EXEC_INFO); console.log(JSON.stringify({apiVersion, kind: "ExecCredential", status: spec.cluster.config}))'
/** Namespaces of all corners. */
export const NAMESPACES: string[] = []
const echo: ExecProviders = {
  file: 'providers.json',
  list: [
    {
      name: 'echo',
      program: {
        owner: 'credential provider echo',
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: ['-e', ECHO],
        env: {},
        provideClusterInfo: true,
      },
      servers: ['127.0.0.1', 'localhost'],
      namespaces: NAMESPACES,
    },
  ],
}

/** A connection that breaks off, a version that is too old by now, a cache that has not begun. */
const MAY_PASS: ReadonlySet<string> = new Set(['Unreachable', 'Expired', 'Throttled'])

/** Controllers that can be killed and started again. */
export class SubjectControllers {
  private readonly subject: FleetSubject
  private readonly options: ManagerOptions
  private manager: Manager | undefined

  constructor(subject: FleetSubject, options: ManagerOptions = {}) {
    this.subject = subject
    this.options = { providers: echo, argocdNamespaces: NAMESPACES, ...options }
  }

  start(): void {
    this.manager ??= startManager(this.subject.env, this.subject.controllerClient(), this.options)
  }

  /** Where events about pipelines go. */
  get eventDesk(): WebhookReceiver | undefined {
    return this.manager?.eventDesk
  }

  kill(): void {
    this.manager?.stop()
    this.manager = undefined
  }
}

/** One case's own corner of the fleet: a namespace on the hub, and one of the same name on the cluster. */
export class Corner {
  readonly namespace: string
  readonly hub: KubeClient
  readonly c1: KubeClient
  readonly subject: FleetSubject
  readonly controllers: SubjectControllers
  private readonly patienceSeconds: number
  private recorder: Recorder | undefined

  constructor(
    subject: FleetSubject,
    controllers: SubjectControllers,
    patienceSeconds: number,
    namespace = `case-${subject.env.random.uuid().slice(0, 8)}`,
  ) {
    this.subject = subject
    this.controllers = controllers
    this.patienceSeconds = patienceSeconds
    this.namespace = namespace
    NAMESPACES.push(this.namespace)
    this.hub = subject.hub.client
    this.c1 = subject.c1.client
  }

  async open(): Promise<void> {
    await this.openHub()
    value(await this.c1.create(namespaceKind, this.body, WRITE))
    await this.cluster('c1', this.subject.c1.kubeconfig)
  }

  private get body() {
    return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } }
  }

  private async openHub(): Promise<void> {
    value(await this.hub.create(namespaceKind, this.body, WRITE))
    value(await this.hub.create(clusterRoleBindingKind, accountsAdmin(this.namespace), WRITE))
  }

  /** This corner under another hub, which has nothing but the clusters `c1` and `c2`; to be closed by the case. */
  async underOtherHub(): Promise<Corner> {
    const subject = await this.subject.withOtherHub()
    await installHub(subject.hub.client)
    const corner = new Corner(
      subject,
      new SubjectControllers(subject, {}),
      this.patienceSeconds,
      this.namespace,
    )
    await corner.openHub()
    for (const name of ['c1', 'c2'] as const) await corner.cluster(name, subject[name].kubeconfig)
    return corner
  }

  /** A second cluster, for this case. */
  async joinSecond(): Promise<KubeClient> {
    const { client, kubeconfig } = this.subject.c2
    value(await client.create(namespaceKind, this.body, WRITE))
    await this.cluster('c2', kubeconfig)
    return client
  }

  close(): void {
    this.recorder?.stop()
  }

  /** From now on, on the cluster. */
  async record(): Promise<Recorder> {
    this.recorder?.stop()
    this.recorder = await record(this.c1, this.namespace, this.patienceSeconds)
    return this.recorder
  }

  /** Registers a cluster by its kubeconfig. */
  async cluster(name: string, kubeconfig: string): Promise<void> {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: this.namespace, labels: { [CLUSTER_LABEL]: 'true' } },
      data: { kubeconfig: bytesToBase64(new TextEncoder().encode(kubeconfig)) },
    }
    value(await this.hub.apply(secretKind, secret, FORCE))
  }

  /** Manifests as the input of a module; several of them are one text. */
  async manifests(name: string, objects: readonly object[]): Promise<void> {
    const text = objects.map((o) => encodeJson(o)).join('\n---\n')
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: this.namespace },
      data: { 'all.yaml': text },
    }
    value(await this.hub.apply(configMapKind, body, FORCE))
  }

  async module(name: string, spec: object): Promise<void> {
    const body = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Module',
      metadata: { name, namespace: this.namespace },
      spec: { targets: { clusters: ['c1'] }, ...spec },
    }
    value(await this.hub.apply(moduleKind, body as unknown as KubeObject, FORCE))
  }

  /** Input and module of one version at once. */
  async release(name: string, version: number, objects: readonly object[], more: object = {}): Promise<void> {
    await this.manifests(`${name}-v${version}`, objects)
    await this.module(name, {
      release: `v${version}`,
      source: { configMaps: [{ name: `${name}-v${version}` }] },
      ...more,
    })
  }

  async deleteModule(name: string): Promise<void> {
    value(await this.hub.delete(moduleKind, { namespace: this.namespace, name }, ANY))
  }

  /** Resolves with the module once it is as described. */
  untilModule(name: string, what: string, holds: (m: Stored<Module>) => boolean): Promise<Stored<Module>> {
    return this.until(this.hub, moduleKind, name, what, (o) => o !== undefined && holds(o))
  }

  untilInventory(
    module: string,
    what: string,
    holds: (i: Stored<Inventory>) => boolean,
  ): Promise<Stored<Inventory>> {
    const ref = { kind: 'Module', namespace: this.namespace, name: module } as const
    return this.until(
      this.hub,
      inventoryKind,
      inventoryName(ref, 'c1'),
      what,
      (o) => o !== undefined && holds(o),
    )
  }

  /** Ready with all that was asked for last. */
  untilReady(name: string): Promise<Stored<Module>> {
    return this.untilModule(name, 'ready', (m) => {
      const isSeen = m.status?.observedGeneration === m.metadata.generation
      const isReleased = m.status?.release === m.spec.release
      return isSeen && isReleased && condition(m, 'Ready')?.status === 'True'
    })
  }

  /** An Event of the namespace with this reason, in whose note this text is. */
  async untilEvent(reason: string, text: string): Promise<void> {
    const isIt = (e: KubernetesEvent) => e.reason === reason && e.note?.includes(text) === true
    for await (const events of this.states(this.hub, eventKind, { ...READ, namespace: this.namespace }))
      if (events.some(isIt)) return
    throw new Error(`no event ${reason}: ${text} after ${this.patienceSeconds}s`)
  }

  untilGone(client: KubeClient, kind: Kind, name: string): Promise<void> {
    return this.until(client, kind, name, 'gone', (o) => o === undefined).then(() => undefined)
  }

  /**
   * What is there, and again after each change, until patience is over. What breaks off is begun again, as any client does; a list
   * of a kind that was defined a moment ago is refused with 429 by a real server (since 1.31), which says when to ask again.
   */
  async *states<T extends KubeObject>(
    client: KubeClient,
    kind: Kind<T>,
    scope: ListOptions,
  ): AsyncIterable<readonly Stored<T>[]> {
    const { clock } = this.subject.env
    const end = clock.steady() + 1000 * this.patienceSeconds
    const leftSeconds = () => Math.ceil((end - clock.steady()) / 1000)
    while (leftSeconds() > 0) {
      const found = await client.list(kind, scope)
      if (!found.ok) {
        if (!MAY_PASS.has(found.error.kind)) return value(found) as never
        await sleep(clock, found.error.kind === 'Throttled' ? found.error.retryAfterMs : 1000)
        continue
      }
      const { items, resourceVersion } = found.value
      const all = new Map(items.map((o) => [o.metadata.uid, o]))
      yield [...all.values()]
      for await (const e of client.watch(kind, {
        ...scope,
        resourceVersion,
        timeoutSeconds: leftSeconds(),
      })) {
        if (e.type === 'ERROR' && !MAY_PASS.has(e.error.kind)) throw new Error(JSON.stringify(e.error))
        if (e.type === 'ERROR') break
        if (e.type === 'BOOKMARK') continue
        if (e.type === 'DELETED') all.delete(e.object.metadata.uid)
        else all.set(e.object.metadata.uid, e.object)
        yield [...all.values()]
      }
    }
  }

  /** Watches one object until it is as described; `undefined` is its absence. Says what it saw last if that never comes. */
  async until<T extends KubeObject>(
    client: KubeClient,
    kind: Kind<T>,
    name: string,
    what: string,
    holds: (o: Stored<T> | undefined) => boolean,
  ): Promise<Stored<T>> {
    const scope = { ...READ, namespace: this.namespace, fieldSelector: `metadata.name=${name}` }
    let last: Stored<T> | undefined
    for await (const [found] of this.states(client, kind, scope)) {
      last = found
      if (holds(last)) return last as Stored<T>
    }
    const seen = last && { ...last, metadata: { ...last.metadata, managedFields: undefined } }
    throw new Error(
      `${kind.kind} ${name} is not ${what} after ${this.patienceSeconds}s: ${JSON.stringify(seen, null, 1)}`,
    )
  }
}

type HasConditions = {
  readonly status?:
    | {
        readonly conditions?:
          | readonly {
              readonly type: string
              readonly status: string
              readonly reason: string
              readonly message: string
            }[]
          | undefined
      }
    | undefined
}

export const condition = (o: HasConditions, type: string) =>
  o.status?.conditions?.find((c) => c.type === type)
