import { embeddedFleet } from './embedded.ts'
import { runFleetCases } from './fleet.cases.ts'

runFleetCases('delivery, on embedded API servers', embeddedFleet)
