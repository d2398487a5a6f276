// The face of this folder: what others import.
export { eventFlags, eventOptions } from './eventflags.ts'
export { LEASE_NAME, leaderFlags, leaderOptions } from './leaderflags.ts'
export { logOptions } from './logoptions.ts'
export { healthFlags, healthOptions } from './openhealth.ts'
export { metricFlags, metricOptions } from './openmetrics.ts'
export { runAsLeader } from './runasleader.ts'
