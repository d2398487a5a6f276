/** Pull requests of the controller before us, of Pipelines that were its own. */

import { ok } from '@lockstep/kube/env'
import { isWeavePull, type WeaveEnvironment, weaveBranch } from '../../decisions/weave/index.ts'
import type { GitAccess } from '../../gitproviders/gitaccess.ts'
import type { CallOptions, Pull } from '../../gitproviders/gitprovider.ts'
import type { CommitId } from '../../gitproviders/gitrepository.ts'
import type { ProviderResult } from './strategies/strategy.ts'

/**
 * One that is open and has this very value. It is looked at where its branch is in this repository: a fork may have a branch of
 * any name.
 */
export async function findConcurrentChange(
  { host, repository }: GitAccess,
  weave: WeaveEnvironment | undefined,
  hasValue: (at: CommitId) => ProviderResult<boolean>,
  o: CallOptions,
): ProviderResult<Pull | undefined> {
  if (!weave || !host) return ok(undefined)
  const pulls = await host.pullsOf(weaveBranch(weave), o)
  if (!pulls.ok) return pulls
  const open = pulls.value.find((p) => p.state === 'open' && isWeavePull(p, weave))
  if (!open) return ok(undefined)
  const branches = await repository.branches([open.head], o)
  if (!branches.ok) return branches
  const head = branches.value.get(open.head)
  if (head === undefined || head !== open.headCommit) return ok(undefined)
  const has = await hasValue(head)
  return has.ok ? ok(has.value ? open : undefined) : has
}
