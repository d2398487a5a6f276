import { sharp } from '../integration/deliveries.ts'
import { fleetCases, runFleetCases } from '../integration/fleet.cases.ts'
import { casesOf } from '../integration/platform.cases.ts'
import { deniedCases } from './denied.cases.ts'
import { realFleet } from './fleet.ts'
import { realCluster } from './subject.ts'

// The longest first: the rest runs beside them.
const cases = [...casesOf(sharp), ...deniedCases, ...fleetCases]

runFleetCases('delivery, on real API servers', () => realFleet(realCluster('hub'), realCluster('c1')), cases)
