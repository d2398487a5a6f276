/** The Module by which a ClusterResourceSet in Continuous is delivered: kept as the set asks for it, and taken away again. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { jsonEqual, keyOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { accountOfSet } from '../../api/account.ts'
import { API_VERSION } from '../../api/apiversion.ts'
import {
  type ClusterResourceSet,
  type Module,
  type ModuleSpec,
  moduleKind,
  moduleSpec,
} from '../../api/kinds/index.ts'
import { MANAGER, MODULE_FINALIZER, ORPHAN_ANNOTATION } from '../../api/labels.ts'
import { moduleId } from '../../decisions/graph/index.ts'
import {
  clusterSelectorProblem,
  companionName,
  companionSpec,
  keptSpec,
  type SetSettings,
  setOf,
} from '../../decisions/resourceset/index.ts'
import { companionRef, type HubCaches, SET_KIND } from '../cache/index.ts'
import { dropInventory } from '../gc/index.ts'
import { ensure, failed, removeFinalizer, requeueAfter } from '../runtime/index.ts'
import type { SetDeps } from './setdeps.ts'
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

export const companionInventories = (c: Pick<SetDeps, 'hub'>, set: SetMetadata) => [
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
  readonly refused: CompanionRefusal | undefined
}

/** The hub does not take it, in its words: only another set, or other rights, help. */
export interface CompanionRefusal {
  readonly reason: 'InvalidSpec' | 'Forbidden'
  readonly message: string
}

const KEPT: CompanionResult = { outcome: { ok: true }, refused: undefined }

const refusalOf = (error: RequestError): CompanionRefusal | undefined => {
  const message = requestErrorText(error)
  if (error.kind === 'Forbidden') return { reason: 'Forbidden', message }
  return error.kind === 'Invalid' ? { reason: 'InvalidSpec', message } : undefined
}

/**
 * Written where it is not as the set asks; what others have changed of it is put right. `settings` undefined: they are not
 * valid, nor does this process know what they were.
 */
export async function reconcileCompanion(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
  settings: SetSettings | undefined,
): Promise<CompanionResult> {
  const found = c.hub.modules.store.get(companionRef(set))
  if (!settings && !found) return KEPT
  const wanted = settings ? companionSpec(set, settings) : keptSpec(found!.spec, set)
  // A selector by which nothing can be found says of no cluster that it is to leave.
  const isBroken = clusterSelectorProblem(set.spec.clusterSelector) !== undefined
  const targeted = found && isBroken ? { ...wanted, targets: found.spec.targets } : wanted
  const { name: serviceAccountName } = accountOfSet(set)
  const spec = serviceAccountName === undefined ? targeted : { ...targeted, serviceAccountName }
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
  const kept = await ensure(companionTarget(c, set), {
    found,
    desired: body,
    isOwn: ({ metadata }) => setOf(metadata)?.uid === set.metadata.uid,
    isSame: (there) => jsonEqual(withDefaults(there.spec), withDefaults(spec)),
  })
  if (kept.type !== 'Failed') return KEPT
  return { outcome: failed(kept.error), refused: refusalOf(kept.error) }
}

/** Apart from the engine's writes to Modules, which this one's applies must not take back. */
const COMPANION_MANAGER = 'lockstep-resource-sets'

/** Written with the rights of the account of the set. */
const companionTarget = ({ hub }: Pick<SetDeps, 'hub'>, set: Stored<ClusterResourceSet>) => ({
  own: hub.inputs(accountOfSet(set)),
  kind: moduleKind,
  manager: COMPANION_MANAGER,
  observeWrite: (o: Stored<Module>) => hub.modules.observeWrite(o),
})

const withDefaults = (spec: unknown): ModuleSpec | unknown => {
  const read = moduleSpec.safeParse(spec)
  return read.success ? read.data : spec
}

/**
 * Takes it away: its objects stay, or go with it. What is out of reach keeps it from going only where objects are to be
 * deleted. Undefined: it is gone.
 */
export async function removeCompanion(
  c: SetDeps,
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
    const done = await c.hub.inputs(accountOfSet(set)).patch(moduleKind, keyOf(found), patch, {
      ...call,
      precondition: { uid, resourceVersion },
    })
    if (!done.ok) return failed(done.error)
    c.hub.modules.observeWrite(done.value)
    return requeueAfter(1)
  }
  if (found.metadata.deletionTimestamp === undefined) {
    const gone = await c.hub.inputs(accountOfSet(set)).delete(moduleKind, keyOf(found), {
      ...call,
      precondition: { uid, resourceVersion },
    })
    if (!gone.ok && gone.error.kind !== 'NotFound') return failed(gone.error)
  }
  // Its event brings us back.
  return { ok: true }
}

/** Clusters that nothing can be asked of now, by name: not those that are no more, for which nobody waits. */
const unreachableClusters = (c: SetDeps, set: SetMetadata): string[] =>
  companionInventories(c, set)
    .map((i) => i.spec.clusterRef.name)
    .filter((name) => {
      const view = c.fleet.view(set.metadata.namespace ?? '', name)
      return view !== undefined && c.fleet.connection(view)?.state !== 'Connected'
    })
    .sort()

/**
 * `clusterctl move` has copied the set: what is here goes, and nothing is asked of any cluster. Undefined: it is gone.
 * Inventories go twice: while the Module is there it assigns again.
 */
export async function abandonCompanion(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
): Promise<ReconcileResult | undefined> {
  return (await dropInventories(c, set)) ?? (await dropModule(c, set)) ?? (await dropInventories(c, set))
}

async function dropInventories(
  c: SetDeps,
  set: Stored<ClusterResourceSet>,
): Promise<ReconcileResult | undefined> {
  const dropped = await Promise.all(companionInventories(c, set).map((i) => dropInventory(c, i)))
  return dropped.find((o) => !o.ok)
}

async function dropModule(c: SetDeps, set: Stored<ClusterResourceSet>): Promise<ReconcileResult | undefined> {
  const found = companionModuleOf(c.hub, set)
  if (!found) return undefined
  const target = { own: c.hub.own, kind: moduleKind, purpose: 'record' } as const
  const freed = await removeFinalizer(target, found, MODULE_FINALIZER)
  if (!freed.object) return freed.ok && !freed.isOvertaken ? undefined : freed
  const { uid, resourceVersion } = freed.object.metadata
  const gone = await c.hub.inputs(accountOfSet(set)).delete(moduleKind, keyOf(found), {
    purpose: 'record',
    manager: MANAGER,
    precondition: { uid, resourceVersion },
  })
  // The event of that brings us back, to what the Module has written meanwhile.
  return gone.ok || gone.error.kind === 'NotFound' ? { ok: true } : failed(gone.error)
}
