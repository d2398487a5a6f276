/** Secrets that a source names for how it is reached. */

import { type KubeClient, requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { type Secret, secretKind } from '@lockstep/kube/kinds'
import { inputRef, missingResource } from './missingresource.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'

/** A Secret of the hub, as facts refer to it. */
export const secretRef = ({ metadata: { name = '', namespace = '' } }: Pick<Secret, 'metadata'>) =>
  inputRef({ kind: 'Secret', namespace, name })

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
    purpose: 'sync',
  })
  if (!found.ok)
    return err(fault('HubUnreachable', { because: 'Error', error: requestErrorText(found.error) }, true))
  const secret = found.value.items[0]
  if (secret) return ok(secret)
  return err(missingResource(field, { kind: 'Secret', namespace, name }))
}
