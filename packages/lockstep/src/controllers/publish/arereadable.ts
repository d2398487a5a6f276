import type { Stored } from '@lockstep/kube/object'
import { accountOf } from '../../api/account.ts'
import type { Module } from '../../api/kinds/index.ts'
import type { ScheduleOutput } from '../../decisions/rollout/index.ts'
import type { HubInformers } from '../cache/index.ts'
import type { BindingSources } from './bindingsources.ts'

/**
 * Whether the account may still read all values with which units start. False: the next decision finds which of them it may
 * not; a watch continues after its right was revoked.
 */
export async function areReadable(
  { reviews }: Pick<HubInformers, 'reviews'>,
  module: Stored<Module>,
  { rights }: Pick<BindingSources, 'rights'>,
  { start }: ScheduleOutput,
): Promise<boolean> {
  const account = accountOf(module)
  await reviews.reviewRefused(account, rights)
  if (start.length === 0) return true
  const refused = rights.filter((r) => reviews.lastRefusal(account, r) !== undefined)
  const missing = await reviews.missing(account, rights)
  return missing.ok && missing.value.length === refused.length
}

/** Whether the account lacks a right to what the Module names, as far as it was asked. */
export const isRefused = (
  { reviews }: Pick<HubInformers, 'reviews'>,
  module: Stored<Module>,
  { rights }: Pick<BindingSources, 'rights'>,
  { source }: { readonly source?: { readonly reason: string } | undefined },
): boolean =>
  source?.reason === 'Forbidden' ||
  source?.reason === 'AccountMissing' ||
  rights.some((r) => reviews.lastRefusal(accountOf(module), r) !== undefined)
