/** The greatest epoch that anything outside knows: after a restore, or where a pipeline was made anew. */
import type { EpochFloor } from './environmentintent.ts'
import { branchEpoch, branchName, keyOfPromotion, type PromotionKey } from './promotionkey.ts'
import { trailersOf } from './trailers.ts'

export interface EpochFloorInput {
  readonly identity: string
  readonly environment: string
  readonly promotions: readonly { readonly epoch: number; readonly revision: string }[]
  readonly branches: readonly string[]
  /** Pull requests in any state: their heads, and the keys in their bodies. */
  readonly pulls: readonly { readonly head: string; readonly key: PromotionKey | undefined }[]
  /** What may be promoted now: a branch tells only whether it is of a revision that is named. */
  readonly settled: string | undefined
  /** Messages of the last commits of the base. */
  readonly messages: readonly string[]
}

/** So many commits of the base are looked through. */
export const FLOOR_COMMITS = 1000

export function epochFloorOf(input: EpochFloorInput): EpochFloor {
  const { identity, environment, settled } = input
  const found: EpochFloor[] = input.promotions.map(({ epoch, revision }) => ({ epoch, revision }))
  for (const { head, key } of input.pulls) {
    const later = key === undefined ? undefined : laterOn(head, key, input)
    if (later !== undefined) found.push({ epoch: later, revision: settled })
  }
  const handedOn = new Set(input.pulls.filter((p) => isHandedOn(p, input)).map((p) => p.head))
  for (const name of [...input.branches, ...input.pulls.map((p) => p.head)]) {
    const b = branchEpoch(name)
    if (b?.identity !== identity || b.environment !== environment) continue
    const isOfSettled =
      settled !== undefined &&
      !handedOn.has(name) &&
      branchName({ identity, environment, epoch: b.epoch, revision: settled }) === name
    found.push({ epoch: b.epoch, revision: isOfSettled ? settled : undefined })
  }
  for (const message of input.messages) {
    const t = trailersOf(message)
    // Who it is of is in the key alone.
    if (t && t.key === keyOfPromotion({ identity, environment, epoch: t.epoch, revision: t.revision }))
      found.push({ epoch: t.epoch, revision: t.revision })
  }
  const epoch = found.reduce((most, f) => Math.max(most, f.epoch), 0)
  return { epoch, revision: found.find((f) => f.epoch === epoch && f.revision !== undefined)?.revision }
}

/** So many promotions may have gone on with one pull request. */
const MOST_HANDED_ON = 200

/** Its body has another key than its branch: there was a later epoch, whichever it was. */
function isHandedOn(
  { head, key }: EpochFloorInput['pulls'][number],
  { identity, environment, settled }: EpochFloorInput,
): boolean {
  const b = branchEpoch(head)
  if (key === undefined || settled === undefined || !b) return false
  return keyOfPromotion({ identity, environment, epoch: b.epoch, revision: settled }) !== key
}

/** A pull request that was handed on has the branch of the first one, and the key of the last: which epoch that is, if it is of what is settled. */
function laterOn(
  head: string,
  key: PromotionKey,
  { identity, environment, settled }: EpochFloorInput,
): number | undefined {
  const b = branchEpoch(head)
  if (settled === undefined || b?.identity !== identity || b.environment !== environment) return undefined
  for (let epoch = b.epoch; epoch <= b.epoch + MOST_HANDED_ON; epoch++)
    if (keyOfPromotion({ identity, environment, epoch, revision: settled }) === key) return epoch
  return undefined
}
