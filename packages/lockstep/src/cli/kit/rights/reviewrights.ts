import { ok, type Result } from '@lockstep/kube/env'
import type { OpenedHub } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import type { ReviewedRights } from './grantmanifests.ts'
import { heldRights } from './heldrights.ts'
import type { ModuleRights } from './modulerights.ts'

/** Asks the hub, if there is one, which of the rights are held. */
export async function reviewRights(
  c: CommandContext,
  hub: OpenedHub | undefined,
  modules: readonly ModuleRights[],
): Promise<Result<ReviewedRights[], CliFailure>> {
  const all: ReviewedRights[] = []
  for (const m of modules) {
    const asked = hub ? await heldRights(c, hub, m.account, m.rights) : ok(undefined)
    if (!asked.ok) return asked
    all.push({ ...m, held: asked.value })
  }
  return ok(all)
}

/** All rights are known, and held where a hub was asked. An account without rights need not exist. */
export const isGranted = ({ rights, unknown, held }: ReviewedRights): boolean =>
  unknown.length === 0 &&
  (held === undefined || rights.length === 0 || (held.exists !== false && held.lacking?.size === 0))
