/** How long a standby waits before it leads: the deep tier alone reads a clock. */
import { expect } from 'vitest'
import { LEASE_SECONDS } from './controllerreplicas.ts'
import { embeddedFleet } from './embeddedfleet.ts'
import { leaderCasesWith } from './leaders.cases.ts'
import { rollingUpdateCases } from './rollingupdate.cases.ts'
import { runOnFleetsApart } from './runfleetcases.ts'

/** Beyond the duration of the Lease: another retry, and a busy machine. */
const MORE_SECONDS = 15

const timed = leaderCasesWith(async (elected) => {
  const begin = performance.now()
  await elected
  expect((performance.now() - begin) / 1000).toBeLessThan(LEASE_SECONDS + MORE_SECONDS)
})

runOnFleetsApart(
  'takeovers measured, on embedded API servers',
  embeddedFleet,
  [...timed, ...rollingUpdateCases].filter((c) => c.alone),
)
