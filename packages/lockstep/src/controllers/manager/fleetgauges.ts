/** Gauges of the objects of the hub: pure, computed at each scrape, so that the series of a deleted object end. */
import type { GaugeValue } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { isReadyNow } from '../../api/conditions.ts'
import type { Inventory, Module, Promotion } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { isEnded } from '../../decisions/promotion/index.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import type { ClusterCondition, ClusterView } from '../../fleet/clusters/index.ts'
import { type CredentialLife, expiringTimeMs } from '../../fleet/credentials/index.ts'
import { isSourceUp, lastStepMs, latestMs, moduleStateOf, rolloutStateOf } from './modulestate.ts'

export interface FleetFacts {
  readonly modules: readonly Stored<Module>[]
  readonly inventories: Iterable<Stored<Inventory>>
  readonly promotions: Iterable<Stored<Promotion>>
  readonly clusters: readonly ObservedCluster[]
  readonly nowMs: number
}

export interface ObservedCluster extends Pick<ClusterView, 'namespace' | 'name'> {
  readonly condition: Pick<ClusterCondition, 'state' | 'blocker'>
  /** Life of the credential in its object; undefined: it does not say when it ends, or renews itself. */
  readonly life?: CredentialLife | undefined
}

/** `most`: with more Modules or clusters than that only abnormal ones have series of their own. */
export const fleetGauges = (facts: FleetFacts, most: number): GaugeValue[] => [
  ...moduleGauges(facts, most),
  ...clusterGauges(facts, most),
  ...promotionGauges(facts.promotions),
]

function moduleGauges({ modules, inventories }: FleetFacts, most: number): GaugeValue[] {
  const states = new Tally<'lockstep_modules'>()
  const slots = new Tally<'lockstep_rollout_slots'>()
  const own = new Map<string, ModuleSeries>()
  const out: GaugeValue[] = []
  for (const m of modules) {
    const namespace = m.metadata.namespace ?? ''
    const module = moduleLabel({ kind: m.kind, name: m.metadata.name })
    states.add({ namespace, state: moduleStateOf(m) })
    const isReady = isReadyNow(m)
    const isUp = isSourceUp(m)
    if (modules.length > most && isReady && isUp) continue
    const labels = { namespace, module }
    out.push({ name: 'lockstep_module_ready', labels, value: Number(isReady) })
    out.push({ name: 'lockstep_source_up', labels, value: Number(isUp) })
    const state = rolloutStateOf(m)
    if (state) out.push({ name: 'lockstep_rollout_state', labels: { namespace, module, state }, value: 1 })
    own.set(`${namespace}/${module}`, { labels, isUnfinished: state !== undefined, lastMs: lastStepMs(m) })
    for (const { kind } of m.status?.rollout?.ledger ?? []) slots.add({ namespace, module, kind })
  }
  out.push(...unitGauges(inventories, own))
  for (const { labels, isUnfinished, lastMs } of own.values())
    if (isUnfinished && lastMs !== undefined)
      out.push({
        name: 'lockstep_rollout_last_progress_timestamp_seconds',
        labels,
        value: lastMs / 1000,
      })
  out.push(...states.gauges('lockstep_modules'), ...slots.gauges('lockstep_rollout_slots'))
  return out
}

interface ModuleSeries {
  readonly labels: { readonly namespace: string; readonly module: string }
  readonly isUnfinished: boolean
  lastMs: number | undefined
}

/** Units of Modules without series of their own are counted together, with an empty `module`. */
function unitGauges(
  inventories: Iterable<Stored<Inventory>>,
  own: ReadonlyMap<string, ModuleSeries>,
): GaugeValue[] {
  const states = new Tally<'lockstep_units'>()
  const blocked = new Tally<'lockstep_blocked_units'>()
  for (const inventory of inventories) {
    const { status, metadata } = inventory
    const namespace = metadata.namespace ?? ''
    const label = moduleLabel(refOfInventory(inventory))
    const series = own.get(`${namespace}/${label}`)
    if (series?.isUnfinished) {
      const times = (status?.conditions ?? []).map((c) => c.lastTransitionTime)
      const ms = latestMs(times)
      series.lastMs = ms === undefined ? series.lastMs : Math.max(ms, series.lastMs ?? ms)
    }
    states.add({ namespace, module: series ? label : '', state: status?.state || 'Pending' })
    const reason = status?.blockers?.[0]?.reason
    if (reason !== undefined) blocked.add({ reason })
  }
  return [...states.gauges('lockstep_units'), ...blocked.gauges('lockstep_blocked_units')]
}

function clusterGauges({ clusters, nowMs }: FleetFacts, most: number): GaugeValue[] {
  const states = new Tally<'lockstep_clusters'>()
  const out: GaugeValue[] = []
  for (const { namespace, name: cluster, condition, life } of clusters) {
    states.add({ namespace, state: condition.state })
    const isUp = isClusterUp(condition)
    const isExpiring = life !== undefined && nowMs >= expiringTimeMs(life)
    if (clusters.length > most && isUp !== false && !isExpiring) continue
    const labels = { namespace, cluster }
    if (isUp !== undefined) out.push({ name: 'lockstep_cluster_up', labels, value: Number(isUp) })
    if (life === undefined) continue
    const value = life.endsAt / 1000
    out.push({ name: 'lockstep_cluster_credential_expiry_timestamp_seconds', labels, value })
    out.push({ name: 'lockstep_cluster_credential_expiring', labels, value: Number(isExpiring) })
  }
  return [...out, ...states.gauges('lockstep_clusters')]
}

/** Reasons for which the controller does not connect to a cluster, or has not tried yet. */
const NOT_CONNECTED: ReadonlySet<string> = new Set(['Provisioning', 'ClusterPaused', 'DuplicateOf'])

/** Undefined: it is not to be connected to, or nothing is known yet. */
function isClusterUp({ state, blocker }: ObservedCluster['condition']): boolean | undefined {
  if (state === 'Connected') return true
  if (blocker === undefined || NOT_CONNECTED.has(blocker.reason)) return undefined
  if (blocker.reason === 'ClusterConnecting' && blocker.facts?.error === undefined) return undefined
  return false
}

function promotionGauges(promotions: Iterable<Stored<Promotion>>): GaugeValue[] {
  const pending = new Tally<'lockstep_promotions_pending'>()
  for (const { metadata, spec, status } of promotions)
    if (!isEnded(status?.phase))
      pending.add({ namespace: metadata.namespace ?? '', pipeline: spec.pipelineRef.name })
  return pending.gauges('lockstep_promotions_pending')
}

/** A Module by its name; other kinds of Modules with their kind. */
const moduleLabel = ({ kind, name }: Pick<ModuleRef, 'kind' | 'name'>): string =>
  kind === 'Module' ? name : `${kind}/${name}`

type LabelsOf<N extends GaugeValue['name']> = Extract<GaugeValue, { readonly name: N }>['labels']

/** How often the same labels occur. */
class Tally<N extends GaugeValue['name']> {
  private readonly counts = new Map<string, { readonly labels: LabelsOf<N>; value: number }>()

  add(labels: LabelsOf<N>): void {
    const key = JSON.stringify(Object.values(labels))
    const found = this.counts.get(key)
    if (found) found.value++
    else this.counts.set(key, { labels, value: 1 })
  }

  gauges(name: N): Extract<GaugeValue, { readonly name: N }>[] {
    return [...this.counts.values()].map(
      ({ labels, value }) =>
        ({ name, labels, value }) as unknown as Extract<GaugeValue, { readonly name: N }>,
    )
  }
}
