/** The Module by which a ClusterResourceSet in Continuous is delivered: kept as the set asks for it, and taken away again. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { jsonEqual, keyOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { API_VERSION } from '../../api/apiversion.ts'
import {
  type ClusterResourceSet,
  type Module,
  type ModuleSpec,
  moduleKind,
  moduleSpec,
} from '../../api/kinds/index.ts'
import { MANAGER, MODULE_FINALIZER, ORPHAN_ANNOTATION } from '../../api/labels.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import {
  clusterSelectorProblem,
  companionName,
  companionSpec,
  keptSpec,
  type SetSettings,
  setOf,
} from '../../decisions/resourceset/index.ts'
import {
  type ControllerContext,
  clustersWithAssignments,
  companionRef,
  deleteAssignment,
  type HubCaches,
  SET_KIND,
} from '../cache/index.ts'
import { dropInventory } from '../gc/index.ts'
import { failedWrite } from '../runtime/index.ts'
import { setOwnerOf } from './sourceowners.ts'

type SetMetadata = Pick<Stored<ClusterResourceSet>, 'metadata'>

/** The Module of a set, if there is one and it is the set's own. */
export function companionModuleOf(
  { modules }: Pick<HubCaches, 'modules'>,
  set: SetMetadata,
): Stored<Module> | undefined {
  const found = modules.store.get(companionRef(set))
  return found && setOf(found.metadata)?.uid === set.metadata.uid ? found : undefined
}

export const companionInventories = (c: Pick<ControllerContext, 'hub'>, set: SetMetadata) => [
  ...c.hub.inventories.store.by('module', moduleId(companionRef(set))),
]

/** Somebody else's Module has its name; undefined: none has. */
export function companionNameTaken(
  { modules }: Pick<HubCaches, 'modules'>,
  set: SetMetadata,
): string | undefined {
  const ref = companionRef(set)
  const found = modules.store.get(ref)
  if (!found || setOf(found.metadata)?.uid === set.metadata.uid) return undefined
  // Of a set of this name that was deleted: it goes with what is left of that.
  if (setOf(found.metadata)?.name === set.metadata.name) return undefined
  return `Module ${ref.namespace}/${ref.name} exists and is not of this ClusterResourceSet, which is delivered by a Module of that name; delete it, or give the set another name`
}

export interface CompanionResult {
  readonly outcome: ReconcileResult
  /** The hub does not take it, in its words: only another set, or other rights, help. */
  readonly refused: string | undefined
}

const KEPT: CompanionResult = { outcome: { ok: true }, refused: undefined }
const LASTING: ReadonlySet<RequestError['kind']> = new Set(['Invalid', 'Forbidden'])

/**
 * Written where it is not as the set asks; what others have changed of it is put right. `settings` undefined: they are not
 * valid, nor does this process know what they were.
 */
export async function reconcileCompanion(
  c: ControllerContext,
  set: Stored<ClusterResourceSet>,
  settings: SetSettings | undefined,
): Promise<CompanionResult> {
  const found = c.hub.modules.store.get(companionRef(set))
  if (!settings && !found) return KEPT
  const wanted = settings ? companionSpec(set, settings) : keptSpec(found!.spec, set)
  // A selector by which nothing can be found says of no cluster that it is to leave.
  const isBroken = clusterSelectorProblem(set.spec.clusterSelector) !== undefined
  const spec = found && isBroken ? { ...wanted, targets: found.spec.targets } : wanted
  if (found) {
    const isOwn = setOf(found.metadata)?.uid === set.metadata.uid
    if (!isOwn || found.metadata.deletionTimestamp !== undefined) return KEPT
    if (jsonEqual(withDefaults(found.spec), withDefaults(spec))) return KEPT
  }
  const owner = setOwnerOf(c.hub, set)
  const { namespace = '' } = set.metadata
  const body = {
    apiVersion: API_VERSION,
    kind: moduleKind.kind,
    metadata: {
      name: companionName(set.metadata.name),
      namespace,
      ownerReferences: [{ ...owner, kind: SET_KIND, controller: true, blockOwnerDeletion: true }],
    },
    spec,
  } as unknown as Module
  const done = await c.hub.client.apply(moduleKind, body, {
    purpose: 'record',
    manager: COMPANION_MANAGER,
    force: true,
    precondition: found
      ? { uid: found.metadata.uid, resourceVersion: found.metadata.resourceVersion }
      : 'absent',
  })
  if (!done.ok) {
    const refused = LASTING.has(done.error.kind) ? requestErrorText(done.error) : undefined
    return { outcome: failedWrite(c, done.error), refused }
  }
  c.hub.modules.observeWrite(done.value)
  return KEPT
}

