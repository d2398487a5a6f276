/** What files would publish, module by module; of a cluster group, its applications too. */
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import { type Module, moduleKind } from '../../../api/registry.ts'
import { previewApplications } from '../../../controllers/publish/applications.ts'
import { type RevisionRecord, revisionRecordOf } from '../../../controllers/cache/revisions.ts'
import { moduleId } from '../../../decisions/graph/moduleref.ts'
import { moduleRefOf } from '../../../deliver/plan/unitnames.ts'
import { canonicalJson, type KubeObject, parseJson } from '../../../../../kube/src/object/index.ts'
import type { SourceFailure } from '../../../sources/intake/sourcefailure.ts'
import type { Context } from '../../kit/command.ts'
import { changesBetween, type ObjectChange } from '../../kit/diff/revisionchange.ts'
import type { Hub } from '../../kit/hub/hub.ts'
import type { Written } from '../../kit/render/filemodules.ts'
import { bundlesOf } from '../../kit/units/selectunits.ts'
import { merged } from './mergemodules.ts'
import { currentIn, type NextRevision, publishing, ringOn } from './nextrevision.ts'

/** What is known of a module besides what it would do. */
export interface Brought {
  /** As the files have it, or the hub. */
  readonly module: Stored<Module>
  /** In the files, or an application of a cluster group that is. */
  readonly isWritten: boolean
  readonly before: RevisionRecord | undefined
  readonly next: NextRevision | undefined
  /** Why nothing of what is written can be published: what is published stays. */
  readonly problem?: SourceFailure
  /** Undefined: the published bundle cannot be read. */
  readonly changes: readonly ObjectChange[] | undefined
}

export interface Bringing {
  readonly hub: Hub
  readonly written: Written
  /** As they are on the hub. */
  readonly modules: readonly Stored<Module>[]
  readonly history: readonly RevisionRecord[]
  readonly nowMs: number
}

/** The hub's modules as they would be, and by `moduleId` what is known of them. */
export interface AllBrought {
  readonly modules: readonly Stored<Module>[]
  readonly brought: ReadonlyMap<string, Brought>
}

const idOf = (m: Module): string => moduleId(moduleRefOf(m))

/** One that cannot be made hurts no other. */
export async function bringAll(c: Context, b: Bringing): Promise<AllBrought> {
  const brought = new Map<string, Brought>()
  let modules = merged(b.modules, b.written.modules)
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
    modules = merged(modules, beside.value.wanted, beside.value.left)
    open.push(...beside.value.wanted.map(idOf))
  }
  for (const module of modules) {
    if (brought.has(idOf(module))) continue
    const before = currentIn(b.history, module)
    brought.set(idOf(module), { module, isWritten: false, before, next: undefined, changes: [] })
  }
  return { modules, brought }
}

type Known = Bringing & { readonly ring: Awaited<ReturnType<typeof ringOn>> }

async function bring(c: Context, b: Known, module: Stored<Module>): Promise<Brought> {
  const before = currentIn(b.history, module)
  const known = { module, isWritten: true, before }
  const next = await publishing(c, module, { ...b, beside: b.written.beside })
  if (!next.ok) return { ...known, next: undefined, problem: next.error, changes: undefined }
  return { ...known, next: next.value, changes: await changesOfNext(b, before, next.value) }
}

async function changesOfNext(
  { hub }: Bringing,
  before: RevisionRecord | undefined,
  next: NextRevision | undefined,
): Promise<ObjectChange[] | undefined> {
  if (!next?.objects) return []
  const after = next.objects.map(asStored)
  if (!before) return changesBetween([], after)
  const bundle = await bundlesOf(hub).get(before.namespace, before.bundle)
  return bundle.ok ? changesBetween(bundle.value.objects, after) : undefined
}

/** With its fields in the order in which bundles keep them. */
const asStored = (o: KubeObject): KubeObject => parseJson(canonicalJson(o)) as unknown as KubeObject
