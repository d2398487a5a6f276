import { embeddedFleet } from '../integration/embeddedfleet.ts'
import { promotionCases } from '../integration/promotions/promotioncases.ts'
import { runFleetCases } from '../integration/runfleetcases.ts'

runFleetCases('promotions, on embedded API servers', embeddedFleet, promotionCases, {
  weave: { managesAll: false },
})
