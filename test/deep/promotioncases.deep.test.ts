import { embeddedFleet } from '../integration/embedded.ts'
import { promotionCases } from '../integration/promotions/cases.ts'
import { runFleetCases } from '../integration/running.ts'

runFleetCases('promotions, on embedded API servers', embeddedFleet, promotionCases, {
  weave: { managesAll: false },
})
