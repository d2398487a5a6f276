/** A cluster with a simulated Flux, in virtual time, for tests. */

import { createApiServer } from '../../../apiserver/src/server/apiserver.ts'
import type { CommitRecord } from '../../../apiserver/src/server/tracewrites.ts'
import { createSimEnv } from '../../../kube/src/env/sim/simenv.ts'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { type Delays, startWorld } from '../world/startworld.ts'
import { Artifacts } from './artifacts.ts'
import { fluxDefinitions } from './fluxdefinitions.ts'
import { type FluxKind, RESOURCES } from './fluxkind.ts'
import type { FluxOptions } from './fluxoptions.ts'
import { conditionsOf, type FluxCondition } from './fluxsubject.ts'
import { startFlux } from './startflux.ts'

/** A write and when it was made, in milliseconds from the start. */
export interface TimedWrite extends CommitRecord {
  readonly atMs: number
}

const WORKLOADS: Delays = { notice: [5, 5], start: [1000, 1000] }
const PERSON = 'person'
const NS = 'default'

type Loose = { readonly [name: string]: unknown }

export interface PlaygroundOptions extends Partial<FluxOptions> {
  readonly seed?: string
  readonly workloads?: Delays
}

export function playground(options: PlaygroundOptions = {}) {
  const { seed = 'flux', workloads = WORKLOADS, ...flux } = options
  const env = createSimEnv(seed)
  const writes: TimedWrite[] = []
  const server = createApiServer(env, {
    name: 'c1',
    onCommit: (c) => writes.push({ ...c, atMs: env.clock.steady() }),
  })
  const { local } = server
  for (const d of fluxDefinitions()) {
    const made = local.create(d, PERSON)
    if (!made.ok) throw new Error(made.error.message)
  }
  const artifacts = new Artifacts()
  const lag: { [kind in FluxKind]?: number } = {}
  const world = startWorld(env, local, { name: 'c1', delays: workloads })
  const start = () =>
    startFlux(env, local, { name: 'c1', jitter: 0, lagMs: (kind) => lag[kind] ?? 0, ...flux }, artifacts)
  const must = (object: KubeObject): KubeObject => {
    const done = local.apply(object, PERSON, { force: true })
    if (!done.ok) throw new Error(done.error.message)
    return done.value
  }
  const get = (kind: FluxKind, name: string): KubeObject => {
    const found = local.get(RESOURCES[kind], NS, name)
    if (!found) throw new Error(`no ${kind} ${name}`)
    return found
  }
  return {
    env,
    server,
    local,
    world,
    artifacts,
    writes,
    /** How far caches are behind from now on, milliseconds. */
    lag,
    start,
    /** Server-side apply, as a person's tool does it. */
    apply: (...objects: readonly KubeObject[]): void => objects.forEach(must),
    get,
    /** Writes a status as somebody may who is not its controller. */
    pretend(kind: FluxKind, name: string, status: object): void {
      const o = get(kind, name)
      const done = local.updateStatus({ ...o, status: { ...(o.status as object), ...status } }, PERSON)
      if (!done.ok) throw new Error(done.error.message)
    },
    remove: (kind: FluxKind, name: string): void => void local.delete(RESOURCES[kind], NS, name, PERSON),
    has: (kind: FluxKind, name: string): boolean => local.get(RESOURCES[kind], NS, name) !== undefined,
    status: (kind: FluxKind, name: string): Loose => (get(kind, name).status ?? {}) as Loose,
    condition: (kind: FluxKind, name: string, type = 'Ready'): FluxCondition | undefined =>
      conditionsOf(get(kind, name)).find((c) => c.type === type),
    /** The data of a ConfigMap; undefined: it is not there. */
    config(name: string): unknown {
      const found = local.get('configmaps', NS, name)
      return found && (found.data ?? {})
    },
    /** Lets time pass. */
    async pass(ms: number): Promise<void> {
      env.clock.at(env.clock.steady() + ms, () => {})
      await env.clock.run(() => false, ms)
    },
    async until(what: string, done: () => boolean, ms = 3_600_000): Promise<number> {
      const from = env.clock.steady()
      await env.clock.run(done, ms)
      if (!done()) throw new Error(`not within ${ms} ms: ${what}`)
      return env.clock.steady() - from
    },
    now: (): number => env.clock.steady(),
  }
}

export type Playground = ReturnType<typeof playground>

const kustomize = 'kustomize.toolkit.fluxcd.io/v1'
const source = 'source.toolkit.fluxcd.io/v1'
const object = (
  apiVersion: string,
  kind: string,
  name: string,
  spec: object,
  meta: object = {},
): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: NS, ...meta },
  spec,
})

export const URL = 'https://git.example/fleet'

/** A Kustomization of the folder of its name, of the GitRepository `repo`. */
export const unit = (name: string, spec: object = {}, meta: object = {}): KubeObject =>
  object(
    kustomize,
    'Kustomization',
    name,
    {
      interval: '10m',
      prune: true,
      path: `./${name}`,
      sourceRef: { kind: 'GitRepository', name: 'repo' },
      ...spec,
    },
    meta,
  )

export const release = (name: string, spec: object = {}, meta: object = {}): KubeObject =>
  object(
    'helm.toolkit.fluxcd.io/v2',
    'HelmRelease',
    name,
    {
      interval: '10m',
      chart: { spec: { chart: name, sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
      ...spec,
    },
    meta,
  )

export const git = (name = 'repo', spec: object = {}): KubeObject =>
  object(source, 'GitRepository', name, { interval: '1m', url: URL, ref: { branch: 'main' }, ...spec })

export const charts = (name = 'charts', url = 'https://charts.example'): KubeObject =>
  object(source, 'HelmRepository', name, { interval: '1m', url })

export const config = (
  name: string,
  data: Readonly<Record<string, string>>,
  meta: object = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NS, ...meta },
  data,
})

const pod = { containers: [{ name: 'main', image: 'registry.example/app:1' }] }

/** The object with the annotation that asks for a run. */
export const asked = (o: KubeObject, value: string): KubeObject => ({
  ...o,
  metadata: {
    ...o.metadata,
    annotations: { ...o.metadata.annotations, 'reconcile.fluxcd.io/requestedAt': value },
  },
})

export const job = (name: string, image = 'registry.example/check:1', meta: object = {}): KubeObject => ({
  ...object(
    'batch/v1',
    'Job',
    name,
    {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] },
      },
    },
    meta,
  ),
})

export const deployment = (name: string, image = 'registry.example/app:1'): KubeObject =>
  object('apps/v1', 'Deployment', name, {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { ...pod, containers: [{ name: 'main', image }] },
    },
  })
