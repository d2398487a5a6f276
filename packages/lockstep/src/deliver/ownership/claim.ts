/** Objects of a bundle that were there before it: whose they are, and how a person takes them over. */

import type { KubeClient, RequestError, ServedResource } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  defineKind,
  type Key,
  type KubeObject,
  keyOf,
  type ObjectReference,
  refOf,
  type Stored,
} from '@lockstep/kube/object'
import type { InventoryObject, ModuleSpec } from '../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../api/labels.ts'
import { TOOL_MANAGERS } from '../../api/toolmanagers.ts'
import type { WriteMode } from '../../decisions/order/index.ts'
import type { LiveObject, ServedKinds } from '../../fleet/connection/index.ts'
import type { DesiredObject, UnitDesiredState } from '../plan/desiredstate.ts'
import { typed } from '../write/applytarget.ts'
import { refusal, type WriteRefusal } from '../write/refusals.ts'
import {
  type AdoptSettings,
  adoptionOf,
  adoptionText,
  previousManagers,
  previousToolOf,
  stillActive,
} from './adoption.ts'
import { isTakeable, lostText, marksOf, type OwnerMarks, ownedText, unitText } from './foreignunit.ts'
import { claimPatch, takePatch } from './ownershippatch.ts'
import { previousOwners } from './previousowner.ts'

export interface Claim {
  readonly ref: ObjectReference
  /** `Flux Kustomization flux-system/apps`, `kubectl-client-side-apply`; empty: nobody says so. */
  readonly from: string
  /** Label of the unit that has it. */
  readonly holder?: string
  /** Field managers whose fields become ours. */
  readonly managers: readonly string[]
  /** Why it cannot be taken over now. */
  readonly refused: string | undefined
  readonly object: Stored
  /** As the bundle has it. */
  readonly manifest: KubeObject
  readonly resource: ServedResource
}

/** Objects that change hands between Modules, as the controllers decide. */
export interface ExpectedHandovers {
  /** The unit takes an object of another unit. */
  takes(ref: ObjectReference, marks: OwnerMarks): Promise<boolean>
  /** Label of the unit that gets an object which this one would delete. */
  receiverOf(entry: InventoryObject, live: LiveObject): Promise<string | undefined>
}

/** A unit as somebody looks at it who does not deliver it. */
export interface UnitOnCluster {
  readonly cluster: ServedKinds & { readonly client: KubeClient }
  readonly desired: UnitDesiredState
  /** Undefined: nothing of the unit is there yet. */
  readonly inventory: { readonly uid: string; readonly objects: readonly InventoryObject[] } | undefined
  readonly unit: string
  /** Of the unit. */
  readonly namespace: string
  readonly apply: ModuleSpec['apply']
  /** A person with the rights to read the Secrets asks: texts of the server are not withheld. */
  readonly showsSecrets?: boolean
  /** Absent: objects change hands by `spec.apply.takeOverFrom` alone. */
  readonly handovers?: ExpectedHandovers
}

type ClaimScope = Pick<UnitOnCluster, 'cluster' | 'inventory' | 'unit' | 'namespace' | 'apply' | 'handovers'>

/** What of a bundle is looked at. */
type ClaimedObject = Pick<DesiredObject, 'object'> & { readonly resource: ServedResource }

/** What has to be said of an object that is there; undefined: it is ours already. */
export async function claimOf(
  { cluster, inventory, unit, namespace, apply: { takeOverFrom }, handovers }: ClaimScope,
  { object: manifest, resource }: ClaimedObject,
  o: Stored,
  settings: AdoptSettings,
): Promise<Claim | undefined> {
  const marks = marksOf(o)
  const isKnown = inventory?.objects.some((e) => e.uid === o.metadata.uid) === true
  if (marks.inventory === undefined ? isKnown : marks.inventory === inventory?.uid) return undefined
  const managers = previousManagers(o, settings.adoptFrom)
  const claim = (
    refused: string | undefined,
    from = previousToolOf(o)?.text ?? managers.join(', '),
  ): Claim => ({
    ref: refOf(o),
    from,
    managers,
    refused,
    object: o,
    manifest,
    resource,
  })
  if (marks.inventory !== undefined) {
    const asking = { namespace, takeOverFrom }
    if (marks.unit === unit) return claim(lostText(refOf(o), unit))
    const isTaken = handovers ? await handovers.takes(refOf(o), marks) : isTakeable(marks, asking, isKnown)
    const taken = claim(isTaken ? undefined : ownedText(refOf(o), marks, asking), unitText(marks.unit))
    return marks.unit === undefined ? taken : { ...taken, holder: marks.unit }
  }
  const adoption = adoptionOf(o, settings)
  if (adoption.type !== 'ask')
    return claim(adoption.type === 'refused' ? adoptionText(o, adoption.refusal) : undefined)
  const owners = await previousOwners(cluster, adoption.owner)
  if (!owners.ok) return claim(owners.error.message)
  const active = stillActive(o, adoption.former, owners.value)
  return claim(active && adoptionText(o, active))
}

/** Undefined: there is no such object. */
export async function readObject(
  client: KubeClient,
  resource: ServedResource,
  key: Key,
  apiVersion: string,
): Promise<Result<Stored | undefined, RequestError>> {
  const found = await client.get(defineKind(resource), key, { purpose: 'user' })
  if (found.ok) return ok(typed(found.value, { apiVersion, kind: resource.kind }))
  return found.error.kind === 'NotFound' ? ok(undefined) : found
}

/** What is there is left to whoever made it. */
const UNCLAIMED: ReadonlySet<WriteMode> = new Set(['Observe', 'IfNotPresent'])

/** Everything of a bundle that is on its cluster and not ours, whatever `spec.apply.adopt` says: a person decides, and means all tools. */
export async function claimsOf(input: UnitOnCluster): Promise<Result<Claim[], RequestError>> {
  const found: Claim[] = []
  const settings = {
    adopt: 'Listed',
    adoptFrom: [...new Set([...input.apply.adoptFrom, ...TOOL_MANAGERS])],
  } as const
  for (const d of input.desired.objects) {
    if (!d?.resource || UNCLAIMED.has(d.options.mode)) continue
    const o = await readObject(input.cluster.client, d.resource, d.ref, d.object.apiVersion)
    if (!o.ok) return o
    const claim = o.value && (await claimOf(input, { ...d, resource: d.resource }, o.value, settings))
    if (claim) found.push(claim)
  }
  return ok(found)
}

/**
 * One patch, on the version that was looked at: the fields of former managers become ours, and the object gets our marks.
 * Its content changes when its turn comes, as with every other object.
 */
export async function takeClaim(
  input: UnitOnCluster & { readonly inventory: { readonly uid: string } },
  { object, resource, managers, manifest, ref }: Claim,
): Promise<Result<void, WriteRefusal>> {
  const { uid, resourceVersion } = object.metadata
  const marks = { unit: input.unit, inventoryUid: input.inventory.uid }
  const isAnothers = marksOf(object).inventory !== undefined
  const patch = (isAnothers ? takePatch : claimPatch)(object, managers, manifest, marks)
  const done = await input.cluster.client.patch(defineKind(resource), keyOf(object), patch, {
    purpose: 'user',
    manager: CLI_MANAGER,
    precondition: { uid, resourceVersion },
  })
  return done.ok ? ok(undefined) : err(refusal(done.error, { ref }))
}
