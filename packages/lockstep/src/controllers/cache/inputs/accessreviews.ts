/** Whether accounts hold rights on the hub: the API server answers, and each answer serves everyone for a moment. */

import type { RequestError } from '@lockstep/kube/client'
import { type Env, ok, type Result } from '@lockstep/kube/env'
import { selfSubjectAccessReviewKind } from '@lockstep/kube/kinds'
import {
  type AccessRight,
  type Account,
  accessReviewOf,
  accountKey,
  type MissingRight,
  missingRight,
} from '../../../api/account.ts'
import { MANAGER } from '../../../api/labels.ts'
import { records } from '../../../api/records.ts'
import type { HubClients } from '../../../fleet/clusters/index.ts'

/** Milliseconds for which an answer is used. */
const FRESH_MS = 10_000
/** Milliseconds after which a refused right is asked for again: no event tells that it was granted. */
export const REVIEW_AGAIN_MS = FRESH_MS
/** Milliseconds for which the last answer counts while the server gives none. */
const STALE_MS = 60_000
/** Answers that are kept; the oldest are dropped first. */
const MAX_ANSWERS = 10_000

interface ReviewAnswer {
  readonly allowed: boolean
  /** Steady milliseconds. */
  readonly at: number
}

type ReviewClients = Pick<HubClients, 'own' | 'inputs' | 'userOf'>

export class AccessReviews {
  private readonly env: Env
  private readonly clients: ReviewClients
  private readonly answers = new Map<string, ReviewAnswer>()
  private readonly asking = new Map<string, Promise<Result<boolean, RequestError>>>()
  private readonly refused: (account: Account, right: AccessRight) => void
  /** Accounts that did not exist when a right was refused last, by user. */
  private readonly absent = new Set<string>()

  /** `refused`: an account lacks a right that it had, or was not asked for before. */
  constructor(env: Env, clients: ReviewClients, refused: (account: Account, right: AccessRight) => void) {
    this.env = env
    this.clients = clients
    this.refused = refused
  }

  /**
   * Those rights that the account lacks. A right on one object is asked for by its name only where the account lacks it
   * for the resource.
   */
  async missing(
    account: Account,
    rights: readonly AccessRight[],
  ): Promise<Result<readonly MissingRight[], RequestError>> {
    const before = rights.filter((r) => this.lastRefusal(account, r) === undefined)
    const answers = await Promise.all(rights.map((r) => this.isAllowed(account, r)))
    for (const r of before) if (this.lastRefusal(account, r)) this.refused(account, r)
    const failed = answers.find((a) => !a.ok)
    if (failed && !failed.ok) return failed
    return ok(
      rights.flatMap((r, i) => {
        const answer = answers[i]!
        return answer.ok && !answer.value ? [this.refusal(account, r)] : []
      }),
    )
  }

  /** Asks again for those rights that were refused last: nothing else tells that they were granted. */
  async reviewRefused(account: Account, rights: readonly AccessRight[]): Promise<boolean> {
    const refused = rights.filter((r) => this.lastRefusal(account, r) !== undefined)
    await this.missing(account, refused)
    return refused.length > 0
  }

  /** As it was answered last; undefined: allowed, or never asked. */
  lastRefusal(account: Account, right: AccessRight): MissingRight | undefined {
    const user = this.clients.userOf(account)
    if (this.answers.get(keyOf(user, withoutName(right)))?.allowed !== false) return undefined
    const named = right.name === undefined ? undefined : this.answers.get(keyOf(user, right))
    return named?.allowed === true ? undefined : this.refusal(account, right)
  }

  /** The right for a read that the server refused: `reviewRefused` asks for it. */
  refusedRead(account: Account, right: AccessRight): MissingRight {
    const key = keyOf(this.clients.userOf(account), withoutName(right))
    if (!this.answers.has(key)) this.note(key, { allowed: false, at: Number.NEGATIVE_INFINITY })
    return this.refusal(account, right)
  }

  /** With whether the account exists. */
  private refusal(account: Account, right: AccessRight): MissingRight {
    const user = this.clients.userOf(account)
    return { ...missingRight(user, right), ...(this.absent.has(user) ? { absent: true } : {}) }
  }

  private async isAllowed(account: Account, right: AccessRight): Promise<Result<boolean, RequestError>> {
    const whole = await this.ask(account, withoutName(right))
    return !whole.ok || whole.value || right.name === undefined ? whole : this.ask(account, right)
  }

  private ask(account: Account, right: AccessRight): Promise<Result<boolean, RequestError>> {
    const key = keyOf(this.clients.userOf(account), right)
    const known = this.answers.get(key)
    if (known && this.env.clock.steady() - known.at < FRESH_MS) return Promise.resolve(ok(known.allowed))
    const asked = this.asking.get(key) ?? this.send(key, account, right)
    this.asking.set(key, asked)
    return asked
  }

  private async send(
    key: string,
    account: Account,
    right: AccessRight,
  ): Promise<Result<boolean, RequestError>> {
    const answer = await this.review(account, right).finally(() => this.asking.delete(key))
    const at = this.env.clock.steady()
    const known = this.answers.get(key)
    if (answer.ok) return ok(this.note(key, { allowed: answer.value, at }))
    return known && at - known.at < STALE_MS ? ok(known.allowed) : answer
  }

  /** A right of an account that does not exist is refused, unless a role names the account already. */
  private async review(account: Account, right: AccessRight): Promise<Result<boolean, RequestError>> {
    const answer = await this.clients
      .inputs(account)
      .create(selfSubjectAccessReviewKind, accessReviewOf(right), { purpose: 'review', manager: MANAGER })
    // Without the right to act as the account, none of its rights can be used.
    if (!answer.ok && answer.error.kind !== 'Forbidden') return answer
    if (answer.ok && answer.value.status?.allowed === true) return ok(true)
    const found = await this.clients.own.get(records.account, accountKey(account), { purpose: 'review' })
    const user = this.clients.userOf(account)
    if (!found.ok && found.error.kind === 'NotFound') this.absent.add(user)
    else this.absent.delete(user)
    return ok(false)
  }

  private note(key: string, answer: ReviewAnswer): boolean {
    this.answers.delete(key)
    this.answers.set(key, answer)
    const [oldest] = this.answers.keys()
    if (this.answers.size > MAX_ANSWERS && oldest !== undefined) this.answers.delete(oldest)
    return answer.allowed
  }
}

const withoutName = ({ name: _, ...right }: AccessRight): AccessRight => right

const keyOf = (user: string, { verb, group, resource, namespace = '', name = '' }: AccessRight): string =>
  [user, verb, group, resource, namespace, name].join(' ')
