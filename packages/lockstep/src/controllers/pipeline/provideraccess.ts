/** The forge of a promotion, with the credentials that its Secret has now: they are read for each attempt, and never kept. */

import { requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { type Secret, secretKind } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import type { Account } from '../../api/account.ts'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { PromotionSettings } from '../../api/kinds/index.ts'
import type { GitAccess, GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import type { PipelineDeps } from './pipelinedeps.ts'

export interface ProviderAccessRequest {
  readonly account: Account
  readonly settings: PromotionSettings
}

/** Undefined name: this strategy has none. */
export const providerSecretName = ({
  pullRequest,
  push,
  notification,
}: PromotionSettings): string | undefined => (pullRequest ?? push ?? notification)?.secretRef?.name

/** As it is now; a credential that is missing is waited for. */
export async function readProviderSecret(
  { hub }: Pick<PipelineDeps, 'hub'>,
  { account, settings }: ProviderAccessRequest,
): Promise<Result<Stored<Secret>, NewBlocker>> {
  const name = providerSecretName(settings) ?? ''
  const read = await hub
    .inputs(account)
    .get(secretKind, { namespace: account.namespace, name }, { purpose: 'reread' })
  if (read.ok) return ok(read.value)
  const why = read.error.kind === 'NotFound' ? 'not found' : requestErrorText(read.error)
  return err(rejectedSecretBlocker({ account, settings }, why))
}

/** A blocker that ends with a change of the Secret. */
export function rejectedSecretBlocker(
  { account: { namespace }, settings }: ProviderAccessRequest,
  why: string,
): NewBlocker {
  const name = providerSecretName(settings) ?? ''
  const ref = { kind: 'Object', name, namespace, object: { apiVersion: 'v1', kind: 'Secret' } } as const
  return blocked('CredentialsRejected', [ref], { credential: `Secret ${namespace}/${name}`, error: why })
}

export interface ProviderAccess {
  readonly forge: GitAccess
  readonly secretVersion: string
}

export async function openProviderAccess(
  c: Pick<PipelineDeps, 'hub'>,
  forges: GitAccessOpener,
  asker: ProviderAccessRequest,
): Promise<Result<ProviderAccess, NewBlocker>> {
  const secret = await readProviderSecret(c, asker)
  if (!secret.ok) return secret
  const forge = await forges.open(asker.settings, secret.value)
  if (!forge.ok) return err(rejectedSecretBlocker(asker, forge.error))
  return ok({ forge: forge.value, secretVersion: secret.value.metadata.resourceVersion })
}
