import { embeddedFleet } from '../embeddedfleet.ts'
import { runFleetCases } from '../runfleetcases.ts'
import { promotionsOfTier } from './promotioncases.ts'

runFleetCases('promotions, on embedded API servers', embeddedFleet, promotionsOfTier, {
  weave: { managesAll: false },
})
