import { embeddedFleet } from '../embedded.ts'
import { runFleetCases } from '../running.ts'
import { someOfThem } from './cases.ts'

runFleetCases('promotions, on embedded API servers', embeddedFleet, someOfThem, {
  weave: { managesAll: false },
})
