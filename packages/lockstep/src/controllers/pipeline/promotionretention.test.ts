import { describe, expect, it } from 'vitest'
import { ok } from '../../../../kube/src/env/result.ts'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import type { Promotion } from '../../api/kinds/index.ts'
import type { PromotionPhase } from '../../api/kinds/promotion/status.ts'
import { beyondPromotionRetention, collectPromotions } from './promotionretention.ts'

/** Of one environment; those that are not named were rejected. */
const promotions = (count: number, phases: Readonly<Record<number, PromotionPhase | undefined>> = {}) =>
  Array.from({ length: count }, (_, i) => {
    const epoch = i + 1
    const phase = epoch in phases ? phases[epoch] : 'Rejected'
    return {
      metadata: { namespace: 'ns', name: `p-${epoch}`, uid: `u-${epoch}`, resourceVersion: `${100 + epoch}` },
      spec: { epoch },
      ...(phase === undefined ? {} : { status: { phase } }),
    } as unknown as Stored<Promotion>
  })
const gone = (all: readonly Stored<Promotion>[]) => beyondPromotionRetention(all).map((p) => p.spec.epoch)

describe('of the promotions of an environment', () => {
  it('the last 20 are kept, whatever became of them', () => {
    expect(gone(promotions(20))).toEqual([])
    expect(gone(promotions(23))).toEqual([1, 2, 3])
  })

  it('all that run are kept, however old they are, and those that nobody has looked at yet', () => {
    const phases = ['Open', 'Converging', undefined, 'Pending', 'Applying', 'Prepared', 'Verifying'] as const
    const running = Object.fromEntries(phases.map((phase, i) => [i + 1, phase]))
    expect(gone(promotions(29, running))).toEqual([8, 9])
  })

  it('the newest that has succeeded is kept, however old it is, and no earlier one', () => {
    expect(gone(promotions(26, { 2: 'Succeeded', 4: 'Succeeded' }))).toEqual([1, 2, 3, 5, 6])
    // Among the last 20 there is a newer one.
    expect(gone(promotions(26, { 4: 'Succeeded', 20: 'Succeeded' }))).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('what is too much is deleted as it was read: who has changed it since keeps it', async () => {
    const asked: unknown[] = []
    const client = {
      delete: async (_: unknown, key: unknown, { precondition: fence }: { precondition: unknown }) => {
        asked.push([key, fence])
        return ok(undefined)
      },
    }
    await collectPromotions({ hub: { own: client } } as never, promotions(22))
    expect(asked).toEqual(
      [1, 2].map((n) => [
        { namespace: 'ns', name: `p-${n}` },
        { uid: `u-${n}`, resourceVersion: `${100 + n}` },
      ]),
    )
  })
})
