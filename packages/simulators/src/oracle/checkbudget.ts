/** I3: no commit of a ledger takes more slots than the limits of that moment allow. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { at, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import { HUB, INVENTORIES, keyOfMeta, list, text } from './clusterhistory.ts'
import type { OracleContext } from './oraclecontext.ts'

export function checkBudget(o: OracleContext, c: CommitRecord): void {
  if (c.cluster !== HUB || !c.resource.endsWith('modules.lockstep.dev') || !c.next || !c.old) return
  const before = slots(c.old)
  const after = slots(c.next)
  const isKnown = (s: JsonValue) => before.some((b) => text(b, 'cluster') === text(s, 'cluster'))
  const started = after.filter((s) => !isKnown(s) && !isRecorded(o, c.next!, s))
  if (started.length === 0) return
  o.tested('I3', started.length)
  const limit = limitOf(c.next)
  // A cluster that is down already costs nothing: starting there takes nothing away.
  const isUp = (e: JsonValue): boolean => !wasDown(o, c.next!, text(e, 'cluster'), text(e, 'revision'))
  // What has fallen silent while it was in flight is counted by maxUnreachable; commits say only how many there are.
  const inFlight = after.length - silentOf(c.next)
  if (started.some(isUp) && inFlight > limit)
    o.broken('I3', `${c.key}: ${inFlight} clusters in flight, maxUnavailable allows ${limit}`)
}

/** A start is in the ledger before it is assigned: what comes back with one was under way on a cluster that was away. */
function isRecorded(o: OracleContext, { kind, metadata }: KubeObject, entry: JsonValue): boolean {
  return [...o.history.all(HUB, INVENTORIES)].some(
    (i) =>
      i.metadata.namespace === metadata.namespace &&
      text(i, 'spec', 'moduleRef', 'kind') === kind &&
      text(i, 'spec', 'moduleRef', 'name') === metadata.name &&
      text(i, 'spec', 'clusterRef', 'name') === text(entry, 'cluster') &&
      text(i, 'spec', 'assigned', 'revision') === text(entry, 'revision'),
  )
}

/** What was decided by the state of an Inventory is written so long after that at the latest, but for what is held back. */
const DECIDED_MS = 2000

/** As it is, and as it was a moment ago, when this was decided. */
function lately({ history }: OracleContext, i: KubeObject): KubeObject[] {
  const all = history.versionsOf(HUB, INVENTORIES, keyOfMeta(i))
  const from = history.clock() - DECIDED_MS
  return all.filter((_, n) => (all[n + 1]?.at ?? Number.POSITIVE_INFINITY) > from).map((v) => v.object)
}

/** Admitted there before and not healthy, or admitted at that revision already: coming back into the ledger is no start. */
function wasDown(o: OracleContext, module: KubeObject, cluster: string, revision: string): boolean {
  for (const i of o.history.all(HUB, INVENTORIES)) {
    const isUnit =
      text(i, 'spec', 'moduleRef', 'name') === module.metadata.name &&
      text(i, 'spec', 'moduleRef', 'kind') === module.kind
    if (
      !isUnit ||
      text(i, 'spec', 'clusterRef', 'name') !== cluster ||
      i.metadata.namespace !== module.metadata.namespace
    )
      continue
    if (text(i, 'spec', 'admitted', 'revision') === revision || isOfAnother(o, i)) return true
    return lately(o, i).some(isUnwell)
  }
  return false
}

function isUnwell(inventory: KubeObject): boolean {
  const { spec, status } = inventory as unknown as {
    readonly spec?: { readonly admitted?: { readonly serial?: number } }
    readonly status?: { readonly admittedSerial?: number; readonly health?: string }
  }
  if (!spec?.admitted) return false
  return status?.admittedSerial !== spec.admitted.serial || status?.health !== 'Healthy'
}

/** The cluster was made anew: nothing of what the Inventory says is there. */
function isOfAnother(
  o: OracleContext,
  { metadata, spec }: KubeObject & { readonly spec?: unknown },
): boolean {
  const key = `${metadata.namespace}/${text(spec, 'clusterRef', 'name')}`
  const uid = text(o.history.get(HUB, 'remoteassemblages.lockstep.dev', key), 'status', 'clusterUid')
  return uid !== '' && uid !== text(spec, 'clusterUid')
}

const slots = (module: KubeObject): readonly JsonValue[] =>
  list(module, 'status', 'rollout', 'ledger').filter(
    (e) => text(e, 'failed') === '' && text(e, 'kind') !== 'Remove',
  )

const silentOf = (module: KubeObject): number => {
  const found = at(module, 'status', 'clusters', 'unreachable')
  return typeof found === 'number' ? found : 0
}

function limitOf(module: KubeObject): number {
  const { rollout } = (
    module as unknown as { spec: { rollout: { strategy: string; maxUnavailable?: number | string } } }
  ).spec
  const clusters = (module as unknown as { status: { clusters: { total: number; provisioning: number } } })
    .status.clusters
  const total = clusters.total - clusters.provisioning
  const value = rollout.maxUnavailable ?? (rollout.strategy === 'Replace' ? '100%' : 1)
  if (typeof value === 'number') return value
  return value.endsWith('%')
    ? Math.max(1, Math.floor((Number.parseInt(value, 10) * total) / 100))
    : Number(value)
}
