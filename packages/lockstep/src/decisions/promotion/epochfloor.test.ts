import { describe, expect, it } from 'vitest'
import { epochFloorOf } from './epochfloor.ts'
import { branchName, keyOfPromotion, type PromotionId } from './promotionkey.ts'
import { messageOf } from './trailers.ts'

const id = (epoch: number, revision: string, identity = 'podinfo'): PromotionId => ({
  identity,
  environment: 'prod',
  epoch,
  revision,
})
const floor = (o: Partial<Parameters<typeof epochFloorOf>[0]>) =>
  epochFloorOf({
    identity: 'podinfo',
    environment: 'prod',
    promotions: [],
    branches: [],
    pulls: [],
    messages: [],
    settled: 'v5',
    ...o,
  })

describe('the greatest epoch that anything knows', () => {
  it('is that of Promotions, branches, heads of pull requests or commits of the base', () => {
    expect(floor({})).toEqual({ epoch: 0, revision: undefined })
    expect(floor({ promotions: [{ epoch: 3, revision: 'v3' }] })).toEqual({ epoch: 3, revision: 'v3' })
    expect(floor({ branches: ['main', branchName(id(4, 'v4'))] })).toEqual({ epoch: 4, revision: undefined })
    expect(floor({ branches: [branchName(id(5, 'v5'))] })).toEqual({ epoch: 5, revision: 'v5' })
    expect(floor({ messages: ['fix', messageOf(id(6, 'v6'))] })).toEqual({ epoch: 6, revision: 'v6' })
  })

  it('is in the body of a pull request that was handed on, whose branch has an earlier one', () => {
    const head = branchName(id(2, 'v5'))
    const pull = (epoch: number, revision: string) => ({ head, key: keyOfPromotion(id(epoch, revision)) })
    expect(floor({ pulls: [{ head, key: undefined }] })).toEqual({ epoch: 2, revision: 'v5' })
    expect(floor({ pulls: [pull(4, 'v5')] })).toEqual({ epoch: 4, revision: 'v5' })
    // Which one it was is not known, but not that of the branch.
    expect(floor({ branches: [head], pulls: [pull(4, 'v4')] })).toEqual({ epoch: 2, revision: undefined })
    expect(floor({ branches: [head], pulls: [pull(2, 'v5')] })).toEqual({ epoch: 2, revision: 'v5' })
    expect(floor({ pulls: [{ ...pull(4, 'v5'), head: branchName(id(2, 'v5', 'other')) }] }).epoch).toBe(0)
  })

  it('of others nothing counts', () => {
    expect(
      floor({ branches: [branchName(id(9, 'v9', 'other'))], messages: [messageOf(id(9, 'v9', 'other'))] }),
    ).toEqual({
      epoch: 0,
      revision: undefined,
    })
  })
})
