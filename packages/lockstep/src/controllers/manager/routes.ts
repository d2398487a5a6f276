/** Whose business a change is. What is published counts beside the spec: an edit may be refused, or not published yet. */
import type { Stored } from '@lockstep/kube/object'
import type { Inventory, Module, RemoteAssemblage } from '../../api/kinds/index.ts'
import { BUNDLE_DIGEST_ANNOTATION } from '../../api/labels.ts'
import { clusterOf } from '../../decisions/gate/index.ts'
import { type ModuleRef, moduleEdges, moduleId, refOfId, waveEdges } from '../../decisions/graph/index.ts'
import { inventoryName, moduleRefOf, refOfInventory } from '../../deliver/plan/index.ts'
import { HUB_CLUSTER } from '../../fleet/clusters/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import { namedInputs } from '../../sources/configmap/index.ts'
import {
  allModules,
  edgesOf,
  type HubInformers,
  inputSelection,
  moduleIndexOf,
  type RevisionRecord,
  referenceTo,
  revisionIn,
} from '../cache/index.ts'
import { gateEdges } from '../module/index.ts'
import { groupIdOf } from '../publish/index.ts'
import { kindAndName } from '../runtime/index.ts'
import { moduleSelections } from '../unit/index.ts'

/**
 * Modules that need this one, by id, and whether one of the edges names a cluster. `isDeep`: over any number of edges, of which
 * one may.
 */
export function dependantIds(
  hub: HubInformers,
  ref: ModuleRef,
  isDeep: boolean,
): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>()
  const visit = (of: ModuleRef, isBehindFar: boolean): void => {
    for (const [id, isFar] of directDependants(hub, of)) {
      const known = found.get(id)
      const now = isFar || isBehindFar
      if (known === true || known === now) continue
      found.set(id, now)
      if (isDeep) visit(refOfId(id), now)
    }
  }
  visit(ref, false)
  return found
}

function* directDependants(
  hub: HubInformers,
  ref: ModuleRef,
): Iterable<readonly [id: string, isFar: boolean]> {
  for (const module of moduleIndexOf(hub, ref.namespace)) {
    for (const e of moduleEdges(edgesOf(module.spec.dependsOn, ref.namespace)))
      if (moduleId(e.to) === moduleId(ref)) yield [moduleId(moduleRefOf(module)), e.cluster !== undefined]
  }
  for (const record of hub.revisions.store.by('needs', moduleId(ref)))
    for (const e of moduleEdges(record.edges))
      if (moduleId(e.to) === moduleId(ref)) yield [moduleId(record.module), e.cluster !== undefined]
}

/** Clusters with a unit of the module: what is written down of it, or, before there is any of that, its record. */
export const clustersOf = (hub: HubInformers, ref: ModuleRef): ReadonlySet<string> =>
  new Set(
    [
      ...hub.inventories.store.by('module', moduleId(ref)),
      // A Hold may have come before the first of what is written down of a unit.
      ...hub.assemblages.store.by('module', moduleId(ref)),
    ].map((o) => o.spec.clusterRef.name),
  )

/** Its module; and what it needs at a wave, whose units say which waves are done only where that is asked for. */
export const askedByRevision = ({ module, edges }: RevisionRecord): ModuleRef[] => [
  module,
  ...waveEdges(edges).map((e) => e.to),
]

interface Needed {
  readonly to: ModuleRef
  readonly cluster: string
  /** It waits for its dependants. */
  readonly isHeld: boolean
}

/** Units that one of `cluster` needs, or needed with a revision that its module still has. */
export function dependenciesOf(hub: HubInformers, ref: ModuleRef, cluster: string): Needed[] {
  const isOfHub = (to: ModuleRef): boolean => hub.module(to)?.spec.targets?.hub === true
  const home = (to: ModuleRef): string | undefined => (isOfHub(to) ? HUB_CLUSTER : undefined)
  const isHeld = (to: ModuleRef, place: string): boolean => {
    const { namespace } = to
    const inventory = hub.inventories.store.get({ namespace, name: inventoryName(to, place) })
    return inventory?.status?.blockers?.some((b) => b.reason === 'DependentAhead') === true
  }
  const found = new Map<string, Needed>()
  for (const record of hub.revisions.store.by('module', moduleId(ref))) {
    for (const e of moduleEdges(record.edges)) {
      const place = clusterOf(e, cluster, { home })
      found.set(`${moduleId(e.to)}@${place}`, { to: e.to, cluster: place, isHeld: isHeld(e.to, place) })
    }
  }
  return [...found.values()]
}

