import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import type { Pipeline, Promotion } from '../../api/kinds/index.ts'
import type { PromotionStatus } from '../../api/kinds/promotion/status.ts'
import type { HubInformers } from '../cache/hubcaches.ts'
import { predecessorOf, pullRequestTransferOf } from './pullrequesttransfer.ts'

const pipeline = (deletionTimestamp?: string) =>
  ({
    metadata: { name: 'p', namespace: 'n', ...(deletionTimestamp ? { deletionTimestamp } : {}) },
    spec: { identity: 'p', deletionPolicy: 'Orphan' },
  }) as unknown as Stored<Pipeline>

const settings = { pullRequest: { provider: 'github', url: 'https://host/o/r', baseBranch: 'main' } }

const promotion = (epoch: number, status: PromotionStatus = { phase: 'Pending' }) =>
  ({
    metadata: { name: `p-prod-${epoch}`, namespace: 'n' },
    spec: { environment: 'prod', identity: 'p', epoch, revision: `${epoch}.0.0`, settings },
    status,
  }) as unknown as Stored<Promotion>

const handedOn = promotion(2, {
  phase: 'Superseded',
  intent: { branch: 'second', commit: 'c2' },
  result: { transferredTo: 'p-prod-3', pullRequest: { number: 7, url: '', state: 'open' } },
})
const begun = (epoch: number, branch: string) => promotion(epoch, { phase: 'Open', intent: { branch } })
const followed = promotion(3, { phase: 'Superseded' })

const hubOf = (all: readonly Stored<Promotion>[]) =>
  ({ promotions: { store: { by: () => all } } }) as unknown as Pick<HubInformers, 'promotions'>

describe('a pull request that was handed on', () => {
  it.each([
    ['nothing has followed', [], 'Left'],
    ['what follows has not begun', [promotion(3)], 'Taken'],
    ['what follows is on its branch', [begun(3, 'second')], 'Taken'],
    ['so is one before the last', [begun(3, 'second'), begun(4, 'fourth')], 'Taken'],
    ['what follows was followed before it had begun', [followed, promotion(4)], 'Taken'],
    ['what follows has gone its own way', [begun(3, 'third')], 'Left'],
    ['it has, and one more waits: that goes on with the other', [begun(3, 'third'), promotion(4)], 'Left'],
    ['all that has followed has ended without having begun', [followed], 'Left'],
  ] as const)('%s', (_, later, transfer) => {
    const c = { hub: hubOf([handedOn, ...later]) } as unknown as Parameters<typeof pullRequestTransferOf>[0]
    expect(pullRequestTransferOf(c, pipeline(), handedOn)).toBe(transfer)
  })

  it('is nobody’s where its pipeline is leaving, and what follows has not begun', () => {
    const c = { hub: hubOf([handedOn, promotion(3)]) } as unknown as Parameters<
      typeof pullRequestTransferOf
    >[0]
    expect(pullRequestTransferOf(c, pipeline('2026-01-01T00:00:00Z'), handedOn)).toBe('Left')
  })

  it('is known by its branch and by its number to whoever goes on with it', () => {
    const { spec } = promotion(3)
    expect(predecessorOf([handedOn], spec.settings)).toMatchObject({ branch: 'second', number: 7 })
    expect(predecessorOf([handedOn, begun(3, 'third')], spec.settings)).toBeUndefined()
  })
})
