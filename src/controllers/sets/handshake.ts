import type { Stored } from '../../api/kind.ts'
import type { ClusterResourceSet } from '../../api/kinds/resourceset.ts'
import type { Outcome } from '../../kube/queue.ts'
import type { Context } from '../context.ts'

export type Handshake =
  | { readonly type: 'clear' }
  | { readonly type: 'waits'; readonly againInMs: number; readonly message: string | undefined }
  | { readonly type: 'again'; readonly outcome: Outcome }

export async function handshakeOf(_c: Context, _set: Stored<ClusterResourceSet>): Promise<Handshake> {
  return { type: 'clear' }
}
