/** What Git and its host know of epochs: asked once a process for each environment, before the first one it begins, and after a restore. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { type Account, accountOf } from '../../api/account.ts'
import type { NewBlocker } from '../../api/blocker.ts'
import type { Environment, Pipeline } from '../../api/kinds/index.ts'
import {
  branchPrefix,
  type EpochFloor,
  type EpochFloorInput,
  epochFloorOf,
  FLOOR_COMMITS,
  keyInBody,
  pipelineRef,
  WAIT_MS,
} from '../../decisions/promotion/index.ts'
import type { GitAccess, GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import type { GitProviderFailure } from '../../gitproviders/gitprovider.ts'
import type { RepoFailure } from '../../gitproviders/gitrepository.ts'
import { inputSelection, promotionHistory } from '../cache/index.ts'
import type { PipelineDeps } from './pipelinedeps.ts'
import { openProviderAccess, providerSecretName } from './provideraccess.ts'
import { providerFailureBlocker, reactionTo } from './providerfailure.ts'

const TIMEOUT_MS = 60_000
/** What a host did not answer is asked for again after so long. */
const AGAIN_MS = 10_000

/** What keeps it from being known, and when it is asked for again. */
export interface EpochFloorFailure {
  readonly blocker: NewBlocker
  readonly afterMs: number
}

interface FailedRead {
  readonly blocker: NewBlocker
  readonly untilMs: number
  /** Who was asked, and with what: another URL or another Secret is tried at once. */
  readonly asked: string
}

type KnownEpochs = Pick<EpochFloorInput, 'branches' | 'pulls' | 'messages'>
const NOTHING: KnownEpochs = { branches: [], pulls: [], messages: [] }

export class EpochFloorReader {
  private readonly c: PipelineDeps
  private readonly forges: GitAccessOpener
  /** By uid of the pipeline and environment. */
  private readonly known = new Map<string, KnownEpochs>()
  /** The same: of its intent. */
  private readonly epochs = new Map<string, number>()
  /** The same; nobody is asked again before. */
  private readonly failures = new Map<string, FailedRead>()

  constructor(c: PipelineDeps, forges: GitAccessOpener) {
    this.c = c
    this.forges = forges
  }

  /** Of an intent, at each look: a pipeline whose epochs have gone back was restored, and what was known before is too old. */
  saw(pipeline: Stored<Pipeline>, environment: string, epoch: number | undefined): void {
    const key = keyOf(pipeline, environment)
    if ((epoch ?? 0) < (this.epochs.get(key) ?? 0)) this.known.delete(key)
    this.epochs.set(key, epoch ?? 0)
  }

  /** What the Promotions alone tell, without asking anybody: of a status that was restored they are ahead. */
  inHub(pipeline: Stored<Pipeline>, { name }: Environment): EpochFloor {
    return this.together(pipeline, name, undefined, NOTHING)
  }

  async of(
    pipeline: Stored<Pipeline>,
    environment: Environment,
    settled: string | undefined,
  ): Promise<Result<EpochFloor, EpochFloorFailure>> {
    const outside = await this.outside(pipeline, environment)
    if (!outside.ok) return outside
    return ok(this.together(pipeline, environment.name, settled, outside.value))
  }

  private together(
    pipeline: Stored<Pipeline>,
    environment: string,
    settled: string | undefined,
    known: KnownEpochs,
  ): EpochFloor {
    const promotions = promotionHistory(this.c.hub, pipeline, environment).map(({ spec }) => spec)
    return epochFloorOf({ identity: pipeline.spec.identity, environment, promotions, settled, ...known })
  }

  private async outside(
    pipeline: Stored<Pipeline>,
    { name, promotion }: Environment,
  ): Promise<Result<KnownEpochs, EpochFloorFailure>> {
    const key = keyOf(pipeline, name)
    const known = this.known.get(key)
    if (known) return ok(known)
    if (!promotion?.pullRequest && !promotion?.push) return ok(NOTHING)
    const account = accountOf(pipeline)
    const forge = await openProviderAccess(this.c, this.forges, { account, settings: promotion })
    const { pullRequest, push } = promotion
    const secretVersion = forge.ok ? forge.value.secretVersion : undefined
    const asked = JSON.stringify([pullRequest, push, secretVersion])
    const now = this.c.env.clock.steady()
    const failed = this.failures.get(key)
    if (failed?.asked === asked && failed.untilMs > now)
      return err({ blocker: failed.blocker, afterMs: failed.untilMs - now })
    const fail = (blocker: NewBlocker, afterMs: number) => {
      this.failures.set(key, { blocker, untilMs: now + afterMs, asked })
      if (blocker.reason === 'CredentialsRejected') this.watchSecret(account, promotion)
      return err({ blocker, afterMs })
    }
    if (!forge.ok) return fail(forge.error, WAIT_MS)
    const base = pullRequest?.baseBranch ?? push!.branch
    const read = await readOutside(
      forge.value.forge,
      branchPrefix({ identity: pipeline.spec.identity, environment: name }),
      base,
    )
    if (!read.ok) {
      const { class: how, waitMs } = reactionTo(read.error)
      // What would end a promotion ends nothing here: nothing has begun. A repository that is gone may come back.
      const afterMs = how === 'Retry' || how === 'Look' ? AGAIN_MS : waitMs
      const asker = pipelineRef(pipeline.metadata)
      return fail(providerFailureBlocker(asker, forge.value.forge.where, read.error), afterMs)
    }
    this.failures.delete(key)
    this.known.set(key, read.value)
    return read
  }

  /** From now on we are told when it is another one. */
  private watchSecret(account: Account, settings: NonNullable<Environment['promotion']>): void {
    const name = providerSecretName(settings)
    if (name === undefined) return
    const { namespace } = account
    this.c.hub.secrets.select(account, inputSelection('Secret', { namespace, name }))
  }
}

const keyOf = ({ metadata }: Stored<Pipeline>, environment: string) => `${metadata.uid} ${environment}`

/** Branches of ours, heads of pull requests whose branch may be gone, and the last commits of the base. */
async function readOutside(
  { repository, host }: GitAccess,
  prefix: string,
  base: string,
): Promise<Result<KnownEpochs, GitProviderFailure | RepoFailure>> {
  const o = { timeoutMs: TIMEOUT_MS }
  const branches = await repository.branches([base, prefix], o)
  if (!branches.ok) return branches
  const pulls = host ? await host.lastPulls(o) : ok([])
  if (!pulls.ok) return pulls
  const known = {
    branches: [...branches.value.keys()],
    pulls: pulls.value.map((p) => ({ head: p.head, key: keyInBody(p.body) })),
  }
  const head = branches.value.get(base)
  if (head === undefined) return ok({ ...known, messages: [] })
  const commits = await repository.history(head, undefined, FLOOR_COMMITS, o)
  if (!commits.ok) return commits
  return ok({ ...known, messages: commits.value.map((m) => m.message) })
}
