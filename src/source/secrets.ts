/** Secrets that a source names for how it is reached. */
import { type Secret, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { err, ok, type Result } from '../../packages/kube/src/env/result.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { kubeErrorText } from '../../packages/kube/src/client/requesterror.ts'
import { fault, type SourceFailure } from './failure.ts'

/** Where credentials are. */
export type SecretReader = Pick<KubeClient, 'list'>

/** `field` is the place of the reference: `spec.source.git.secretRef`. */
export async function secretIn(
  hub: SecretReader,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  field: string,
): Promise<Result<Secret, SourceFailure>> {
  const found = await hub.list<Secret>(secretKind, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    why: 'sync',
  })
  if (!found.ok) return err(fault('HubUnreachable', kubeErrorText(found.error), true))
  const secret = found.value.items[0]
  if (secret) return ok(secret)
  return err(fault('ResourceNotFound', `${field}: Secret ${namespace}/${name} does not exist`, true))
}
