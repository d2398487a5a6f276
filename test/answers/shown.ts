/** Facts that every surface shows of Modules and units at one instant: no sentence is read. */
import { kstatusOf } from '../../packages/health/src/health/kstatus.ts'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import type { Cause } from '../../packages/lockstep/src/decisions/answer/cause.ts'
import type { Start } from '../fleet/simfleet.ts'
import { FrozenHub, type Printed } from './frozenhub.ts'

/** `lockstep why`. */
export interface WhyShown {
  readonly exit: number
  readonly state: string
  readonly cluster: string
  /** Reasons of the whole tree, and of its ends. */
  readonly reasons: readonly string[]
  readonly roots: readonly string[]
  /** Roots without advice. */
  readonly unadvised: readonly string[]
}

export interface EventShown {
  readonly type: string
  readonly reason: string
  readonly at: string
}

/** Conditions, and what `get`, `wait` and kstatus make of an object. */
export interface ObjectShown {
  /** `T`, `F` or `?` of Ready, Reconciling and Stalled. */
  readonly conditions: string
  /** Reasons of these. */
  readonly reasons: Readonly<Record<'Ready' | 'Reconciling' | 'Stalled', string | undefined>>
  readonly isCurrent: boolean
  readonly isDeleting: boolean
  readonly kstatus: string
  readonly blockers: readonly { readonly reason: string; readonly since: string }[]
  /** Exit code of `wait --timeout=0s`. */
  readonly wait: number
  /** Oldest first. */
  readonly events: readonly EventShown[]
}

export interface UnitShown {
  readonly cluster: string
  readonly why: WhyShown
  /** Its cell in `status`. */
  readonly cell: string
  readonly inventory: (ObjectShown & { readonly state: string | undefined }) | undefined
}

export interface ModuleShown extends ObjectShown {
  readonly name: string
  readonly why: WhyShown
  /** `status MODULE`. */
  readonly status: { readonly exit: number; readonly ready: boolean; readonly reason: string | undefined }
  readonly total: number | undefined
  readonly units: readonly UnitShown[]
}

interface FleetReport {
  readonly modules: readonly {
    readonly name: string
    readonly units: Readonly<Record<string, { readonly state: string }>>
  }[]
}

/** Facts about all Modules of a fleet. */
export async function shownOf(start: Start): Promise<ModuleShown[]> {
  const hub = new FrozenHub(start)
  const { report } = await hub.run('status')
  const rows = (report as FleetReport).modules
  const shown: ModuleShown[] = []
  for (const { name, units } of rows) shown.push(await moduleShown(hub, name, units))
  return shown
}

async function moduleShown(
  hub: FrozenHub,
  name: string,
  cells: FleetReport['modules'][number]['units'],
): Promise<ModuleShown> {
  const module = (await hub.run('get', 'module', name)).report as Stored<Module>
  const status = await hub.run('status', name)
  const inventories = hub.objects('inventories.lockstep.dev') as readonly Stored<Inventory>[]
  const own = inventories.filter(
    ({ spec }) =>
      spec.moduleRef.name === name && spec.moduleRef.owner === undefined && spec.released === undefined,
  )
  const units: UnitShown[] = []
  for (const [cluster, cell] of Object.entries(cells)) {
    const inventory = own.find(({ spec }) => spec.clusterRef.name === cluster)
    units.push({
      cluster,
      why: whyShown(await hub.run('why', `${name}@${cluster}`)),
      cell: cell.state,
      inventory: inventory && {
        ...(await objectShown(hub, inventory, 'inventory')),
        state: inventory.status?.state,
      },
    })
  }
  const { ready, reason } = status.report as { readonly ready: boolean; readonly reason?: string }
  return {
    name,
    ...(await objectShown(hub, module, 'module')),
    why: whyShown(await hub.run('why', name)),
    status: { exit: status.code, ready, reason },
    total: module.status?.clusters?.total,
    units,
  }
}

type Reporting = Stored<Module> | Stored<Inventory>

async function objectShown(hub: FrozenHub, o: Reporting, word: string): Promise<ObjectShown> {
  const { metadata, status } = o
  const of = (type: string) => status?.conditions?.find((c) => c.type === type)
  const letter = (type: string): string => of(type)?.status[0] ?? '?'
  const ready = of('Ready')
  const waited = await hub.run('wait', `${word}/${metadata.name}`, '--timeout=0s')
  return {
    conditions: ['Ready', 'Reconciling', 'Stalled'].map(letter).join(''),
    reasons: {
      Ready: ready?.reason,
      Reconciling: of('Reconciling')?.reason,
      Stalled: of('Stalled')?.reason,
    },
    isCurrent: (ready?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    isDeleting: metadata.deletionTimestamp !== undefined,
    kstatus: kstatusOf(o as unknown as KubeObject, hub.env.clock.now()).status,
    blockers: (status?.blockers ?? []).map(({ reason, since }) => ({ reason, since })),
    wait: waited.code,
    events: eventsOf(hub, metadata.uid),
  }
}

function eventsOf(hub: FrozenHub, uid: string): EventShown[] {
  const all = hub
    .objects('events')
    .filter((e) => (at(e, 'regarding', 'uid') ?? at(e, 'involvedObject', 'uid')) === uid)
  const shown = all.map((e) => ({
    type: String(at(e, 'type')),
    reason: String(at(e, 'reason')),
    at: String(at(e, 'eventTime')),
  }))
  return shown.sort((a, b) => (a.at < b.at ? -1 : 1))
}

interface WhyReport {
  readonly state: string
  readonly cluster: string
  readonly causes: readonly Cause[]
  readonly rootCauses: readonly Omit<Cause, 'children'>[]
}

function whyShown({ code, report }: Printed): WhyShown {
  const { state, cluster, causes, rootCauses } = report as WhyReport
  const reasonsOf = (all: readonly Cause[]): string[] =>
    all.flatMap((c) => [c.reason, ...reasonsOf(c.children)])
  return {
    exit: code,
    state,
    cluster,
    reasons: reasonsOf(causes),
    roots: rootCauses.map((r) => r.reason),
    unadvised: rootCauses.filter((r) => r.advice === undefined).map((r) => r.reason),
  }
}
