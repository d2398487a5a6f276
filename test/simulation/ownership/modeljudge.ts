/** Promises of the ownership model, judged when a request is served. They are independent of the decisions: sets of names. */
import { identityOf, type ObjectReference, refText } from '../../../packages/kube/src/object/index.ts'
import type { Stored } from '../../../packages/kube/src/object/kind.ts'
import type { Inventory, Module } from '../../../packages/lockstep/src/api/kinds/index.ts'
import { type ModelModules, refOfModule } from './modelmodules.ts'
import { partsIn, refOfPart } from './modelobject.ts'
import type { ModelWorld, RequestWitness } from './modelworld.ts'

export class ModelJudge implements RequestWitness {
  readonly problems: string[] = []
  /** Objects that another unit has by now, with the same uid. */
  handed = 0
  private readonly owners = new Map<string, string>()
  private readonly w: ModelWorld
  private readonly modules: ModelModules

  constructor(w: ModelWorld, modules: ModelModules) {
    this.w = w
    this.modules = modules
  }

  /** I34: an object that a unit other than its holder keeps or uses is not deleted. */
  deleted(cluster: string, ref: ObjectReference, holder: string | undefined): void {
    const gone = new Set([ref, ...partsIn(ref).map(refOfPart)].map(identityOf))
    for (const module of this.modules.all()) {
      const unit = this.w.copy.unit(refOfModule(module.metadata.name), cluster)
      const isHolder = unit?.metadata.uid === holder
      if (isHolder && unit?.spec.assigned?.removal) continue
      if (!isSelecting(module, this.w.cluster(cluster).labels.ring)) continue
      const kept = keptRevisions(module, unit).flatMap((r) => this.modules.partsOf(r))
      const found = kept.find((part) => gone.has(identityOf(refOfPart(part))))
      if (found !== undefined)
        this.problems.push(
          `I34: ${cluster}: DELETE of ${refText(ref)}: ${module.metadata.name} keeps ${found}`,
        )
    }
  }

  /** An object is named by the Inventory whose marks it has, before and after each write. */
  written(cluster: string): void {
    const inventories = new Map(this.w.inventories(cluster).map((i) => [i.metadata.uid, i]))
    for (const { ref, uid, inventory, unit } of this.w.cluster(cluster).objects.values()) {
      if (inventory === undefined) continue
      const { objects = [], intents = [] } = inventories.get(inventory)?.spec ?? {}
      const id = identityOf(ref)
      if (!objects.some((o) => o.uid === uid) && !intents.some((i) => identityOf(i) === id))
        this.problems.push(
          `${cluster}: ${refText(ref)} has marks of ${unit}, whose Inventory does not name it`,
        )
      const owner = this.owners.get(uid)
      if (owner !== undefined && owner !== inventory) this.handed++
      this.owners.set(uid, inventory)
    }
  }

  /** All Modules were deleted, and nothing happens any more. */
  atEnd(): void {
    const said = (text: string): number => this.problems.push(`at the end: ${text}`)
    for (const { metadata } of this.modules.all()) said(`Module ${metadata.name} is left`)
    for (const cluster of this.w.clusters.keys()) {
      for (const { metadata } of this.w.inventories(cluster)) said(`Inventory ${metadata.name} is left`)
      for (const { ref, unit } of this.w.cluster(cluster).objects.values())
        if (unit !== undefined) said(`${cluster}: ${refText(ref)} of ${unit} is left`)
    }
  }
}

function isSelecting({ metadata, spec: { targets } }: Stored<Module>, ring: string): boolean {
  if (metadata.deletionTimestamp !== undefined || !targets?.clusterSelector) return false
  return (targets.clusterSelector.matchLabels?.ring ?? ring) === ring
}

/** Revisions at which a unit is, or may be delivered. */
function keptRevisions({ status }: Stored<Module>, unit: Stored<Inventory> | undefined): string[] {
  const { assigned, admitted } = unit?.spec ?? {}
  const assignedTo = assigned?.removal ? undefined : assigned?.revision
  const all = [status?.currentRevision, status?.rollout?.revision, assignedTo, admitted?.revision]
  return all.filter((r) => r !== undefined)
}
