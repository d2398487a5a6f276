/**
 * What a promotion is found again by, after any crash, in any place: one key for an identity, an environment, an epoch and a
 * revision, and names that are made of it.
 */
import { sha256Hex } from '@lockstep/kube/object'

export interface PromotionId {
  /** Of the pipeline: no other one has it. */
  readonly identity: string
  readonly environment: string
  /** Counts what was ever wanted in the environment. */
  readonly epoch: number
  readonly revision: string
}

/** 64 hex digits. */
export type PromotionKey = string

export const keyOfPromotion = ({ identity, environment, epoch, revision }: PromotionId): PromotionKey =>
  sha256Hex(`v1\n${identity}\n${environment}\n${epoch}\n${revision}`)

const key8 = (id: PromotionId): string => keyOfPromotion(id).slice(0, 8)

/** Of the object: `podinfo-prod-7-1f2e3d4c`. The key keeps `a-b` of `c` apart from `a` of `b-c`. */
export const promotionName = (id: PromotionId): string =>
  `${id.identity}-${id.environment}-${id.epoch}-${key8(id)}`

/** What the branches of an environment begin with. */
export const branchPrefix = ({
  identity,
  environment,
}: Pick<PromotionId, 'identity' | 'environment'>): string => `lockstep/${identity}/${environment}/`

export const branchName = (id: PromotionId): string => `${branchPrefix(id)}${id.epoch}-${key8(id)}`

const BRANCH = /^lockstep\/([^/]+)\/([^/]+)\/([1-9][0-9]*)-([0-9a-f]{8})$/

/** The epoch of a branch of ours, of any environment; undefined: it is none. */
export function branchEpoch(
  branch: string,
): { readonly identity: string; readonly environment: string; readonly epoch: number } | undefined {
  const [, identity, environment, epoch] = BRANCH.exec(branch) ?? []
  if (identity === undefined || environment === undefined) return undefined
  return { identity, environment, epoch: Number(epoch) }
}
