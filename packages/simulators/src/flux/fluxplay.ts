/** Plays a scenario under the simulated Flux: each unit is an object of Flux, written when the scenario says so. */

import type { LocalApi } from '@lockstep/apiserver/server'
import { type KubeObject, sha256Hex, timestamp } from '@lockstep/kube/object'
import type { SimEnv } from '@lockstep/kube/sim'
import type { ArtifactContent } from './artifacts.ts'
import { type FluxKind, RESOURCES, type SimulatedUnitKind } from './fluxkind.ts'
import { AFTER, BEFORE, type FluxScenario, type ScenarioStep, type ScenarioUnit } from './fluxscenario.ts'
import { isCondition } from './fluxsubject.ts'
import type { Flux } from './startflux.ts'

const NS = 'default'
const HELM = 'helm'
/** Far beyond what the release before takes. */
const PATIENCE_MS = 3_600_000
/** The time that a source takes at most to notice a push that nobody tells it of. */
export const SOURCE_INTERVAL = '1m'

export interface FluxPlay {
  readonly env: SimEnv
  readonly api: LocalApi
  readonly flux: Flux
}

/** How the units are written. */
export interface PlayOptions {
  /** Units are named after the release, and so are the edges to them: checkpoints with their objects, or all by name alone. */
  readonly suffix?: 'checkpoints' | 'all'
  /** Of each edge; `{dep}` and `{release}` are put in. */
  readonly readyExpr?: string
  /** More of the spec of each unit. */
  readonly spec?: object
  /** What becomes of all documents of a release before they are written: as many, in their order. */
  readonly render?: (documents: readonly KubeObject[], release: string) => readonly KubeObject[]
}

/** Brings the release before to rest; false: it never came. */
export async function settle(p: FluxPlay, s: FluxScenario, d: PlayOptions = {}): Promise<boolean> {
  for (const source of sourcesOf(s)) push(p, s, d, source, BEFORE)
  for (const u of s.units) if (u.carrier === 'input') write(p, inputOf(u, BEFORE))
  const before = documents(s, BEFORE, d)
  for (const o of before) write(p, o)
  const units = before.slice(-s.units.length)
  const isDone = (): boolean => units.every((o) => isReady(p, o))
  return (await p.env.clock.run(isDone, PATIENCE_MS)) === 'done'
}

/** Does what the scenario says, and lets the rest of its time pass. */
export async function play(p: FluxPlay, s: FluxScenario, d: PlayOptions = {}): Promise<void> {
  const begun = p.env.clock.steady()
  const before = documents(s, BEFORE, d)
  const after = documents(s, AFTER, d)
  const steps = [...s.steps].sort((a, b) => a.atMs - b.atMs)
  const last = steps.findLast((step) => 'write' in step)
  for (const step of steps) {
    await until(p.env, begun + step.atMs)
    act(p, s, d, step, after)
    if (step === last) sweep(p, s, d, before, after)
  }
  await until(p.env, begun + s.endMs)
}

async function until(env: SimEnv, atMs: number): Promise<void> {
  env.clock.at(atMs, () => {})
  await env.clock.run(() => env.clock.steady() >= atMs, atMs - env.clock.steady())
}

function act(
  p: FluxPlay,
  s: FluxScenario,
  d: PlayOptions,
  step: ScenarioStep,
  after: readonly KubeObject[],
): void {
  const unit = (name: string): ScenarioUnit => s.units.find((u) => u.name === name)!
  if ('push' in step) {
    push(p, s, d, step.push, AFTER)
    if (step.tell) tell(p, step.push)
  } else if ('point' in step) write(p, sourceObject(step.point, AFTER))
  else if ('input' in step) write(p, inputOf(unit(step.input), AFTER))
  else {
    const u = unit('write' in step ? step.write : step.remove)
    const kind = u.kind ?? 'Kustomization'
    if ('remove' in step) p.api.delete(RESOURCES[kind], NS, nameOf(u, BEFORE, d), HELM)
    else {
      // What a renderer made of the sources, Helm writes first: their kinds come before.
      if (d.render) for (const o of after.slice(0, -s.units.length)) write(p, o)
      write(p, after[after.length - s.units.length + s.units.indexOf(u)]!)
    }
  }
}

