/** Memory of one process about its units, by request. */
import type { Stored } from '@lockstep/kube/object'
import type { Inventory } from '../../../api/kinds/index.ts'
import { emptyMemory, type UnitMemory } from '../../../deliver/state/index.ts'

export class UnitMemories {
  private readonly known = new Map<string, { readonly uid: string; readonly memory: UnitMemory }>()

  /** The memory of one Inventory: that of a former Inventory of its name does not count. */
  of(request: string, { metadata: { uid } }: Stored<Inventory>, steady: number): UnitMemory {
    const known = this.known.get(request)
    if (known?.uid === uid) return known.memory
    const memory = emptyMemory(steady)
    this.known.set(request, { uid, memory })
    return memory
  }

  delete(request: string): void {
    this.known.delete(request)
  }

  /** Units of which something is applied that no Inventory lists, by uid of the Inventory. */
  unrecorded(): Map<string, UnitMemory> {
    const all = [...this.known.values()].filter(({ memory }) => memory.applied.size > 0 && !memory.isRemoved)
    return new Map(all.map(({ uid, memory }) => [uid, memory]))
  }
}
