import { embeddedFleet } from './embeddedfleet.ts'
import { fleetCasesOfTier } from './fleet.cases.ts'
import { runFleetCases, runOnFleetsApart } from './runfleetcases.ts'

const alone = fleetCasesOfTier.filter((c) => c.alone)
const others = fleetCasesOfTier.filter((c) => !c.alone)

if (alone.length > 0)
  runOnFleetsApart('delivery, on embedded API servers, each case on its own', embeddedFleet, alone)
runFleetCases('delivery, on embedded API servers', embeddedFleet, others)
