import { describe, expect, it } from 'vitest'
import { blocked } from '../../api/blocker.ts'
import { promotionSettings } from '../../api/kinds/promotion/promotionsettings.ts'
import { type ExternalFailureKind, failureCategoryOf, retryDelayMs } from './failurecategory.ts'

const policy = promotionSettings.parse({ strategy: 'manual' }).retryPolicy

describe('a failure outside', () => {
  it.each<[ExternalFailureKind, string]>([
    ['Unreachable', 'Retry'],
    ['Server', 'Retry'],
    ['RateLimited', 'Wait'],
    ['CredentialsRejected', 'Wait'],
    ['NotYet', 'Wait'],
    ['Exists', 'Look'],
    ['HeadMoved', 'Look'],
    ['Stale', 'Look'],
    ['NotFound', 'Look'],
    ['RepositoryNotFound', 'Terminal'],
    ['Refused', 'Terminal'],
    ['Unexpected', 'Terminal'],
  ])('%s: %s', (kind, is) => expect(failureCategoryOf(kind)).toBe(is))

  it('is tried again after 10, 20, 40 and 80 seconds, a fifth more or less', () => {
    for (const [i, plain] of [10, 20, 40, 80].entries()) {
      expect(retryDelayMs(policy, i + 1, 0.5)).toBe(plain * 1000)
      expect(retryDelayMs(policy, i + 1, 0)).toBe(plain * 800)
      expect(retryDelayMs(policy, i + 1, 0.9999)).toBeLessThanOrEqual(plain * 1200)
    }
    expect(retryDelayMs(policy, 50, 0.5)).toBe(600_000)
  })

  it('and says how often it was tried in the end', () => {
    const facts = { attempts: 5, tookMs: 150_000, request: 'POST /repos/o/r/pulls', status: 502, error: '' }
    expect(blocked('RetriesExhausted', [{ kind: 'External', name: 'o/r' }], facts).message).toBe(
      '5 attempts failed in 2m: POST /repos/o/r/pulls: 502',
    )
  })
})
