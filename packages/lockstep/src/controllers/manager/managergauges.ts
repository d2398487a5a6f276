/** Facts of a running manager as gauges of a scrape. */
import type { Env, GaugeValue } from '@lockstep/kube/env'
import type { Priority, WorkQueue } from '@lockstep/kube/workqueue'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { HubInformers } from '../cache/index.ts'
import type { Request } from '../runtime/index.ts'
import { type FleetFacts, fleetGauges } from './fleetgauges.ts'

interface GaugedParts {
  readonly env: Pick<Env, 'clock'>
  readonly queue: Pick<WorkQueue<Request>, 'depths' | 'oldestMs'>
  readonly hub: HubInformers
  readonly fleet: Fleet
}

/** `most`: Modules or clusters that all have series of their own. */
export const managerGauges = ({ env, queue, hub, fleet }: GaugedParts, most: number): GaugeValue[] => [
  ...queueGauges(queue),
  ...cacheGauges(hub),
  ...fleetGauges(fleetFacts(hub, fleet, env.clock.now()), most),
]

const PRIORITIES: readonly Priority[] = ['urgent', 'gate', 'change', 'resync']

function queueGauges({ depths, oldestMs }: Pick<WorkQueue<Request>, 'depths' | 'oldestMs'>): GaugeValue[] {
  return [
    ...PRIORITIES.map((priority): GaugeValue => {
      return { name: 'lockstep_queue_depth', labels: { priority }, value: depths[priority] }
    }),
    { name: 'lockstep_queue_oldest_seconds', labels: {}, value: oldestMs / 1000 },
  ]
}

/** Caches of the hub that are always there. */
const CACHES = [
  'modules',
  'bootstrapModules',
  'assemblages',
  'foreign',
  'inventories',
  'holds',
  'approvals',
  'disruptionBudgets',
  'pipelines',
  'promotions',
  'revisions',
  'shards',
  'keys',
] as const

const cacheGauges = (hub: Pick<HubInformers, (typeof CACHES)[number]>): GaugeValue[] =>
  CACHES.map((kind) => ({ name: 'lockstep_cache_objects', labels: { kind }, value: hub[kind].store.size }))

const fleetFacts = (hub: HubInformers, fleet: Fleet, nowMs: number): FleetFacts => ({
  nowMs,
  modules: [...hub.modules.store.all(), ...hub.bootstrapModules.store.all()],
  inventories: hub.inventories.store.all(),
  promotions: hub.promotions.store.all(),
  clusters: [...fleet.all()].map((view) => ({
    namespace: view.namespace,
    name: view.name,
    condition: fleet.knownCondition(view),
    life: fleet.credentialLife(view),
  })),
})
