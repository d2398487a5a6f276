/** Whose business a change is. What is published counts beside the spec: an edit may be refused, or not published yet. */
import type { Stored } from '../api/kind.ts'
import { BUNDLE_DIGEST_ANNOTATION } from '../api/labels.ts'
import type { Module } from '../api/registry.ts'
import { clusterOf } from '../core/gate/observation.ts'
import { type ModuleRef, moduleEdges, moduleId } from '../core/graph/module.ts'
import { moduleRefOf } from '../deliver/names.ts'
import { HUB_CLUSTER } from '../fleet/cluster.ts'
import { selectionId } from '../fleet/selections.ts'
import { selectionsOf } from './checks.ts'
import type { Hub } from './hub.ts'
import { referenceTo } from './references.ts'

/** Modules that need this one, by id, and whether one of the edges names a cluster. */
export function dependantIds(hub: Hub, ref: ModuleRef): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>()
  const add = (id: string, isFar: boolean): void => void found.set(id, isFar || found.get(id) === true)
  for (const module of modulesIn(hub, ref.namespace)) {
    for (const { module: to } of module.spec.dependsOn ?? [])
      if (to?.kind === ref.kind && to.name === ref.name)
        add(moduleId(moduleRefOf(module)), to.clusterRef !== undefined)
  }
  for (const record of hub.revisions.store.by('needs', moduleId(ref)))
    for (const e of moduleEdges(record.edges))
      if (moduleId(e.to) === moduleId(ref)) add(moduleId(record.module), e.cluster !== undefined)
  return found
}

/** Units that one of `cluster` needs, or needed with a revision that its module still has. */
export function dependenciesOf(
  hub: Hub,
  ref: ModuleRef,
  cluster: string,
): { to: ModuleRef; cluster: string }[] {
  const isOfHub = (to: ModuleRef): boolean => hub.module(to)?.spec.targets?.hub === true
  const home = (to: ModuleRef): string | undefined => (isOfHub(to) ? HUB_CLUSTER : undefined)
  const found = new Map<string, { to: ModuleRef; cluster: string }>()
  for (const record of hub.revisions.store.by('module', moduleId(ref))) {
    for (const e of moduleEdges(record.edges)) {
      const place = clusterOf(e, cluster, { home })
      found.set(`${moduleId(e.to)}@${place}`, { to: e.to, cluster: place })
    }
  }
  return [...found.values()]
}

/** Whether an edge or a checkpoint of the module looks at a selection of objects. */
export function looksAt(hub: Hub, module: Stored<Module>, id: string): boolean {
  const revisions = hub.revisions.store.by('module', moduleId(moduleRefOf(module)))
  const specs = [module.spec, ...[...revisions].map((r) => r.spec)]
  return specs.some((spec) => selectionsOf(spec).some((s) => selectionId(s) === id))
}

/** Who delivers from a bundle, by one of its Secrets: it may have been damaged, and is put right now. */
export function* unitsOfShard(hub: Hub, { metadata }: Stored): Iterable<{ ref: ModuleRef; cluster: string }> {
  const { namespace = '', annotations } = metadata
  const bundle = referenceTo(namespace, annotations?.[BUNDLE_DIGEST_ANNOTATION] ?? '')
  for (const { spec } of hub.inventories.store.by('bundle', bundle)) {
    const { kind, name } = spec.moduleRef
    yield { ref: { kind, namespace, name }, cluster: spec.clusterRef.name }
  }
}

export function* modulesIn(hub: Hub, namespace: string): Iterable<Stored<Module>> {
  yield* hub.modules.store.by('namespace', namespace)
  yield* hub.bootstrapModules.store.by('namespace', namespace)
}
