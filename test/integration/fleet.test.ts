import { embeddedFleet } from './embedded.ts'
import { fleetCases } from './fleet.cases.ts'
import { runFleetCases, runOnFleetsApart } from './running.ts'

const alone = fleetCases.filter((c) => c.alone)
const others = fleetCases.filter((c) => !c.alone)

runOnFleetsApart('delivery, on embedded API servers, each case on its own', embeddedFleet, alone)
runFleetCases('delivery, on embedded API servers', embeddedFleet, others)
