import type { OwnerReference } from '@lockstep/kube/object'
import type { ResourceStore } from '../store/resourcestore.ts'
import type { ResourceTable } from '../store/resourcetable.ts'

/** Where an object is. */
export interface OwnedObject {
  readonly table: ResourceTable
  readonly key: string
}

/**
 * Who is there, by uid, and who depends on whom. Kept up to date by each write at the cost of that write's own
 * references.
 */
export class OwnerIndex {
  private readonly places = new Map<string, OwnedObject>()
  private readonly dependents = new Map<string, Set<string>>()

  constructor(store: ResourceStore) {
    store.observe((table, e) => {
      const before = e.prev?.object.metadata
      const after = e.next?.object.metadata
      if (before?.ownerReferences !== after?.ownerReferences || before?.uid !== after?.uid) {
        for (const r of before?.ownerReferences ?? []) this.unlink(r, before?.uid)
        for (const r of after?.ownerReferences ?? []) this.link(r, after?.uid)
      }
      if (before?.uid && before.uid !== after?.uid) this.places.delete(before.uid)
      if (after?.uid && before?.uid !== after.uid) this.places.set(after.uid, { table, key: e.key })
    })
  }

  place(uid: string): OwnedObject | undefined {
    return this.places.get(uid)
  }

  /** Uids of those that name this one as an owner, oldest link first. */
  dependentsOf(uid: string): readonly string[] {
    return [...(this.dependents.get(uid) ?? [])]
  }

  private link(r: OwnerReference, uid: string | undefined): void {
    if (!uid) return
    const known = this.dependents.get(r.uid) ?? new Set()
    this.dependents.set(r.uid, known.add(uid))
  }

  private unlink(r: OwnerReference, uid: string | undefined): void {
    const known = this.dependents.get(r.uid)
    if (!known || !uid) return
    known.delete(uid)
    if (known.size === 0) this.dependents.delete(r.uid)
  }
}
