/** The forge of a promotion, with the credentials that its Secret has now: they are read for each attempt, and never kept. */
import type { NewBlocker } from '../../api/blocker.ts'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { type Secret, secretKind } from '../../../../kube/src/kinds/types.ts'
import type { PromotionSettings } from '../../api/kinds/promotion/promotionsettings.ts'
import { err, ok, type Result } from '../../../../kube/src/env/result.ts'
import { kubeErrorText } from '../../../../kube/src/client/requesterror.ts'
import type { Forge, Forges } from '../../gitproviders/gitaccess.ts'
import type { Context } from '../cache/context.ts'

export interface ForgeAsker {
  readonly namespace: string
  readonly settings: PromotionSettings
  /** Whose blocker it is. */
  readonly subject: string
}

/** Undefined name: this strategy has none. */
export const secretNameOf = ({ pullRequest, push, notification }: PromotionSettings): string | undefined =>
  (pullRequest ?? push ?? notification)?.secretRef?.name

/** As it is now; a credential that is missing is waited for. */
export async function secretOf(
  { hub }: Pick<Context, 'hub'>,
  { namespace, settings, subject }: ForgeAsker,
): Promise<Result<Stored<Secret>, NewBlocker>> {
  const name = secretNameOf(settings) ?? ''
  const read = await hub.client.get(secretKind, { namespace, name }, { why: 'reread' })
  if (read.ok) return ok(read.value)
  const why = read.error.kind === 'NotFound' ? 'it is not there' : kubeErrorText(read.error)
  return err(refusedSecret({ namespace, settings, subject }, why))
}

export const refusedSecret = ({ namespace, settings, subject }: ForgeAsker, why: string): NewBlocker => ({
  ...{ reason: 'CredentialsRejected', subject },
  message: `Secret ${namespace}/${secretNameOf(settings) ?? ''}: ${why}`,
})

export interface OpenForge {
  readonly forge: Forge
  readonly secretVersion: string
}

export async function forgeOf(
  c: Pick<Context, 'hub'>,
  forges: Forges,
  asker: ForgeAsker,
): Promise<Result<OpenForge, NewBlocker>> {
  const secret = await secretOf(c, asker)
  if (!secret.ok) return secret
  const forge = await forges.open(asker.settings, secret.value)
  if (!forge.ok) return err(refusedSecret(asker, forge.error))
  return ok({ forge: forge.value, secretVersion: secret.value.metadata.resourceVersion })
}
