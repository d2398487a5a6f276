/** Tokens that are replaced every 20 s, and revoked: with `--long` only. */
import { longRenewals } from '../integration/credentials.cases.ts'
import { runFleetCases } from '../integration/runfleetcases.ts'
import { realFleet } from './realfleet.ts'
import { realCluster } from './realsubject.ts'

const fleet = () => realFleet(realCluster('hub'), realCluster('c1'), realCluster('c2'))

runFleetCases('credentials that are replaced for minutes, on real API servers', fleet, longRenewals)
