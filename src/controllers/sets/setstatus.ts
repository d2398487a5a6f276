import type { Stored } from '../../api/kind.ts'
import type { ClusterResourceSet } from '../../api/kinds/resourceset.ts'
import type { Outcome } from '../../kube/queue.ts'
import type { Context } from '../context.ts'

export async function saySet(_c: Context, _set: unknown): Promise<Outcome> {
  return { ok: true }
}