/** Whether an edge or a checkpoint of the module looks at a selection of objects. */
export function looksAt(hub: HubInformers, module: Stored<Module>, id: string): boolean {
  const revisions = hub.revisions.store.by('module', moduleId(moduleRefOf(module)))
  const specs = [module.spec, ...[...revisions].map((r) => r.spec)]
  const gates = gateEdges(module).map((e) => e.object)
  return [...specs.flatMap(moduleSelections), ...gates].some((s) => selectionId(s) === id)
}

/** Who delivers from a bundle, by one of its Secrets: it may have been damaged, and is put right now. */
export function* unitsOfShard(
  hub: HubInformers,
  { metadata }: Stored,
): Iterable<{ ref: ModuleRef; cluster: string }> {
  const { namespace = '', annotations } = metadata
  const bundle = referenceTo(namespace, annotations?.[BUNDLE_DIGEST_ANNOTATION] ?? '')
  for (const inventory of hub.inventories.store.by('bundle', bundle))
    yield { ref: refOfInventory(inventory), cluster: inventory.spec.clusterRef.name }
}

/** Modules whose source a ConfigMap is, or whose bindings are made of it. */
export const usersOfConfigMap = (hub: HubInformers, { metadata }: Stored): ModuleRef[] =>
  [...moduleIndexOf(hub, metadata.namespace ?? '')]
    .filter((m) => namedInputs(m.spec).some((i) => i.kind === 'ConfigMap' && i.name === metadata.name))
    .map(moduleRefOf)

/** Under which modules look at it for their bindings. */
export const configMapId = ({ metadata }: Stored): string =>
  selectionId(inputSelection('ConfigMap', metadata))

/** Modules that name a Secret, by the id of its selection. */
export const usersOfSecret = (hub: HubInformers, id: string): ModuleRef[] =>
  allModules(hub)
    .filter(({ metadata: { namespace = '' }, spec }) =>
      namedInputs(spec).some(
        ({ kind, name }) =>
          kind === 'Secret' && selectionId(inputSelection(kind, { namespace, name })) === id,
      ),
    )
    .map(moduleRefOf)

/** Modules whose record in an assemblage is another one, came or went. */
export function* changedRecords(
  before: Stored<RemoteAssemblage> | undefined,
  after: Stored<RemoteAssemblage> | undefined,
): Iterable<ModuleRef> {
  const { namespace = '' } = (after ?? before)!.metadata
  const refOf = (id: string): ModuleRef => {
    const { kind, name } = kindAndName(id)
    return { kind, namespace, name }
  }
  const serials = new Map((before?.spec.syncs ?? []).map((s) => [`${s.kind}/${s.name}`, s.serial]))
  for (const s of after?.spec.syncs ?? []) {
    const id = `${s.kind}/${s.name}`
    if (serials.get(id) !== s.serial) yield refOf(id)
    serials.delete(id)
  }
  for (const id of serials.keys()) yield refOf(id)
}

/** Units of a cluster group that may wait for an application of it, whose Inventory this is. */
export function* groupUnitsOf(hub: HubInformers, inventory: Stored<Inventory>): Iterable<ModuleRef> {
  const ref = refOfInventory(inventory)
  const { clusterRef, admitted } = inventory.spec
  const isWaiting = ({ status }: Pick<Inventory, 'status'>): boolean => status?.health !== 'Healthy'
  if (ref.owner === undefined) {
    const module = hub.module(ref)
    const id = module && groupIdOf(module)
    const group = id === undefined ? undefined : refOfId(id)
    const { namespace } = ref
    const unit =
      group && hub.inventories.store.get({ namespace, name: inventoryName(group, clusterRef.name) })
    if (unit && isWaiting(unit)) yield group
    return
  }
  const published = admitted && revisionIn(hub, ref.namespace, admitted.revision)
  const module = published && hub.module(published.module)
  if (!module || groupIdOf(module) === undefined) return
  for (const i of hub.inventories.store.by('owner', `${ref.namespace}/${ref.owner}`))
    if (i !== inventory && i.spec.clusterRef.name === clusterRef.name && isWaiting(i)) yield refOfInventory(i)
}