/** What carries the release in its name is another object: after its last write Helm deletes those of the release before. */
function sweep(
  { api }: FluxPlay,
  s: FluxScenario,
  d: PlayOptions,
  before: readonly KubeObject[],
  after: readonly KubeObject[],
): void {
  if (!d.suffix && !d.render) return
  const key = (o: KubeObject): string => `${o.kind}/${o.metadata.name}`
  const kept = new Set([
    ...after.map(key),
    ...s.units.filter((u) => u.renamedTo).map((u) => `${u.kind ?? 'Kustomization'}/${u.name}`),
  ])
  for (const o of before)
    if (!kept.has(key(o))) api.delete(RESOURCES[o.kind as FluxKind], NS, o.metadata.name ?? '', HELM)
}

function write({ api }: FluxPlay, o: KubeObject): void {
  const done = api.apply(o, HELM, { force: true })
  if (!done.ok) throw new Error(`${o.kind} ${o.metadata.name}: ${done.error.message}`)
}

function isReady({ api }: FluxPlay, { kind, metadata }: KubeObject): boolean {
  const o = api.get(RESOURCES[kind as FluxKind], NS, metadata.name ?? '')
  return o !== undefined && isCondition(o, 'Ready', 'True')
}

const sourceNameOf = (u: ScenarioUnit): string => u.source ?? 'repo'

/** Names of sources; that of a HelmRelease is its chart's repository. */
const sourcesOf = (s: FluxScenario): readonly string[] => [
  ...new Set(s.units.flatMap((u) => [holderOf(u), sourceNameOf(u)])),
]

const holderOf = (u: ScenarioUnit): string => u.contentIn ?? sourceNameOf(u)

const nameOf = (u: ScenarioUnit, release: string, d: PlayOptions): string => {
  const name = release === AFTER ? (u.renamedTo ?? u.name) : u.name
  return isSuffixed(u, d) ? `${name}-${release}` : name
}

const isSuffixed = (u: ScenarioUnit, { suffix }: PlayOptions): boolean =>
  suffix === 'all' || (suffix === 'checkpoints' && u.checkpoint === true)

/** The placeholder that stands for the release in content that is moved by a spec. */
const VARIABLE = '$' + '{release}'

/** In names of the objects of a checkpoint; a variable, for the names differ and the content does not. */
const discriminatorOf = (u: ScenarioUnit, d: PlayOptions): string =>
  d.suffix === 'checkpoints' && u.checkpoint ? '$' + '{DISCRIMINATOR}' : ''

/** What a repository holds: units that the source moves at the release, others with the variable. */
function push({ flux }: FluxPlay, s: FluxScenario, d: PlayOptions, source: string, release: string): void {
  const units = s.units.filter((u) => holderOf(u) === source)
  const at = (u: ScenarioUnit): string => (u.carrier === 'source' ? release : VARIABLE)
  const content: ArtifactContent = {
    objects: Object.fromEntries(units.map((u) => [u.name, u.objects(at(u), discriminatorOf(u, d))])),
    charts: units.map((u) => ({
      name: u.name,
      version: u.carrier === 'source' ? `${release.slice(1)}.0.0` : '1.0.0',
      templates: (values) =>
        u.objects(u.carrier === 'source' ? release : String((values as { release?: string }).release)),
    })),
  }
  flux.artifacts.publish(urlOf(source), 'main', content)
  flux.artifacts.publish(urlOf(source), '', content, release)
  flux.artifacts.publish(urlOf(source), release, content)
  flux.artifacts.publish(urlOf(source), commitOf(release), content)
}

const urlOf = (source: string): string => `https://git.example/${source.replace(/\W/g, '-')}`

const commitOf = (release: string): string => sha256Hex(release).slice(0, 40)

/** How a Git repository is referred to: `tags…` by tag, `commits…` by commit, others by branch. */
function refOf(source: string, release: string): object {
  if (source.startsWith('tags')) return { tag: release }
  return source.startsWith('commits') ? { commit: commitOf(release) } : { branch: 'main' }
}

