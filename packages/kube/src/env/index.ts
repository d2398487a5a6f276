// The face of this folder: what others import.
export { withAbort } from './abort.ts'
export type { Calendar, Occurrences } from './calendar.ts'
export { elapsedTimeMs, hasLasted, lateMsOf, type ObservedTime } from './elapsedtime.ts'
export type { Cancel, Clock, Env, FileFailure, Random } from './env.ts'
export {
  allowingHosts,
  bareHost,
  hostOf,
  isLoopback,
  LOOPBACK,
  parseAllowedHost,
  unknownHere,
} from './hostrefusal.ts'
export { connectInProcess, type InProcessWire } from './inprocess.ts'
export { bundleOf, trusting } from './leavingby.ts'
export { ProblemLog } from './log/problemlog.ts'
export { silentLog } from './log/silentlog.ts'
export type { GaugeValue } from './metrics.ts'
export {
  type Connection,
  type Endpoint,
  type Handler,
  type ImpersonatedUser,
  type Listening,
  type NetFailure,
  type NetRequest,
  type NetResponse,
  REQUEST_TIMEOUT_MS,
  type ServerRequest,
  type ServerResponse,
  StreamBroken,
  type TlsOptions,
} from './net.ts'
export type { ProcessExit, Processes, ProcessFailure } from './processes.ts'
export type { AllowedHost, HostRefusal, Provenance } from './provenance.ts'
export { requestTarget } from './requesttarget.ts'
export { allOk, err, ok, type Result, unreachable } from './result.ts'
export { sentHeaders } from './sentheaders.ts'
export { sleep } from './sleep.ts'
export { supervise, supervised } from './supervise.ts'
export type { Thread } from './threads.ts'
export { withTimeout } from './timeout.ts'
export type { WatchCount } from './watchcount.ts'
