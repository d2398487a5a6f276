import { embeddedFleet } from '../embedded.ts'
import { runFleetCases } from '../running.ts'
import { promotionsOfTier } from './cases.ts'

runFleetCases('promotions, on embedded API servers', embeddedFleet, promotionsOfTier, {
  weave: { managesAll: false },
})
