/** I3 of DisruptionBudgets: starts disrupt no more clusters than they allow, and none starts without a place. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import type { JsonValue, KubeObject } from '@lockstep/kube/object'
import { HUB, INVENTORIES, keyOfMeta, list, modulesOf, text } from './clusterhistory.ts'
import type { OracleContext } from './oraclecontext.ts'

const BUDGETS = 'disruptionbudgets.lockstep.dev'
const CLUSTER = 'lockstep.dev/cluster'

export function checkDisruption(o: OracleContext, c: CommitRecord): void {
  if (c.cluster !== HUB || !c.next || !c.old) return
  if (c.resource === BUDGETS) checkPlaces(o, c.old, c.next, c.key)
  else if (c.resource.endsWith('modules.lockstep.dev')) checkStarts(o, c.old, c.next, c.key, c.resource)
}

/** What is added to a budget's ledger, and is in no module's ledger yet, is about to start. */
function checkPlaces(o: OracleContext, old: KubeObject, next: KubeObject, key: string): void {
  const before = new Set(list(old, 'status', 'ledger').map(idOf))
  const added = list(next, 'status', 'ledger').filter((e) => !before.has(idOf(e)))
  const starts = added.filter((e) => !isUnderWay(o, next, text(e, 'module'), text(e, 'cluster')))
  if (starts.length === 0) return
  o.tested('I3', starts.length)
  const counted = clustersOf(o, next)
  const since = o.history.versionsOf(HUB, BUDGETS, key).at(-1)?.from ?? 0
  const down = downSince(o, next, since)
  for (const e of list(old, 'status', 'ledger')) down.add(text(e, 'cluster'))
  const isNew = starts.some((e) => !down.has(text(e, 'cluster')))
  const used = new Set(list(next, 'status', 'ledger').map((e) => text(e, 'cluster')))
  for (const m of modulesOfNamespace(o, next)) for (const cluster of inFlight(m)) used.add(cluster)
  const disrupted = [...used].filter((x) => counted.has(x))
  const limit = limitOf(next, counted.size)
  if (isNew && disrupted.length > limit)
    o.broken('I3', `${key}: started deployments disrupt ${disrupted.join(', ')}, allowed are ${limit}`)
}

/** What is added to a module's ledger has a place in all budgets that counted it when it was decided. */
function checkStarts(
  o: OracleContext,
  old: KubeObject,
  next: KubeObject,
  key: string,
  resource: string,
): void {
  const known = new Set(inFlight(old))
  const since = o.history.versionsOf(HUB, resource, key).at(-1)?.from ?? 0
  for (const e of list(next, 'status', 'rollout', 'ledger')) {
    const cluster = text(e, 'cluster')
    if (known.has(cluster) || isBack(o, next, e)) continue
    for (const b of o.history.all(HUB, BUDGETS)) {
      if (b.metadata.namespace !== next.metadata.namespace || !clustersOf(o, b).has(cluster)) continue
      const versions = o.history.versionsOf(HUB, BUDGETS, keyOfMeta(b)).filter((v) => v.to > since)
      if (versions.some((v) => v.object.metadata.generation !== b.metadata.generation)) continue
      // Nobody has seen it yet: a watch may have been cut when it was made. What is seen gets a status at once.
      if (versions.at(-1)?.object.status === undefined) continue
      if (isNews(o, b, since)) continue
      o.tested('I3')
      const place = `${next.kind}/${next.metadata.name} ${cluster}`
      const isTaken = versions.some((v) => list(v.object, 'status', 'ledger').some((x) => idOf(x) === place))
      if (!isTaken) o.broken('I3', `${key}: starts on ${cluster} without a place in ${keyOfMeta(b)}`)
    }
  }
}

/** A request may arrive for so long after it was sent. */
const ON_ITS_WAY_MS = 30_000

/**
 * Made, or made again, since the last version of the module, a moment ago: the start may have been decided before, and be on
 * its way.
 */
function isNews({ history }: OracleContext, budget: KubeObject, since: number): boolean {
  const all = history.versionsOf(HUB, BUDGETS, keyOfMeta(budget))
  const first = all.find((v) => v.object.metadata.uid === budget.metadata.uid)
  return first !== undefined && first.from > since && history.clock() - first.at < ON_ITS_WAY_MS
}

