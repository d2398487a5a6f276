/** Whether an account holds rights on the hub, as its API server decides. */
import type { KubeClient, KubeResult } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { selfSubjectAccessReviewKind, serviceAccountKind } from '@lockstep/kube/kinds'
import { type Account, accessReviewOf, accountKey, userOfAccount } from '../../../api/account.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import type { ResourceRights } from '../../../deliver/rights/index.ts'
import type { OpenedHub } from '../hub/index.ts'
import { type CliFailure, type CommandContext, requestFailure } from '../index.ts'

export interface HeldRights {
  /** Undefined: it may not be read. */
  readonly exists: boolean | undefined
  /** Verbs that the account lacks, by right. Undefined: the user may not act as the account. */
  readonly lacking: ReadonlyMap<ResourceRights, readonly string[]> | undefined
}

/** Asks for each right as the account. */
export async function heldRights(
  c: CommandContext,
  hub: OpenedHub,
  account: Account,
  rights: readonly ResourceRights[],
): Promise<Result<HeldRights, CliFailure>> {
  const key = accountKey(account)
  const found = await hub.client.get(serviceAccountKind, key, { purpose: 'user', signal: c.signal })
  if (!found.ok && found.error.kind !== 'NotFound' && found.error.kind !== 'Forbidden')
    return requestFailure(found.error, hub.server)
  const exists = found.ok ? true : found.error.kind === 'NotFound' ? false : undefined
  const lacking = await lackingRights(c, hub.client.as(userOfAccount(account)), rights)
  if (lacking.ok) return ok({ exists, lacking: lacking.value })
  return lacking.error.kind === 'Forbidden'
    ? ok({ exists, lacking: undefined })
    : requestFailure(lacking.error, hub.server)
}

/** Verbs that the user of a client lacks, by right. */
export async function lackingRights(
  c: CommandContext,
  client: KubeClient,
  rights: readonly ResourceRights[],
): Promise<KubeResult<ReadonlyMap<ResourceRights, readonly string[]>>> {
  const lacking = new Map<ResourceRights, readonly string[]>()
  for (const r of rights) {
    const asked = await Promise.all(r.verbs.map((verb) => isHeld(c, client, r, verb)))
    const missing: string[] = []
    for (const [i, answer] of asked.entries()) {
      if (!answer.ok) return answer
      if (!answer.value) missing.push(r.verbs[i]!)
    }
    if (missing.length > 0) lacking.set(r, missing)
  }
  return ok(lacking)
}

async function isHeld(
  c: CommandContext,
  client: KubeClient,
  { group, resource, namespace, name }: ResourceRights,
  verb: string,
) {
  const review = accessReviewOf({ verb, group, resource, namespace, name })
  const options = { purpose: 'user', manager: CLI_MANAGER, signal: c.signal } as const
  const answer = await client.create(selfSubjectAccessReviewKind, review, options)
  return answer.ok ? ok(answer.value.status?.allowed === true) : answer
}
