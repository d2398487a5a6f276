/** Modules of the ownership model: the specs that a person writes, their revisions, and the assignments of their units. */
import { type Digest, digestOf, type Stored } from '../../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../../packages/lockstep/src/api/apiversion.ts'
import type { Inventory, Module, ModuleStatus } from '../../../packages/lockstep/src/api/kinds/index.ts'
import { moduleSpec } from '../../../packages/lockstep/src/api/kinds/module/spec.ts'
import {
  admittedAssignment,
  assignmentOf,
  type NewAssignment,
  newAssignment,
  toAssignment,
} from '../../../packages/lockstep/src/controllers/cache/assignmentof.ts'
import { requiredDependents } from '../../../packages/lockstep/src/controllers/cache/dependents.ts'
import { observationOf, publishedFrom } from '../../../packages/lockstep/src/controllers/cache/observation.ts'
import { controllerRevisionOf } from '../../../packages/lockstep/src/controllers/cache/revisions.ts'
import { findRevisionRecord } from '../../../packages/lockstep/src/controllers/cache/targetrevision.ts'
import {
  claimsCluster,
  unitRevisions,
} from '../../../packages/lockstep/src/controllers/claims/claimingunits.ts'
import {
  contenderBlockers,
  contendersOf,
} from '../../../packages/lockstep/src/controllers/claims/contenders.ts'
import { isReselected } from '../../../packages/lockstep/src/controllers/module/removal/removalpolicy.ts'
import { isUndelivered } from '../../../packages/lockstep/src/controllers/module/unassign.ts'
import { claimConflict } from '../../../packages/lockstep/src/controllers/publish/claimconflict.ts'
import { gate } from '../../../packages/lockstep/src/decisions/gate/gate.ts'
import type { Observation } from '../../../packages/lockstep/src/decisions/gate/observation.ts'
import { type ModuleRef, moduleId } from '../../../packages/lockstep/src/decisions/graph/moduleref.ts'
import { fleetRevision } from '../../../packages/lockstep/src/decisions/rollout/targetrevision.ts'
import { newInventory } from '../../../packages/lockstep/src/deliver/step/newinventory.ts'
import { PARTS } from './modelobject.ts'
import { type ModelWorld, NAMESPACE } from './modelworld.ts'

const STAGE = 'all'

/** A Module as a person writes it. */
export interface ModelModule {
  readonly name: string
  readonly parts: ReadonlySet<string>
  /** Label of its clusters; `all`, or `none`. */
  readonly ring: string
  readonly edges: readonly { readonly on: string; readonly optional: boolean }[]
  readonly takesFrom: readonly string[]
  readonly version: number
}

export const refOfModule = (name: string): ModuleRef => ({ kind: 'Module', namespace: NAMESPACE, name })

const TEMPLATE = moduleSpec.parse({ targets: {}, source: { configMaps: [{ name: 'all' }] } })

const selectorOf = (ring: string): Module['spec']['targets'] => {
  if (ring === 'none') return { clusters: ['other'] } as Module['spec']['targets']
  return { clusterSelector: ring === 'all' ? {} : { matchLabels: { ring } } } as Module['spec']['targets']
}

const specOf = ({ ring, edges, takesFrom }: ModelModule): Module['spec'] =>
  ({
    ...TEMPLATE,
    targets: selectorOf(ring),
    dependsOn: edges.map(({ on, optional }) => ({
      id: on,
      module: { kind: 'Module', name: on },
      release: 'Same',
      optional,
    })),
    apply: { ...TEMPLATE.apply, takeOverFrom: takesFrom.map((name) => ({ kind: 'Module', name })) },
  }) as Module['spec']

export class ModelModules {
  /** As the person wrote them last, without those that are being deleted. */
  readonly wanted = new Map<string, ModelModule>()
  /** Parts of revisions, those first that others need. */
  private readonly contents = new Map<string, readonly string[]>()
  private readonly w: ModelWorld
  private revisions = 0

  constructor(w: ModelWorld) {
    this.w = w
  }

  readonly partsOf = (revision: string): readonly string[] => this.contents.get(revision) ?? []

  all(): Stored<Module>[] {
    return this.w.copy.allModules()
  }

  /** Writes spec and source. A Module that is being deleted stays as it is. */
  write(m: ModelModule): void {
    const { copy } = this.w
    const known = copy.module(refOfModule(m.name))
    if (known?.metadata.deletionTimestamp !== undefined) return
    const uid = this.w.uid('module')
    const created = new Date(Date.UTC(2026, 0, 1) + this.w.steadyMs).toISOString()
    const metadata = {
      name: m.name,
      namespace: NAMESPACE,
      uid,
      resourceVersion: '0',
      creationTimestamp: created,
    }
    const module = known ?? ({ apiVersion: API_VERSION, kind: 'Module', metadata } as Stored<Module>)
    this.wanted.set(m.name, m)
    this.w.unsettled.add(m.name)
    this.put({ ...module, spec: specOf(m) })
  }

  delete(name: string): void {
    const module = this.w.copy.module(refOfModule(name))
    this.wanted.delete(name)
    this.w.unsettled.delete(name)
    if (!module || module.metadata.deletionTimestamp !== undefined) return
    this.put({ ...module, metadata: { ...module.metadata, deletionTimestamp: '2026-02-01T00:00:00Z' } })
  }

  private put(module: Stored<Module>): void {
    this.w.changes++
    this.w.copy.modules.put(module)
  }

