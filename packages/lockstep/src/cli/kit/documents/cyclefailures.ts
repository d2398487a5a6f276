/** Modules of documents and of the hub that would need each other: refused before anything is applied. */
import { ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { bootstrapModuleKind, type Module, moduleKind } from '../../../api/kinds/index.ts'
import { edgesOf } from '../../../controllers/cache/index.ts'
import { type ModuleEdge, moduleCycle, moduleEdges, moduleId } from '../../../decisions/graph/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import { type HubConnection, listAll } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import { fieldRefusal } from './documentrefusals.ts'
import type { ManifestDocument } from './parsesources.ts'

/** A Module of a document, as the server would store it. */
export interface ModuleDocument {
  readonly document: ManifestDocument
  readonly module: Stored<Module>
}

/** One failure a cycle, at the first document on it. `others`: Modules of the hub; documents replace them. */
export function cycleFailures(
  documents: readonly ModuleDocument[],
  others: readonly Stored<Module>[],
): CliFailure[] {
  const edges = new Map(
    [...others, ...documents.map((d) => d.module)].map((module): [string, ModuleEdge[]] => {
      const ref = moduleRefOf(module)
      return [moduleId(ref), moduleEdges(edgesOf(module.spec.dependsOn, ref.namespace))]
    }),
  )
  const told = new Set<string>()
  return documents.flatMap(({ document, module }) => {
    const id = moduleId(moduleRefOf(module))
    const cycle = told.has(id) ? undefined : moduleCycle(id, (node) => edges.get(node) ?? [])
    if (!cycle) return []
    for (const [from] of cycle.steps) told.add(from)
    const problem = `${cycle.names.join(' → ')}; remove one of these dependencies`
    return [fieldRefusal(document, { field: 'spec.dependsOn', problem, unknown: false })]
  })
}

/** Modules in the namespaces of documents that need others; without such a document the hub is not asked. */
export async function modulesBeside(
  c: CommandContext,
  hub: HubConnection,
  documents: readonly ModuleDocument[],
): Promise<Result<Stored<Module>[], CliFailure>> {
  const needing = documents.filter(({ module }) => (module.spec.dependsOn ?? []).length > 0)
  const found: Stored<Module>[] = []
  for (const namespace of new Set(needing.map(({ module }) => moduleRefOf(module).namespace)))
    for (const kind of [moduleKind, bootstrapModuleKind]) {
      const listed = await listAll<Module>(c, hub, kind, { namespace })
      if (!listed.ok) return listed
      found.push(...listed.value.filter((m) => m.metadata.deletionTimestamp === undefined))
    }
  return ok(found)
}
