/** What files would publish, module by module; of a cluster group, its applications too. */
import { canonicalJson, type KubeObject, parseJson, type Stored } from '@lockstep/kube/object'
import { type Module, moduleKind } from '../../../api/kinds/index.ts'
import { type RevisionRecord, revisionRecordOf } from '../../../controllers/cache/index.ts'
import { previewApplications } from '../../../controllers/publish/index.ts'
import { moduleId } from '../../../decisions/graph/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import type { SourceFailure } from '../../../sources/intake/index.ts'
import { changesBetween, type RevisionChange } from '../diff/index.ts'
import type { HubConnection } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'
import type { FileModules } from '../render/index.ts'
import { bundlesOf } from '../units/index.ts'
import { mergeModules } from './mergemodules.ts'
import { currentIn, type NextRevision, nextRevisionOf, ringOn } from './nextrevision.ts'

/** What is known of a module besides what it would do. */
export interface PlannedModule {
  /** As the files have it, or the hub. */
  readonly module: Stored<Module>
  /** In the files, or an application of a cluster group that is. */
  readonly isWritten: boolean
  readonly before: RevisionRecord | undefined
  readonly next: NextRevision | undefined
  /** Why nothing of what is written can be published: what is published stays. */
  readonly problem?: SourceFailure
  /** Undefined: the published bundle cannot be read. */
  readonly changes: readonly RevisionChange[] | undefined
}

export interface ModulePlanInput {
  readonly hub: HubConnection
  readonly written: FileModules
  /** As they are on the hub. */
  readonly modules: readonly Stored<Module>[]
  readonly history: readonly RevisionRecord[]
  readonly nowMs: number
}

/** The hub's modules as they would be, and by `moduleId` what is known of them. */
export interface PlannedModules {
  readonly modules: readonly Stored<Module>[]
  readonly brought: ReadonlyMap<string, PlannedModule>
}

const idOf = (m: Module): string => moduleId(moduleRefOf(m))

/** One that cannot be made hurts no other. */
export async function planModules(c: CommandContext, b: ModulePlanInput): Promise<PlannedModules> {
  const brought = new Map<string, PlannedModule>()
  let modules = mergeModules(b.modules, b.written.modules)
  const ring = b.written.modules.length > 0 ? await ringOn(c, b.hub) : undefined
  // Applications come after their groups, and have none of their own.
  const open = b.written.modules.map(idOf)
  for (let id = open.shift(); id !== undefined; id = open.shift()) {
    const module = modules.find((m) => idOf(m) === id)!
    const one = await bring(c, { ...b, modules, ring }, module)
    brought.set(id, one)
    if (module.kind !== moduleKind.kind || one.problem) continue
    const record = one.next ? revisionRecordOf(one.next.stored) : one.before
    const beside = previewApplications(module, record, modules)
    if (!beside.ok) {
      brought.set(id, { ...one, problem: beside.error })
      continue
    }
    modules = mergeModules(modules, beside.value.wanted, beside.value.left)
    open.push(...beside.value.wanted.map(idOf))
  }
  for (const module of modules) {
    if (brought.has(idOf(module))) continue
    const before = currentIn(b.history, module)
    brought.set(idOf(module), { module, isWritten: false, before, next: undefined, changes: [] })
  }
  return { modules, brought }
}

type KeyedPlanInput = ModulePlanInput & { readonly ring: Awaited<ReturnType<typeof ringOn>> }

async function bring(c: CommandContext, b: KeyedPlanInput, module: Stored<Module>): Promise<PlannedModule> {
  const before = currentIn(b.history, module)
  const known = { module, isWritten: true, before }
  const next = await nextRevisionOf(c, module, { ...b, beside: b.written.beside })
  if (!next.ok) return { ...known, next: undefined, problem: next.error, changes: undefined }
  return { ...known, next: next.value, changes: await changesOfNext(b, before, next.value) }
}

async function changesOfNext(
  { hub }: ModulePlanInput,
  before: RevisionRecord | undefined,
  next: NextRevision | undefined,
): Promise<RevisionChange[] | undefined> {
  if (!next?.objects) return []
  const after = next.objects.map(asStored)
  if (!before) return changesBetween([], after)
  const bundle = await bundlesOf(hub).get(before.namespace, before.bundle)
  return bundle.ok ? changesBetween(bundle.value.objects, after) : undefined
}

/** With its fields in the order in which bundles keep them. */
const asStored = (o: KubeObject): KubeObject => parseJson(canonicalJson(o)) as unknown as KubeObject
