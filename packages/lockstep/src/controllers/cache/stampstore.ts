/** What every stamp needs: who the hub is, and on each cluster a namespace. */

import type { KubeResult } from '@lockstep/kube/client'
import { ok } from '@lockstep/kube/env'
import { MANAGER, SYSTEM_NAMESPACE } from '../../api/labels.ts'
import { type RecordClient, records } from '../../api/records.ts'
import type { ClusterSession } from '../../fleet/connection/index.ts'

const WHY = { purpose: 'stamp' } as const
const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } }

export class StampStore {
  private readonly client: RecordClient
  private known: string | undefined
  private readonly furnished = new WeakSet<RecordClient>()

  constructor(client: RecordClient) {
    this.client = client
  }

  /** uid of the hub's `kube-system` namespace, which a restored backup keeps; asked for once. */
  async hub(): Promise<KubeResult<string>> {
    if (this.known !== undefined) return ok(this.known)
    const found = await this.client.get(records.namespace, { name: 'kube-system' }, WHY)
    if (!found.ok) return found
    this.known = found.value.metadata.uid
    return ok(this.known)
  }

  /** Makes the namespace at first contact; asked for once a connection. */
  async furnish(session: ClusterSession): Promise<KubeResult<void>> {
    if (this.furnished.has(session.records)) return ok(undefined)
    const found = await session.records.get(records.namespace, { name: SYSTEM_NAMESPACE }, WHY)
    if (!found.ok) {
      if (found.error.kind !== 'NotFound') return found
      const made = await session.records.create(records.namespace, NAMESPACE, { ...WHY, manager: MANAGER })
      if (!made.ok && made.error.kind !== 'AlreadyExists') return made
    }
    this.furnished.add(session.records)
    return ok(undefined)
  }

  /** It is gone: somebody has deleted it. */
  lost(session: ClusterSession): void {
    this.furnished.delete(session.records)
  }
}
