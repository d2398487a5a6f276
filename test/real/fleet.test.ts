import { runFleetCases } from '../integration/fleet.cases.ts'
import { realFleet } from './fleet.ts'

runFleetCases('delivery, on real API servers', realFleet)
