import { describe, expect, it } from 'vitest'
import { leaderFlags } from './leaderflags.ts'

const DEFAULTS = {
  leaderElect: 'true',
  leaderElectLeaseDuration: '15s',
  leaderElectRenewDeadline: '10s',
  leaderElectRetryPeriod: '2s',
  leaderElectResourceName: 'lockstep-leader',
  leaderElectResourceNamespace: 'lockstep-system',
}
const LED = {
  namespace: 'lockstep-system',
  name: 'lockstep-leader',
  times: { leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 },
}

describe('flags of an election', () => {
  it.each([
    ['by default it takes part', {}, LED],
    ['named without a value it does', { leaderElect: true }, LED],
    ['it does not where it is told so', { leaderElect: 'false' }, undefined],
    [
      'elsewhere',
      { leaderElectResourceNamespace: 'n', leaderElectResourceName: 'l' },
      { ...LED, namespace: 'n', name: 'l' },
    ],
  ])('%s', (_, more, expected) => {
    expect(leaderFlags({ ...DEFAULTS, ...more })).toEqual({ ok: true, value: expected })
  })

  it.each([
    [
      'a leader that writes as long as the others wait',
      { leaderElectRenewDeadline: '15s' },
      /lease-duration must be greater/,
    ],
    [
      'one that has no second try',
      { leaderElectRetryPeriod: '9s' },
      /greater than 1\.2 times --leader-elect-retry-period/,
    ],
    [
      'no duration',
      { leaderElectRetryPeriod: 'soon' },
      /--leader-elect-retry-period soon: must be a duration/,
    ],
  ])('%s is refused', (_, more, says) => {
    const found = leaderFlags({ ...DEFAULTS, ...more })
    expect(found).toMatchObject({
      ok: false,
      error: { code: 'E_USAGE', message: expect.stringMatching(says) },
    })
  })
})
