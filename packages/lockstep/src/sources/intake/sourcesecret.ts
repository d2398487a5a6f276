/** Secrets that a source names for how it is reached. */

import { type KubeClient, requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { type Secret, secretKind } from '@lockstep/kube/kinds'
import type { Account } from '../../api/account.ts'
import { inputRef, missingResource } from './missingresource.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'

/** A Secret of the hub, as facts refer to it. */
export const secretRef = ({ metadata: { name = '', namespace = '' } }: Pick<Secret, 'metadata'>) =>
  inputRef({ kind: 'Secret', namespace, name })

/** Where credentials are. */
export type SecretReader = Pick<KubeClient, 'list'>

/** With the rights of an account. */
export type SecretReaders = (account: Account) => SecretReader

/** `field` is the place of the reference: `spec.source.git.secretRef`. */
export async function readSourceSecret(
  readers: SecretReaders,
  { account, name }: { readonly account: Account; readonly name: string },
  field: string,
): Promise<Result<Secret, SourceFailure>> {
  const { namespace } = account
  const found = await readers(account).list<Secret>(secretKind, {
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
