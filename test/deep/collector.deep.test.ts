import { collectorCases } from '../fleet/collector.cases.ts'
import { ALL_CUTS, cutCases } from '../fleet/cut.cases.ts'

collectorCases(30, 100)
cutCases(ALL_CUTS)
