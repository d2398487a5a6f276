/** What all promotions that wait in one repository look at together, as one of them sees it. */
import { ok } from '@lockstep/kube/env'
import type { GitAccess } from '../../gitproviders/gitaccess.ts'
import type { CallOptions, Pull } from '../../gitproviders/gitprovider.ts'
import type { CommitId } from '../../gitproviders/gitrepository.ts'
import type { RepositorySnapshot } from '../../gitproviders/limits/index.ts'
import type { ProviderResult } from './strategies/strategy.ts'

export class RepositoryView {
  private readonly forge: GitAccess
  private readonly base: string
  /** What was looked at; undefined: nothing of use. */
  last: Pick<RepositorySnapshot, 'atMs' | 'againMs'> | undefined

  constructor(forge: GitAccess, base: string) {
    this.forge = forge
    this.base = base
  }

  /** Undefined: there is nothing to look at together, or it is older than what this promotion has seen or done. */
  async look(notBeforeMs: number, o: CallOptions): ProviderResult<RepositorySnapshot | undefined> {
    const { poll, host, repository } = this.forge
    if (!poll || !host) return ok(undefined)
    const seen = await poll.look({ host, repository, base: this.base }, o)
    if (!seen.ok) return seen
    if (seen.value.atMs < notBeforeMs) return ok(undefined)
    this.last = seen.value
    return seen
  }

  /** Lists do not say it everywhere; it is asked for where it matters: each time only before we merge. */
  async mergeable(
    pull: Pull,
    baseHead: CommitId,
    mayMerge: boolean,
    o: CallOptions,
  ): ProviderResult<Pull['mergeable']> {
    const { poll, host } = this.forge
    if (pull.mergeable !== 'Unknown' || !poll || !host) return ok(pull.mergeable)
    const ask = () => host.pull(pull.number, o)
    if (!mayMerge) return poll.mergeable(pull, baseHead, ask)
    // It has its turn in another minute.
    if (this.last && !poll.mayAsk(pull)) return ok('Unknown')
    const read = await ask()
    return read.ok ? ok(read.value.mergeable) : read
  }
}
