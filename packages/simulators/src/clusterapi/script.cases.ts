/** Scripts: steps that somebody takes, and what is to be seen after each; of the simulated upstream and of the real one. */
import { at, isArray, isObject, type JsonObject, type JsonValue } from '../../../kube/src/object/index.ts'
import type { ClusterApiVersion } from './clusterapioptions.ts'
import {
  addCluster,
  addConfigMap,
  addSet,
  bindingsPath,
  corePath,
  type Stage,
  setsPath,
} from './stage.cases.ts'
import type { UpstreamRequest } from './upstreamclient.ts'

/** What can be seen after a step; without times, uids and resourceVersions. */
export interface Seen {
  /** By set: `Paused False NotPaused`; the older kind with its severity in front. */
  readonly conditions: Readonly<Record<string, readonly string[]>>
  readonly legacy: Readonly<Record<string, readonly string[]>>
  readonly finalizers: Readonly<Record<string, readonly string[]>>
  readonly generations: Readonly<Record<string, readonly string[]>>
  /** By cluster: entries `crs1: ConfigMap/a sha256:… applied`, and owners. */
  readonly entries: Readonly<Record<string, readonly string[]>>
  readonly owners: Readonly<Record<string, readonly string[]>>
  /** Names of the sets that own a source. */
  readonly sources: Readonly<Record<string, readonly string[]>>
  /** What upstream wrote since the step before, each thing once, in the order in which it was first written. */
  readonly writes: readonly string[]
}

export interface Step {
  readonly name: string
  readonly act: (s: Stage) => Promise<unknown>
  readonly sees?: (seen: Seen, s: Stage) => void | Promise<void>
}

export interface Script {
  readonly name: string
  readonly versions?: readonly ClusterApiVersion[]
  readonly clusters: readonly string[]
  /** On a hub whose webhooks refuse nothing, as before they were there. */
  readonly unchecked?: true
  readonly steps: readonly Step[]
}

/** Plays it; `after` is told of each step. */
export async function play(
  s: Stage,
  script: Script,
  after?: (step: string, seen: Seen) => void,
): Promise<void> {
  let from = s.upstream.requests().length
  for (const step of script.steps) {
    await step.act(s)
    await s.settle()
    const seen = await look(s, s.upstream.requests().slice(from))
    from = s.upstream.requests().length
    await step.sees?.(seen, s)
    after?.(step.name, seen)
  }
}

async function look(s: Stage, requests: readonly UpstreamRequest[]): Promise<Seen> {
  const sets = await items(s, setsPath(s))
  const bindings = await items(s, bindingsPath(s))
  const sources = [
    ...(await items(s, corePath(s, 'configmaps'))),
    ...(await items(s, corePath(s, 'secrets'))),
  ]
  const by = (list: readonly JsonValue[], of: (o: JsonValue) => readonly string[]) =>
    Object.fromEntries(list.map((o) => [String(at(o, 'metadata', 'name')), of(o)]))
  const [newer, older] =
    s.apiVersion === 'v1beta1'
      ? [['v1beta2', 'conditions'], ['conditions']]
      : [['conditions'], ['deprecated', 'v1beta1', 'conditions']]
  return {
    conditions: by(sets, (o) => conditions(at(o, 'status', ...newer))),
    legacy: by(sets, (o) => conditions(at(o, 'status', ...older))),
    finalizers: by(sets, (o) => listOf(at(o, 'metadata', 'finalizers')).map(String)),
    generations: by(sets, (o) => [
      `${at(o, 'status', 'observedGeneration')} of ${at(o, 'metadata', 'generation')}`,
    ]),
    entries: by(bindings, entries),
    owners: by(bindings, owners),
    sources: Object.fromEntries(
      Object.entries(by(sources, owners)).filter(([name]) => !/^kube-root-ca|-kubeconfig$/.test(name)),
    ),
    writes: [...new Set(requests.filter(isWrite).map(written))],
  }
}

const items = async (s: Stage, path: string): Promise<readonly JsonValue[]> =>
  listOf(at((await s.send('', 'GET', path)).body, 'items'))
const listOf = (v: JsonValue | undefined): readonly JsonValue[] => (isArray(v) ? v : [])

