/** What is deleted next, and what is not: pure. Used for prune and for the removal of a whole unit. */
import type { NewBlocker } from '../api/blocker.ts'
import type { InventoryObject } from '../api/kinds/inventory.ts'
import type { LiveObject } from '../fleet/live.ts'
import { refText } from '../object/object.ts'

/** One entry that is to go, as observed. */
export interface PruneEntry {
  readonly entry: InventoryObject
  /** `unserved`: the kind is defined, and not served; `gone`: nothing carries our label under that name, or nothing defines its kind. */
  readonly live: LiveObject | 'gone' | 'unserved' | 'unknown'
  /** For Namespaces: another unit that has objects in it. */
  readonly usedBy: string | undefined
  /** Its delete was answered a moment ago: the event is under way. */
  readonly asked: boolean
  /** Steady milliseconds since it is terminating. */
  readonly terminatingMs: number
}

export interface PruneView {
  readonly inventoryUid: string
  readonly entries: readonly PruneEntry[]
}

/** Namespaces that are part of every cluster. */
const PROTECTED: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease'])
const FINALIZER_PENDING_MS = 10 * 60_000

/** Gone by itself, not ours, or not to be deleted: the entry is let go of. */
function isReleased(p: PruneEntry, uid: string): boolean {
  if (p.live === 'gone') return true
  if (p.live === 'unknown' || p.live === 'unserved') return false
  return p.live.uid !== p.entry.uid || p.live.inventory !== uid || isProtected(p.entry)
}

const isProtected = (o: InventoryObject): boolean =>
  o.group === '' && o.kind === 'Namespace' && PROTECTED.has(o.name)

/** Everything goes before the definitions of its kind, and those before the Namespaces; else the deepest of the order first. */
function rankOf({ group, kind, level }: InventoryObject): number {
  if (group === '' && kind === 'Namespace') return -2
  if (group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition') return -1
  return level
}

export function pruneNext(view: PruneView): { remove: InventoryObject[]; release: InventoryObject[] } {
  const release = view.entries.filter((p) => isReleased(p, view.inventoryUid)).map((p) => p.entry)
  const left = view.entries.filter((p) => !isReleased(p, view.inventoryUid) && p.usedBy === undefined)
  const top = Math.max(...left.map((p) => rankOf(p.entry)))
  // What comes later in the reverse order waits until these are gone.
  const remove = left.filter((p) => rankOf(p.entry) === top && isDeletable(p)).map((p) => p.entry)
  return { remove, release }
}

const isDeletable = (p: PruneEntry): boolean => typeof p.live === 'object' && !p.live.deleting && !p.asked

/** Why what is to go is still there. */
export function pruneBlockers(view: PruneView): NewBlocker[] {
  const out: NewBlocker[] = []
  for (const p of view.entries) {
    const subject = `${p.entry.kind}/${p.entry.name}`
    if (p.usedBy !== undefined) {
      out.push({
        reason: 'NamespaceInUse',
        subject,
        message: `${refText(p.entry)} holds objects of ${p.usedBy}`,
      })
    } else if (p.live === 'unserved') {
      const message = `${refText(p.entry)} is to be deleted, and the cluster defines its kind without serving it; it stays listed until it can be deleted, or its definition is gone`
      out.push({ reason: 'KindNotServed', subject, message })
    } else if (typeof p.live === 'object' && p.live.deleting) {
      const finalizers = p.live.finalizers.join(', ') || 'the server'
      const isLong = p.terminatingMs >= FINALIZER_PENDING_MS
      const since = isLong
        ? ` since ${Math.floor(p.terminatingMs / 60_000)}m; only its owner may remove the finalizer`
        : ''
      out.push({
        reason: 'FinalizerPending',
        subject,
        message: `${finalizers} on ${refText(p.entry)}${since}`,
      })
    }
  }
  return out
}
