/** Asks the repository of an environment whether what is new where its revisions come from is its own doing. */

import type { Stored } from '@lockstep/kube/object'
import { accountOf } from '../../api/account.ts'
import type { NewBlocker } from '../../api/blocker.ts'
import type { Environment, Pipeline } from '../../api/kinds/index.ts'
import {
  commitOfRevision,
  isCausedByPromotion,
  loopGuardBlocker,
  pipelineRef,
} from '../../decisions/promotion/index.ts'
import type { GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import type { PipelineDeps } from './pipelinedeps.ts'
import { openProviderAccess } from './provideraccess.ts'
import { providerFailureBlocker } from './providerfailure.ts'

const TIMEOUT_MS = 60_000
const AGAIN_MS = 10_000
/** More have never come from one settled revision to the next by promotions alone. */
const MOST_COMMITS = 200

export interface LoopGuardResult {
  readonly blocker: NewBlocker
  readonly afterMs?: number
}

export class PromotionLoopGuard {
  private readonly c: PipelineDeps
  private readonly forges: GitAccessOpener
  /** By uid and environment: commits do not change, so that it is asked once for each pair. */
  private readonly known = new Map<string, { readonly pair: string; readonly is: boolean }>()

  constructor(c: PipelineDeps, forges: GitAccessOpener) {
    this.c = c
    this.forges = forges
  }

  /** Why nothing is due although another revision is settled; undefined: it is due. */
  async because(
    pipeline: Stored<Pipeline>,
    { name, promotion }: Environment,
    from: string | undefined,
    to: string,
  ): Promise<LoopGuardResult | undefined> {
    const [old, now] = [commitOfRevision(from ?? ''), commitOfRevision(to)]
    if (old === undefined || now === undefined || (!promotion?.pullRequest && !promotion?.push))
      return undefined
    const key = `${pipeline.metadata.uid} ${name}`
    const pair = `${old} ${now}`
    const known = this.known.get(key)
    let is = known?.pair === pair ? known.is : undefined
    if (is === undefined) {
      const account = accountOf(pipeline)
      const opened = await openProviderAccess(this.c, this.forges, { account, settings: promotion })
      if (!opened.ok) return { blocker: opened.error, afterMs: AGAIN_MS }
      const { repository, where } = opened.value.forge
      const found = await repository.history(now, old, MOST_COMMITS, { timeoutMs: TIMEOUT_MS })
      // Commits of another repository; that this one is gone is said by the promotion that would change it.
      const isElsewhere =
        !found.ok && (found.error.kind === 'NotFound' || found.error.kind === 'RepositoryNotFound')
      if (!found.ok && !isElsewhere)
        return {
          blocker: providerFailureBlocker(pipelineRef(pipeline.metadata), where, found.error),
          afterMs: AGAIN_MS,
        }
      is =
        found.ok &&
        found.value.length < MOST_COMMITS &&
        isCausedByPromotion(pipeline.spec.identity, found.value)
      this.known.set(key, { pair, is })
    }
    return is ? { blocker: loopGuardBlocker(pipeline.metadata, name, from!, to) } : undefined
  }
}
