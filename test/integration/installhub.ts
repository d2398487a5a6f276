/** An installation on a hub, without controllers. */
import { ANY, established, value } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { crdKind, namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import { ownCrds } from '../../packages/lockstep/src/api/crd/crd.ts'
import { SYSTEM_NAMESPACE } from '../../packages/lockstep/src/api/labels.ts'

export async function installHub(client: KubeClient): Promise<void> {
  for (const crd of ownCrds()) value(await client.apply(crdKind, crd as never, { ...ANY, force: true }))
  // The controller has no right to create it.
  const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } }
  value(await client.apply(namespaceKind, system, { ...ANY, force: true }))
  for (const crd of ownCrds()) await established(client, (crd.metadata as { name: string }).name)
}
