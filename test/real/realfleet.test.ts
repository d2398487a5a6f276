import { fleetCases } from '../integration/fleet.cases.ts'
import { casesOf } from '../integration/platform.cases.ts'
import { sharp } from '../integration/platformdeliveries.ts'
import { someOfThem } from '../integration/promotions/promotioncases.ts'
import { runFleetCases } from '../integration/runfleetcases.ts'
import { realFleet } from './realfleet.ts'
import { realCluster } from './realsubject.ts'

// The longest first: the rest runs beside them.
const cases = [...casesOf(sharp), ...fleetCases]
const fleet = () => realFleet(realCluster('hub'), realCluster('c1'), realCluster('c2'))

runFleetCases('delivery, on real API servers', fleet, cases)
// After them, on the same servers: a hub has one process of controllers. All of them: test/deep/realpromotions.deep.test.ts.
runFleetCases('promotions, on real API servers', fleet, someOfThem, { weave: { managesAll: false } })
