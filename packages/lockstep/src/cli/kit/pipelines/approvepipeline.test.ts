import { describe, expect, it } from 'vitest'
import type { Promotion } from '../../../api/kinds/index.ts'
import { approvalProblem } from './approvepipeline.ts'

const promotion = (phase?: string, approval = 'Required') =>
  ({
    spec: { environment: 'prod', revision: '2.0.0', settings: { approval } },
    ...(phase === undefined ? {} : { status: { phase } }),
  }) as unknown as Promotion

const problemOf = (p: Promotion | undefined) => approvalProblem('podinfo', 'prod', p)?.problem

describe('consent to a promotion', () => {
  it.each([undefined, 'Pending', 'Prepared', 'Applying', 'Open'])(
    'can be given while it is %s: what was taken back is waited for again',
    (phase) => {
      expect(problemOf(promotion(phase))).toBeUndefined()
    },
  )

  it.each(['Converging', 'Verifying'])('comes too late once it is %s', (phase) => {
    expect(problemOf(promotion(phase))).toBe(
      `prod: the promotion of 2.0.0 is ${phase}; it needs no approval any longer`,
    )
  })

  it('is of no use where nothing is on its way, or nobody asks for it', () => {
    expect(problemOf(undefined)).toBe('prod: no promotion in progress')
    expect(problemOf(promotion('Pending', 'None'))).toBe('prod: promotions need no approval')
  })
})
