/** What keeps Lockstep on a hub: whatever it looks after that nobody would look after then. Pure. */
import type { Stored } from '@lockstep/kube/object'
import {
  CAPI_PAUSED,
  type ClusterResourceSet,
  type Inventory,
  type Module,
  PAUSED_BY_US,
  type RemoteAssemblage,
} from '../../../api/kinds/index.ts'
import { isManagedSet } from '../../../controllers/cache/index.ts'
import { groupOf } from '../../../controllers/publish/index.ts'
import { setOf } from '../../../decisions/resourceset/index.ts'
import { plural } from '../../kit/terminal/index.ts'

/** What there is on the hub. */
export interface ManagedObjects {
  readonly sets: readonly Stored<ClusterResourceSet>[]
  /** Of the definition of sets. */
  readonly setLabels: Readonly<Record<string, string>> | undefined
  /** That definition is Lockstep's own, and goes with it. */
  readonly isOwnDefinition: boolean
  /** BootstrapModules too. */
  readonly modules: readonly Stored<Module>[]
  readonly inventories: readonly Stored<Inventory>[]
  /** Those of other controllers. */
  readonly foreign: readonly Stored<RemoteAssemblage>[]
  /** Pipelines and Promotions that only go once their pull requests are closed. */
  readonly closing: readonly Stored[]
}

export interface UninstallBlocker {
  readonly problem: string
  readonly suggestion: string
}

/** Sets that an uninstall hands back to Cluster API first; none while anything else blocks it. */
export function setsToHandBack(l: ManagedObjects): ManagedObjects['sets'] {
  if (l.isOwnDefinition || uninstallBlockers(l).length > 1) return []
  return heldSets(l)
}

const heldSets = (l: ManagedObjects): ManagedObjects['sets'] =>
  l.sets.filter((s) => l.isOwnDefinition || isHeld(s, l.setLabels))

/** Each kind of thing once, the first to be dealt with first. */
export function uninstallBlockers(l: ManagedObjects): UninstallBlocker[] {
  const held = heldSets(l)
  // What belongs to a set or to a cluster group goes, or is given back, with it.
  const modules = l.modules.filter(
    (m) => setOf(m.metadata) === undefined && groupOf(m.metadata) === undefined,
  )
  return [
    ...setKeeps(held, l.isOwnDefinition),
    ...moduleKeeps(modules, l.inventories),
    ...foreignKeeps(l.foreign),
    ...closingKeeps(l.closing),
    ...(held.length + modules.length + l.foreign.length > 0 ? [] : leftKeeps(l)),
  ]
}

/** Managed, or given back and still held: until the pause is lifted Cluster API does nothing. */
const isHeld = (set: Stored<ClusterResourceSet>, labels: ManagedObjects['setLabels']): boolean =>
  isManagedSet({ sets: { labels: labels ?? {} } }, set) ||
  set.metadata.annotations?.[CAPI_PAUSED] === PAUSED_BY_US

function setKeeps(held: ManagedObjects['sets'], isOwnDefinition: boolean): UninstallBlocker[] {
  if (held.length === 0) return []
  const are = `${plural(held.length, 'ClusterResourceSet')} ${held.length === 1 ? 'is' : 'are'} managed`
  return [
    isOwnDefinition
      ? {
          problem: `${are}, and no Cluster API exists to hand ${held.length === 1 ? 'it' : 'them'} back to`,
          suggestion: `delete first: ${namesOf(held)}; objects on clusters stay unless lockstep.dev/deletion-policy is Delete`,
        }
      : {
          problem: `${are}; run lockstep handback crs --all -A`,
          suggestion: `managed only by Lockstep: ${namesOf(held)}`,
        },
  ]
}

function moduleKeeps(
  modules: ManagedObjects['modules'],
  inventories: ManagedObjects['inventories'],
): UninstallBlocker[] {
  if (modules.length === 0) return []
  const its = (i: Stored<Inventory>): boolean =>
    modules.some(
      (m) =>
        m.kind === i.spec.moduleRef.kind &&
        m.metadata.name === i.spec.moduleRef.name &&
        m.metadata.namespace === i.metadata.namespace,
    )
  const clusters = new Set(
    inventories.filter(its).map((i) => `${i.metadata.namespace}/${i.spec.clusterRef.name}`),
  )
  const many = plural(modules.length, 'Module')
  const where = clusters.size === 0 ? '' : ` to ${plural(clusters.size, 'cluster')}`
  return [
    {
      problem: `${many} ${modules.length === 1 ? 'is' : 'are'} deployed${where}: ${namesOf(modules)}`,
      suggestion:
        'delete Modules first: lockstep delete module NAME; with spec.apply.deletionPolicy: Orphan their objects stay',
    },
  ]
}

function foreignKeeps(foreign: ManagedObjects['foreign']): UninstallBlocker[] {
  if (foreign.length === 0) return []
  return [
    {
      problem: `other controllers deploy through ${plural(foreign.length, 'RemoteAssemblage')}: ${namesOf(foreign)}`,
      suggestion: 'delete these through their controllers first',
    },
  ]
}

/** Without a controller nobody would close them, and their definition would never end. */
function closingKeeps(closing: ManagedObjects['closing']): UninstallBlocker[] {
  if (closing.length === 0) return []
  const [one, they] = closing.length === 1 ? ['object goes', 'it'] : ['objects go', 'them']
  return [
    {
      problem: `${closing.length} ${one} only once pull requests are closed (deletionPolicy: Close): ${namesOf(closing)}`,
      suggestion: `delete ${they} while the controller runs, or set spec.deletionPolicy: Orphan in the Pipeline`,
    },
  ]
}

/** Of Modules and sets that are gone. */
function leftKeeps({ modules, inventories }: ManagedObjects): UninstallBlocker[] {
  const left = [...modules, ...inventories]
  if (left.length === 0) return []
  const [first] = inventories
  const { namespace, name } = (first ?? left[0]!).metadata
  return [
    {
      problem: `${plural(left.length, 'Inventory', 'Inventories')} of deployed objects ${left.length === 1 ? 'exists' : 'exist'}: ${namesOf(left)}`,
      suggestion: `the controller deletes them while it runs; for a lost cluster: lockstep delete inventory ${name} -n ${namespace} (objects on the cluster stay)`,
    },
  ]
}

const NAMED = 5

/** `platform/shop, platform/web and 3 more`. */
function namesOf(objects: readonly { readonly metadata: Stored['metadata'] }[]): string {
  const names = objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort()
  const more = names.length - NAMED
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ')
}
