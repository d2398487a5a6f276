/** Who this hub is: stamps on clusters name it. */
import { namespaceKind } from '../api/kinds/foreign.ts'
import type { KubeClient, KubeResult } from '../kube/client.ts'

export class HubIdentity {
  private readonly client: KubeClient
  private known: string | undefined

  constructor(client: KubeClient) {
    this.client = client
  }

  /** uid of its `kube-system` namespace, which a restored backup keeps; asked for once. */
  async uid(): Promise<KubeResult<string>> {
    if (this.known !== undefined) return { ok: true, value: this.known }
    const found = await this.client.get(namespaceKind, { name: 'kube-system' }, { why: 'identity' })
    if (!found.ok) return found
    this.known = found.value.metadata.uid
    return { ok: true, value: this.known }
  }
}