/** Apart from the engine's writes to Modules, which this one's applies must not take back. */
const COMPANION_MANAGER = 'lockstep-resource-sets'

const withDefaults = (spec: unknown): ModuleSpec | unknown => {
  const read = moduleSpec.safeParse(spec)
  return read.success ? read.data : spec
}

/**
 * Takes it away: its objects stay, or go with it. What is out of reach keeps it from going only where objects are to be
 * deleted. Undefined: it is gone.
 */
export async function removeCompanion(
  c: ControllerContext,
  set: Stored<ClusterResourceSet>,
  policy: 'Orphan' | 'Delete',
): Promise<ReconcileResult | undefined> {
  const found = companionModuleOf(c.hub, set)
  if (!found) return undefined
  const { uid, resourceVersion } = found.metadata
  const given = policy === 'Orphan' ? unreachableClusters(c, set).join(',') : ''
  const isAsked =
    found.spec.apply.deletionPolicy === policy &&
    (given === '' || found.metadata.annotations?.[ORPHAN_ANNOTATION] === given)
  const call = { purpose: 'record', manager: MANAGER } as const
  if (!isAsked) {
    const patch = {
      ...(given === '' ? {} : { metadata: { annotations: { [ORPHAN_ANNOTATION]: given } } }),
      spec: { apply: { deletionPolicy: policy } },
    }
    const done = await c.hub.client.patch(moduleKind, keyOf(found), patch, {
      ...call,
      precondition: { uid, resourceVersion },
    })
    if (!done.ok) return failedWrite(c, done.error)
    c.hub.modules.observeWrite(done.value)
    return { ok: true, requeueAfterMs: 1 }
  }
  if (found.metadata.deletionTimestamp === undefined) {
    const gone = await c.hub.client.delete(moduleKind, keyOf(found), {
      ...call,
      precondition: { uid, resourceVersion },
    })
    if (!gone.ok && gone.error.kind !== 'NotFound') return failedWrite(c, gone.error)
  }
  // Its event brings us back.
  return { ok: true }
}

/** Clusters that nothing can be asked of now, by name: not those that are no more, for which nobody waits. */
export const unreachableClusters = (c: ControllerContext, set: SetMetadata): string[] =>
  companionInventories(c, set)
    .map((i) => i.spec.clusterRef.name)
    .filter((name) => {
      const view = c.fleet.view(set.metadata.namespace ?? '', name)
      return view !== undefined && c.fleet.session(view)?.state !== 'Connected'
    })
    .sort()

/**
 * `clusterctl move` has copied the set: what is here goes, and nothing is asked of any cluster. Undefined: it is gone.
 * Records are the last to be taken back: while the Module is there it writes them again.
 */
export async function abandonCompanion(
  c: ControllerContext,
  set: Stored<ClusterResourceSet>,
): Promise<ReconcileResult | undefined> {
  const ref = companionRef(set)
  const left = (await dropInventories(c, set)) ?? (await dropModule(c, set)) ?? (await dropRecords(c, ref))
  return left ?? dropInventories(c, set)
}

async function dropInventories(
  c: ControllerContext,
  set: Stored<ClusterResourceSet>,
): Promise<ReconcileResult | undefined> {
  const dropped = await Promise.all(companionInventories(c, set).map((i) => dropInventory(c, i)))
  return dropped.find((o) => !o.ok)
}

async function dropRecords(c: ControllerContext, ref: ModuleRef): Promise<ReconcileResult | undefined> {
  for (const cluster of clustersWithAssignments(c.hub, ref)) {
    const done = await deleteAssignment(c.hub, c.recordWrites, ref, cluster)
    if (!done.ok) return failedWrite(c, done.error)
  }
  return undefined
}

async function dropModule(
  c: ControllerContext,
  set: Stored<ClusterResourceSet>,
): Promise<ReconcileResult | undefined> {
  const found = companionModuleOf(c.hub, set)
  if (!found) return undefined
  const { uid, resourceVersion, finalizers = [] } = found.metadata
  const call = { purpose: 'record', manager: MANAGER } as const
  const free = { metadata: { finalizers: finalizers.filter((f) => f !== MODULE_FINALIZER) } }
  const freed = await c.hub.client.patch(moduleKind, keyOf(found), free, {
    ...call,
    precondition: { uid, resourceVersion },
  })
  if (!freed.ok) return freed.error.kind === 'NotFound' ? undefined : failedWrite(c, freed.error)
  const gone = await c.hub.client.delete(moduleKind, keyOf(found), {
    ...call,
    precondition: { uid, resourceVersion: freed.value.metadata.resourceVersion },
  })
  // The event of that brings us back, to what the Module has written meanwhile.
  return gone.ok || gone.error.kind === 'NotFound' ? { ok: true } : failedWrite(c, gone.error)
}
