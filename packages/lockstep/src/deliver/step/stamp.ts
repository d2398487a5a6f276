/**
 * The stamp: one ConfigMap a unit on its cluster that says which admission last changed the content there. A hub that was
 * restored from a backup knows less than its clusters do, and sees it by this before it writes anything. Pure.
 */
import type { ConfigMap } from '@lockstep/kube/kinds'
import type { Key } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { STAMP_LABEL, SYSTEM_NAMESPACE } from '../../api/labels.ts'
import { objectWaitRef } from '../state/objectwaitref.ts'

export interface Stamp {
  /** uid of the unit's Inventory. */
  readonly inventory: string
  /** Serial of the last admission that changed the content. */
  readonly serial: number
  readonly contentDigest: string
  readonly revision: string
  /** uid of the `kube-system` namespace of the hub. */
  readonly hub: string
}

export const stampKey = (unit: string): Key => ({
  namespace: SYSTEM_NAMESPACE,
  name: `lockstep-stamp-${unit}`,
})

export const stampObject = (unit: string, { serial, ...rest }: Stamp): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...stampKey(unit), labels: { [STAMP_LABEL]: 'true' } },
  data: { ...rest, serial: String(serial) },
})

/** Undefined: somebody has made it unreadable; it says nothing then, and is written anew. */
export function readStamp({ data = {} }: ConfigMap): Stamp | undefined {
  const { inventory, hub, contentDigest = '', revision = '' } = data
  const serial = /^\d{1,15}$/.test(data.serial ?? '') ? Number(data.serial) : undefined
  if (!inventory || !hub || serial === undefined) return undefined
  return { inventory, serial, contentDigest, revision, hub }
}

export type StampVerdict =
  /** It is ours, and of this content. */
  | 'same'
  /** It is older than what is admitted, or not there: it is written before anything else. */
  | 'older'
  /** The cluster has got more from this hub than this hub knows. */
  | 'newer'
  /** Another hub delivers this unit there. */
  | 'foreign'

/**
 * What was found on the cluster, seen by who is about to write. The serial alone decides of two stamps of one Inventory: what a
 * manifest means can change with what the cluster serves, and keys of digests change too.
 */
export function judgeStamp(ours: Stamp, found: Stamp | undefined): StampVerdict {
  if (!found) return 'older'
  if (found.hub !== ours.hub) return 'foreign'
  if (found.inventory !== ours.inventory || found.serial > ours.serial) return 'newer'
  return found.serial === ours.serial ? 'same' : 'older'
}

/** Why nothing is written to the cluster: the content of its stamp. */
export function stampBlocker(
  verdict: 'newer' | 'foreign',
  o: {
    readonly label: string
    readonly cluster: { readonly namespace: string; readonly name: string }
    /** Serial that the hub itself knows. */
    readonly knows: number
    readonly inventory: string
    readonly theirs: Stamp
  },
): NewBlocker {
  const key = { group: '', version: 'v1', kind: 'ConfigMap', ...stampKey(o.label) }
  const { namespace, name } = o.cluster
  const on = [objectWaitRef(key, name), { kind: 'Cluster', namespace, name }] as const
  if (verdict === 'foreign') return blocked('OwnedByAnotherHub', on, { hub: o.theirs.hub })
  return o.theirs.inventory === o.inventory
    ? blocked('HubRestored', on, {
        state: 'LaterAdmission',
        recorded: String(o.theirs.serial),
        known: String(o.knows),
      })
    : blocked('HubRestored', on, {
        state: 'OtherInventory',
        recorded: o.theirs.inventory,
        known: o.inventory,
      })
}
