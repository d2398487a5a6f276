// The face of this folder: what others import.
export { LEASE_TIMES, type LeaseTimes, REFUSED_MS } from './candidate.ts'
export { type Election, type LeaderTerm, startElection, type TermEnd } from './election.ts'
export { leaderClient } from './leaderclient.ts'
export { BEAT_MS, SharedTerm } from './sharedterm.ts'
export { WritesInFlight } from './writesinflight.ts'
