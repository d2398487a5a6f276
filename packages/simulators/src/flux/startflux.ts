/**
 * A simulated Flux on an embedded cluster, in virtual time: source-, kustomize- and helm-controller with the order of steps, the
 * messages, the caches and the split status writes of the versions in `FLUX`. Sources hold what `artifacts` is told.
 */

import type { LocalApi } from '@lockstep/apiserver/server'
import type { Env } from '@lockstep/kube/env'
import { type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import { Artifacts } from './artifacts.ts'
import { sortedByEdges, sourceKey } from './dependencyproblem.ts'
import { FluxCache } from './fluxcache.ts'
import type { FluxContext, FluxController } from './fluxcontext.ts'
import {
  artifactOf,
  type FluxKind,
  helmReleaseSpec,
  type InputReference,
  keyOf,
  kustomizationSpec,
  RESOURCES,
  requestedAt,
  type SimulatedSourceKind,
  type SimulatedUnitKind,
  SOURCE_KINDS,
} from './fluxkind.ts'
import { type FluxOptions, settingsOf } from './fluxoptions.ts'
import { type After, FluxQueue } from './fluxqueue.ts'
import { isCondition } from './fluxsubject.ts'
import { chartNameOf } from './helm/helmchart.ts'
import { reconcileHelmRelease } from './helm/helmrelease.ts'
import { reconcileKustomization } from './reconcilekustomization.ts'
import { reconcileSource } from './reconcilesource.ts'

export interface Flux {
  /** What the servers hold that sources point to. */
  readonly artifacts: Artifacts
  /** From now on nothing runs and nothing is written; a run under way ends where it is. */
  stop(): void
}

/** Starts Flux. Its definitions (`fluxDefinitions()`) must be there. */
export function startFlux(
  env: Env,
  api: LocalApi,
  options: FluxOptions,
  artifacts: Artifacts = new Artifacts(),
): Flux {
  const stop = new AbortController()
  const x: FluxContext = {
    env,
    api,
    random: env.random.fork(`flux/${options.name}`),
    settings: settingsOf(options),
    artifacts,
    stop: stop.signal,
    writes: { count: 0 },
  }
  const ends = [sourceController(x), kustomizeController(x), helmController(x)]
  return {
    artifacts,
    stop() {
      stop.abort()
      for (const end of ends) end()
    },
  }
}

type StopFlux = () => void

function sourceController(x: FluxContext): StopFlux {
  const caches = cachesOf(x, SOURCE_KINDS, 'source')
  const c: FluxController = { x, manager: 'source-controller', statusManager: 'source-controller', caches }
  const queues = Object.fromEntries(
    SOURCE_KINDS.map((kind) => [kind, queue(x, (ns, name) => reconcileSource(c, kind, ns, name))]),
  ) as Record<SimulatedSourceKind, FluxQueue>
  for (const kind of SOURCE_KINDS) {
    caches[kind].subscribe((old, next) => {
      if (next && isAsked(old, next)) queues[kind].add(keyOf(next))
      if (kind === 'HelmChart' || !next || !isNewRevision(old, next)) return
      for (const chart of caches.HelmChart.all())
        if (
          sourceKey(chart, (chart.spec as { sourceRef: { kind: string; name: string } }).sourceRef) ===
          refKey(next)
        )
          queues.HelmChart.add(keyOf(chart))
    })
  }
  return () => end(Object.values(caches), Object.values(queues))
}

function kustomizeController(x: FluxContext): StopFlux {
  const sources = ['GitRepository', 'OCIRepository', 'Bucket'] as const
  const caches = cachesOf(x, ['Kustomization', ...sources], 'Kustomization')
  const manager = 'kustomize-controller'
  const c: FluxController = { x, manager, statusManager: `gotk-${manager}`, caches }
  const runs = queue(x, (ns, name) => reconcileKustomization(c, ns, name))
  watchUnits(caches.Kustomization, runs)
  for (const kind of sources)
    caches[kind].subscribe((old, next) => {
      const revision = next && artifactOf(next)?.revision
      if (!next || !revision || !isNewRevision(old, next)) return
      const wanted = caches.Kustomization.all().filter(
        (o) => sourceKey(o, kustomizationSpec(o).sourceRef) === refKey(next) && !isAtRevision(o, revision),
      )
      addAll(runs, wanted)
    })
  const configs = watchConfigs(x, (ref) =>
    addAll(
      runs,
      caches.Kustomization.all().filter((o) =>
        isNamed(o, kustomizationSpec(o).postBuild?.substituteFrom ?? [], ref),
      ),
    ),
  )
  return () => end([...Object.values(caches), ...configs], [runs])
}

function helmController(x: FluxContext): StopFlux {
  const sources = ['HelmChart', 'OCIRepository'] as const
  const caches = cachesOf(x, ['HelmRelease', ...sources], 'HelmRelease')
  const c: FluxController = { x, manager: 'helm-controller', statusManager: 'helm-controller', caches }
  const runs = queue(x, (ns, name) => reconcileHelmRelease(c, ns, name))
  watchUnits(caches.HelmRelease, runs)
  for (const kind of sources)
    caches[kind].subscribe((old, next) => {
      const revision = next && artifactOf(next)?.revision
      if (!old || !revision || !(isNewRevision(old, next) || becameReady(old, next))) return
      for (const o of caches.HelmRelease.all())
        if (chartKey(o) === refKey(next) && !isAtChart(o, kind, revision)) runs.add(keyOf(o))
    })
  const configs = watchConfigs(x, (ref) => {
    for (const o of caches.HelmRelease.all())
      if (isNamed(o, helmReleaseSpec(o).valuesFrom ?? [], ref)) runs.add(keyOf(o))
  })
  return () => end([...Object.values(caches), ...configs], [runs])
}

function end(caches: readonly FluxCache[], queues: readonly FluxQueue[]): void {
  for (const cache of caches) cache.stop()
  for (const q of queues) q.stop()
}

function cachesOf<K extends FluxKind>(
  x: FluxContext,
  kinds: readonly K[],
  reader: SimulatedUnitKind | 'source',
): Readonly<Record<K, FluxCache>> {
  const cache = (kind: K) =>
    new FluxCache(x.env.clock, x.api, RESOURCES[kind], () => x.settings.lagMs(kind, reader))
  return Object.fromEntries(kinds.map((kind) => [kind, cache(kind)])) as Record<K, FluxCache>
}

function queue(x: FluxContext, run: (namespace: string, name: string) => Promise<After>): FluxQueue {
  return new FluxQueue({
    clock: x.env.clock,
    workers: x.settings.concurrent,
    noticeMs: x.settings.delays.notice,
    run(key) {
      const slash = key.indexOf('/')
      return run(key.slice(0, slash), key.slice(slash + 1))
    },
  })
}

function watchUnits(cache: FluxCache, runs: FluxQueue): void {
  cache.subscribe((old, next) => {
    if (next && isAsked(old, next)) runs.add(keyOf(next))
  })
}

/** All of them, each after those that it depends on; none, where they wait for each other in a circle. */
function addAll(runs: FluxQueue, units: readonly KubeObject[]): void {
  for (const o of sortedByEdges(units) ?? []) runs.add(keyOf(o))
}

/** A new object, a new generation, a new request: nothing else of an object asks for a run of it. */
const isAsked = (old: KubeObject | undefined, next: KubeObject): boolean =>
  !old ||
  old.metadata.generation !== next.metadata.generation ||
  (requestedAt(next) !== undefined && requestedAt(old) !== requestedAt(next))

/** Content that changes under an equal revision is not noticed. */
const isNewRevision = (old: KubeObject | undefined, next: KubeObject): boolean =>
  artifactOf(next) !== undefined && (!old || artifactOf(old)?.revision !== artifactOf(next)?.revision)

/** The helm-controller also runs when a source has become Ready again. */
const becameReady = (old: KubeObject, next: KubeObject): boolean =>
  !isCondition(old, 'Ready', 'True') && isCondition(next, 'Ready', 'True')

const isBusyOrReady = (o: KubeObject): boolean =>
  isCondition(o, 'Ready', 'True') || isCondition(o, 'Reconciling', 'True')

const field = (o: KubeObject, name: string): unknown =>
  (o.status as { readonly [name: string]: unknown } | undefined)?.[name]

const isAtRevision = (o: KubeObject, revision: string): boolean =>
  isBusyOrReady(o) && field(o, 'lastAttemptedRevision') === revision

/** A chart is known by its version, an image by its digest. */
const isAtChart = (o: KubeObject, kind: string, revision: string): boolean =>
  isBusyOrReady(o) &&
  (kind === 'HelmChart'
    ? field(o, 'lastAttemptedRevision') === revision
    : field(o, 'lastAttemptedRevisionDigest') === revision.slice(revision.lastIndexOf('@') + 1))

const refKey = (source: KubeObject): string => `${source.kind}/${keyOf(source)}`

function chartKey(o: KubeObject): string {
  const { chart, chartRef } = helmReleaseSpec(o)
  const namespace = chart?.spec.sourceRef.namespace
  return sourceKey(
    o,
    chartRef ?? { kind: 'HelmChart', name: chartNameOf(o), ...(namespace ? { namespace } : {}) },
  )
}

interface ConfigRef extends InputReference {
  readonly namespace: string
}

const isNamed = (
  o: KubeObject,
  refs: readonly InputReference[],
  { kind, name, namespace }: ConfigRef,
): boolean => o.metadata.namespace === namespace && refs.some((r) => r.kind === kind && r.name === name)

/** ConfigMaps and Secrets that ask to be watched; of others the controllers hear nothing. */
function watchConfigs(x: FluxContext, changed: (ref: ConfigRef) => void): FluxCache[] {
  if (x.settings.gates.DisableConfigWatchers) return []
  return (['configmaps', 'secrets'] as const).map((resource) => {
    const cache = new FluxCache(x.env.clock, x.api, resource, () => 0)
    const kind = resource === 'secrets' ? 'Secret' : 'ConfigMap'
    cache.subscribe((old, next) => {
      const o = next ?? old
      if (!o || parseApiVersion(o.apiVersion).group !== '') return
      const { namespace = '', name = '', labels } = o.metadata
      if (labels?.['reconcile.fluxcd.io/watch'] === 'Enabled') changed({ kind, namespace, name })
    })
    return cache
  })
}