const conditions = (list: JsonValue | undefined): string[] =>
  listOf(list).map((c) =>
    ['severity', 'type', 'status', 'reason', 'message']
      .map((f) => at(c, f))
      .filter((v) => v !== undefined && v !== '')
      .join(' '),
  )

const owners = (o: JsonValue): string[] =>
  listOf(at(o, 'metadata', 'ownerReferences')).map(
    (r) => `${at(r, 'apiVersion')} ${at(r, 'kind')} ${at(r, 'name')}`,
  )

const entries = (o: JsonValue): string[] =>
  listOf(at(o, 'spec', 'bindings')).flatMap((e) => {
    const set = String(at(e, 'clusterResourceSetName'))
    const resources = listOf(at(e, 'resources'))
    if (resources.length === 0) return [set]
    return resources.map((r) => {
      const hash = String(at(r, 'hash') ?? 'no hash').slice(0, 15)
      const state = at(r, 'applied') === true ? 'applied' : 'not applied'
      return `${set}: ${at(r, 'kind')}/${at(r, 'name')} ${hash} ${state}`
    })
  })

/**
 * A write that may change something: a patch of a binding may be no more than its resourceVersion, one of a status empty. Whether a run
 * that follows at once says again which generation it saw depends on which of two milliseconds the cache hears of it.
 */
function isWrite({ method, body }: UpstreamRequest): boolean {
  if (method === 'GET') return false
  return (
    method !== 'PATCH' ||
    !/^\{("status":\{"observedGeneration":\d+\})?\}$/.test(JSON.stringify(own(body ?? {})))
  )
}

const OWN = new Set(['uid', 'resourceVersion', 'lastTransitionTime', 'lastAppliedTime', 'creationTimestamp'])

/** Without what no two servers have in common, and without what is then empty. */
function own(v: JsonValue): JsonValue {
  if (isArray(v)) return v.map(own)
  if (!isObject(v)) return v
  const out: { [name: string]: JsonValue } = {}
  for (const name of Object.keys(v).sort()) {
    const value = v[name]
    if (value === undefined || (OWN.has(name) && value !== null)) continue
    const kept = own(value)
    if (!isObject(kept) || Object.keys(kept).length > 0) out[name] = kept
  }
  return out
}

/** `c1 POST configmaps x {…}`; `hub` for the hub. */
export function written({ cluster, method, path, body }: UpstreamRequest): string {
  // Their clients say how long they wait.
  const rest = path
    .replace(/\?timeout=\w+$/, '')
    .replace(/^\/apis?(?:\/[^/]+)?\/v\w+(?:\/namespaces\/[^/]+(?=\/))?\//, '')
  const what = body === undefined || method === 'POST' ? postName(body) : JSON.stringify(own(body))
  const where = cluster === '' ? 'hub' : (cluster.split('/')[1] ?? cluster)
  return [where, method, rest, what].filter((t) => t !== '').join(' ')
}

const postName = (body: JsonValue | undefined): string =>
  body === undefined ? '' : String(at(body, 'metadata', 'name'))

/** Of these writes, those to workload clusters. */
export const onClusters = (seen: Seen): readonly string[] => seen.writes.filter((w) => !w.startsWith('hub '))

/** A manifest of a ConfigMap on a workload cluster, longer than 32 bytes. */
export const manifest = ({
  kind = 'ConfigMap',
  name,
  data = { k: 'v' },
  namespace = 'default',
}: {
  readonly kind?: string
  readonly name: string
  readonly data?: JsonObject
  readonly namespace?: string | null
}): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${namespace === null ? '' : `  namespace: ${namespace}\n`}${kind === 'ConfigMap' ? `data: ${JSON.stringify(data)}\n` : ''}`

/** Cluster c1 with `crs1`, whose only source is ConfigMap `a`. */
export const begin =
  (strategy: string, data: Record<string, string>) =>
  async (s: Stage): Promise<void> => {
    await addConfigMap(s, 'a', data)
    await addCluster(s, 'c1')
    await addSet(s, 'crs1', { strategy, resources: ['ConfigMap/a'] })
  }
