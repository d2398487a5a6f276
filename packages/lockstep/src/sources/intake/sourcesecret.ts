/** Secrets that a source names for how it is reached. */
import { type Secret, secretKind } from '../../../../kube/src/kinds/types.ts'
import { err, ok, type Result } from '../../../../kube/src/env/result.ts'
import type { KubeClient } from '../../../../kube/src/client/client.ts'
import { requestErrorText } from '../../../../kube/src/client/requesterror.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'

/** Where credentials are. */
export type SecretReader = Pick<KubeClient, 'list'>

/** `field` is the place of the reference: `spec.source.git.secretRef`. */
export async function readSourceSecret(
  hub: SecretReader,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  field: string,
): Promise<Result<Secret, SourceFailure>> {
  const found = await hub.list<Secret>(secretKind, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    why: 'sync',
  })
  if (!found.ok) return err(fault('HubUnreachable', requestErrorText(found.error), true))
  const secret = found.value.items[0]
  if (secret) return ok(secret)
  return err(fault('ResourceNotFound', `${field}: Secret ${namespace}/${name} does not exist`, true))
}