  /** One reconcile of a Module after its revision is published: its units. */
  schedule(name: string): void {
    const module = this.w.copy.module(refOfModule(name))
    if (!module) return
    const seen = observationOf(this.w.deps, NAMESPACE)
    for (const cluster of this.w.clusters.keys()) this.scheduleUnit(module, cluster, seen)
    const isLeft = [...this.w.copy.inventories.store.by('module', moduleId(refOfModule(name)))].length > 0
    if (module.metadata.deletionTimestamp !== undefined && !isLeft) this.drop(module)
  }

  /** Its revisions go with it. */
  private drop(module: Stored<Module>): void {
    this.w.changes++
    this.w.copy.modules.drop(module)
    const { revisions } = this.w.copy
    for (const { stored } of [...revisions.store.by('module', moduleId(refOfModule(module.metadata.name)))])
      revisions.drop({ metadata: stored } as never)
  }

  /** The revision of spec and source is the next target; one that a claim refuses changes nothing. */
  publish(name: string): void {
    const m = this.wanted.get(name)
    const ref = refOfModule(name)
    const module = this.w.copy.module(ref)
    if (!m || !module || !this.w.unsettled.delete(name)) return
    const parts = PARTS.filter((p) => m.parts.has(p))
    const { edges, takesFrom, version } = m
    const revision = digestOf('model/1', { name, parts, edges, takesFrom, version } as never)
    const next = {
      module: ref,
      uid: module.metadata.uid,
      spec: module.spec,
      inputs: [],
      revision,
      bundle: digestOf('model/2', { parts, version } as never),
      values: undefined,
      mentions: [],
      claims: parts,
      sourceRevision: '',
      number: ++this.revisions,
      now: this.w.steadyMs,
    }
    if (claimConflict(this.w.copy, next)) return
    if (!findRevisionRecord(this.w.copy, ref, revision)) {
      const made = controllerRevisionOf(next)
      const metadata = { ...made.metadata, uid: this.w.uid('revision'), resourceVersion: '0' }
      this.w.copy.revisions.put({ ...made, metadata } as never)
    }
    this.contents.set(revision, parts)
    const rollout = { ...module.status?.rollout, revision: fleetRevision(module.status) ?? revision }
    this.put({ ...module, status: { ...module.status, currentRevision: revision, rollout } as ModuleStatus })
  }

  /** The published revision becomes the target of all clusters. */
  advance(name: string): void {
    const module = this.w.copy.module(refOfModule(name))
    const { currentRevision, rollout } = module?.status ?? {}
    if (!module || module.metadata.deletionTimestamp !== undefined) return
    if (currentRevision === undefined || rollout?.revision === currentRevision) return
    const status = { ...module.status, rollout: { ...rollout, revision: currentRevision } }
    this.put({ ...module, status: status as ModuleStatus })
  }

  private scheduleUnit(module: Stored<Module>, cluster: string, seen: Observation): void {
    const { copy } = this.w
    const ref = refOfModule(module.metadata.name)
    const { view } = this.w.cluster(cluster)
    const inventory = copy.unit(ref, cluster)
    const record = copy.assignment(ref, cluster)
    if (!claimsCluster(module, view)) {
      this.unassign(module, cluster, seen)
      return
    }
    if (record?.removal) {
      const isBack = isReselected({ view: { selected: true }, record, inventory } as never)
      const back = isBack && inventory && admittedAssignment(inventory, STAGE)
      if (back) this.assign(module, cluster, back)
      return
    }
    const { aim, admitted } = unitRevisions(copy, this.w.steadyMs, ref, module, cluster)
    const found = findRevisionRecord(copy, ref, aim)
    if (!found || (record?.revision === aim && record?.uid === module.metadata.uid)) return
    const look = { hub: copy, nowMs: this.w.steadyMs }
    const isHeld =
      aim !== admitted && contenderBlockers(look, contendersOf(copy, found), ref, view).length > 0
    if (
      isHeld ||
      gate({ module: ref, cluster, published: publishedFrom(found, module) }, seen).outcome === 'Closed'
    )
      return
    this.assign(module, cluster, newAssignment(found, undefined, STAGE))
  }

  private unassign(module: Stored<Module>, cluster: string, seen: Observation): void {
    const { copy } = this.w
    const ref = refOfModule(module.metadata.name)
    const inventory = copy.unit(ref, cluster)
    const record = copy.assignment(ref, cluster)
    if (!inventory || record?.removal) return
    if (isUndelivered(inventory)) {
      const { assigned, ...spec } = inventory.spec
      if (assigned) this.w.putInventory({ ...inventory, spec })
      return
    }
    if (requiredDependents(copy, ref, cluster, seen).length > 0) return
    const cause = module.metadata.deletionTimestamp === undefined ? 'Relabelled' : 'ModuleDeleted'
    const { revision, bundle } = inventory.spec.admitted ??
      record ?? { revision: '' as Digest, bundle: '' as Digest }
    this.assign(module, cluster, { revision, bundle, stage: STAGE, removal: { cause, policy: 'Delete' } })
  }

  private assign(module: Stored<Module>, cluster: string, assigned: NewAssignment): void {
    const ref = refOfModule(module.metadata.name)
    const known = this.w.copy.unit(ref, cluster) ?? this.created(ref, module, cluster)
    const next = toAssignment(module, assigned, assignmentOf(known))
    this.w.putInventory({ ...known, spec: { ...known.spec, assigned: next } })
  }

  private created(ref: ModuleRef, { metadata: { uid } }: Stored<Module>, cluster: string): Stored<Inventory> {
    const body = newInventory({ ref, uid, cluster: { kind: 'Secret', name: cluster } })
    const made = {
      uid: this.w.uid('inventory'),
      resourceVersion: '0',
      creationTimestamp: '2026-01-01T00:00:00Z',
    }
    return { ...body, metadata: { ...body.metadata, ...made } } as Stored<Inventory>
  }
}