const idOf = (e: JsonValue): string => `${text(e, 'module')} ${text(e, 'cluster')}`

const inFlight = (module: KubeObject): string[] =>
  list(module, 'status', 'rollout', 'ledger').map((e) => text(e, 'cluster'))

function* modulesOfNamespace(o: OracleContext, { metadata }: KubeObject): Iterable<KubeObject> {
  for (const kind of ['Module', 'BootstrapModule'])
    for (const m of o.history.all(HUB, modulesOf(kind)))
      if (m.metadata.namespace === metadata.namespace) yield m
}

function isUnderWay(o: OracleContext, budget: KubeObject, module: string, cluster: string): boolean {
  for (const m of modulesOfNamespace(o, budget))
    if (`${m.kind}/${m.metadata.name}` === module && inFlight(m).includes(cluster)) return true
  return false
}

/** Admitted at that revision already: it comes back into the ledger, and nothing starts. */
function isBack(o: OracleContext, module: KubeObject, entry: JsonValue): boolean {
  for (const i of o.history.all(HUB, INVENTORIES))
    if (
      i.metadata.namespace === module.metadata.namespace &&
      text(i, 'spec', 'moduleRef', 'kind') === module.kind &&
      text(i, 'spec', 'moduleRef', 'name') === module.metadata.name &&
      text(i, 'spec', 'clusterRef', 'name') === text(entry, 'cluster')
    )
      return text(i, 'spec', 'admitted', 'revision') === text(entry, 'revision')
  return false
}

/** Clusters on which something was unwell, or in flight, at some time since then. */
function downSince(o: OracleContext, { metadata }: KubeObject, since: number): Set<string> {
  const out = new Set<string>()
  const past = (resource: string, object: KubeObject) =>
    o.history.versionsOf(HUB, resource, keyOfMeta(object)).filter((v) => v.to > since)
  for (const i of o.history.all(HUB, INVENTORIES))
    if (i.metadata.namespace === metadata.namespace)
      for (const v of past(INVENTORIES, i))
        if (isUnwell(v.object)) out.add(text(v.object, 'spec', 'clusterRef', 'name'))
  for (const kind of ['Module', 'BootstrapModule'])
    for (const m of o.history.all(HUB, modulesOf(kind)))
      if (m.metadata.namespace === metadata.namespace)
        for (const v of past(modulesOf(kind), m)) for (const cluster of inFlight(v.object)) out.add(cluster)
  return out
}

function isUnwell(inventory: KubeObject): boolean {
  const { spec, status } = inventory as unknown as {
    spec?: { admitted?: { contentSerial: number } }
    status?: { admittedSerial?: number; health?: string }
  }
  if (!spec?.admitted) return false
  return (status?.admittedSerial ?? 0) < spec.admitted.contentSerial || status?.health !== 'Healthy'
}

/** Clusters that are Secrets, by name. */
function clustersOf(o: OracleContext, budget: KubeObject): Set<string> {
  const out = new Set<string>()
  for (const s of o.history.all(HUB, 'secrets')) {
    const { namespace, name = '', labels = {} } = s.metadata
    if (namespace === budget.metadata.namespace && labels[CLUSTER] === 'true' && isSelected(budget, labels))
      out.add(name)
  }
  return out
}

function isSelected(budget: KubeObject, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {} } = (budget.spec as { clusterSelector: { matchLabels?: Record<string, string> } })
    .clusterSelector
  const isAsked = (e: JsonValue): boolean => {
    const value = labels[text(e, 'key')]
    const isIn = value !== undefined && list(e, 'values').includes(value)
    const answers: Record<string, boolean> = { In: isIn, NotIn: !isIn, Exists: value !== undefined }
    return answers[text(e, 'operator')] ?? value === undefined
  }
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    list(budget.spec, 'clusterSelector', 'matchExpressions').every(isAsked)
  )
}

function limitOf(budget: KubeObject, total: number): number {
  const { maxUnavailable, minAvailable } = budget.spec as Record<string, number | string | undefined>
  const value = String(maxUnavailable ?? minAvailable)
  const n = value.endsWith('%') ? (Number.parseInt(value, 10) * total) / 100 : Number(value)
  if (maxUnavailable === undefined) return total - Math.ceil(n)
  return value.endsWith('%') ? Math.max(1, Math.floor(n)) : Math.floor(n)
}