/** `charts…` is a repository of charts, all others are Git repositories; `x+y` includes y. */
function sourceObject(source: string, release: string): KubeObject {
  const name = source.split('+')[0]!
  const isCharts = source.startsWith('charts')
  const included = source.includes('+')
    ? [{ repository: { name: source.split('+')[1]! }, toPath: 'shared' }]
    : []
  const ref = refOf(source, release)
  return {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: isCharts ? 'HelmRepository' : 'GitRepository',
    metadata: { name, namespace: NS },
    spec: {
      interval: SOURCE_INTERVAL,
      url: urlOf(source),
      ...(isCharts ? {} : { ref, ...(included.length > 0 ? { include: included } : {}) }),
    },
  }
}

/** As a webhook would: the source looks at once. */
function tell({ env, api }: FluxPlay, source: string): void {
  const kind: FluxKind = source.startsWith('charts') ? 'HelmRepository' : 'GitRepository'
  const o = api.get(RESOURCES[kind], NS, source.split('+')[0]!)
  if (!o) return
  const annotations = { 'reconcile.fluxcd.io/requestedAt': timestamp(env.clock.now()) }
  api.update({ ...o, metadata: { ...o.metadata, annotations } }, 'webhook')
}

const inputName = (u: ScenarioUnit): string => `${u.name}-inputs`

const inputOf = (u: ScenarioUnit, release: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: inputName(u), namespace: NS },
  data: { release, 'values.yaml': `release: "${release}"` },
})

/** All documents of a release, as a chart renders them: its sources, then its units in their order. */
export function documents(s: FluxScenario, release: string, d: PlayOptions): readonly KubeObject[] {
  const units = s.units.map((u) =>
    u.kind === 'HelmRelease' ? helmRelease(s, u, release, d) : kustomization(s, u, release, d),
  )
  const all = [...sourcesOf(s).map((source) => sourceObject(source, release)), ...units]
  return d.render?.(all, release) ?? all
}

function edges(s: FluxScenario, u: ScenarioUnit, release: string, d: PlayOptions) {
  return (u.needs ?? []).map((need) => {
    const target = s.units.find((x) => x.name === need)!
    return {
      name: nameOf(target, release, d),
      ...(d.readyExpr === undefined ? {} : { readyExpr: d.readyExpr }),
    }
  })
}

function kustomization(s: FluxScenario, u: ScenarioUnit, release: string, d: PlayOptions): KubeObject {
  const inputs = { substituteFrom: [{ kind: 'ConfigMap', name: inputName(u) }] }
  const named = discriminatorOf(u, d) === '' ? undefined : { substitute: { DISCRIMINATOR: `-${release}` } }
  const postBuild =
    named ?? { spec: { substitute: { release } }, input: inputs, source: undefined }[u.carrier]
  return unitObject('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', s, u, release, d, {
    path: u.contentIn === undefined ? `./${u.name}` : `./shared/${u.name}`,
    prune: true,
    wait: true,
    retryInterval: '10s',
    sourceRef: { kind: 'GitRepository', name: sourceNameOf(u).split('+')[0]! },
    ...(postBuild ? { postBuild } : {}),
  })
}

function helmRelease(s: FluxScenario, u: ScenarioUnit, release: string, d: PlayOptions): KubeObject {
  const valuesFrom = [{ kind: 'ConfigMap', name: inputName(u) }]
  return unitObject('helm.toolkit.fluxcd.io/v2', 'HelmRelease', s, u, release, d, {
    chart: { spec: { chart: u.name, sourceRef: { kind: 'HelmRepository', name: sourceNameOf(u) } } },
    ...(u.carrier === 'spec' ? { values: { release } } : {}),
    ...(u.carrier === 'input' ? { valuesFrom } : {}),
  })
}

function unitObject(
  apiVersion: string,
  kind: SimulatedUnitKind,
  s: FluxScenario,
  u: ScenarioUnit,
  release: string,
  d: PlayOptions,
  spec: object,
): KubeObject {
  const dependsOn = edges(s, u, release, d)
  return {
    apiVersion,
    kind,
    metadata: { name: nameOf(u, release, d), namespace: NS, labels: { 'app/version': release } },
    spec: {
      interval: '10m',
      timeout: '5m',
      ...spec,
      ...(dependsOn.length > 0 ? { dependsOn } : {}),
      ...u.spec?.(release),
      ...d.spec,
    },
  }
}
