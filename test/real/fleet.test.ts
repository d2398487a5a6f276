import { sharp } from '../integration/deliveries.ts'
import { fleetCases } from '../integration/fleet.cases.ts'
import { casesOf } from '../integration/platform.cases.ts'
import { runFleetCases } from '../integration/running.ts'
import { realFleet } from './fleet.ts'
import { realCluster } from './subject.ts'

// The longest first: the rest runs beside them.
const cases = [...casesOf(sharp), ...fleetCases]

runFleetCases(
  'delivery, on real API servers',
  () => realFleet(realCluster('hub'), realCluster('c1'), realCluster('c2')),
  cases,
)
