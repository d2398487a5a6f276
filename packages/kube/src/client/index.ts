// The face of this folder: what others import.
export type {
  ClientCall,
  ImpersonatingClient,
  KubeClient,
  KubeResult,
  ListerWatcher,
  ObjectClient,
  ObjectDetail,
  ServedResource,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts'
export { decodeJson } from './decode.ts'
export { createHttpClient } from './httpclient.ts'
export { listAll } from './listall.ts'
export { isTransient, type RequestError, requestErrorText, type Verb } from './requesterror.ts'
export { type Lane, RequestLimiter, UNLIMITED_LANE, type Urgency } from './requestlimiter.ts'
export { resolveResourceType, resourceName } from './resourcetype.ts'
export { isNewerResourceVersion } from './resourceversion.ts'
