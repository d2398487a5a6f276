// The face of this folder: what others import.
export { areSecret, bindValues, valuesBundle, valuesOf } from './bindvalues.ts'
export { type Bundle, bundleOf, isSensitive, secretHolder } from './bundlesecrets.ts'
export { BundleStore } from './bundlestore.ts'
export { createCache } from './cacheroot.ts'
export { canonicalData, dataProblems } from './canonicaldata.ts'
export {
  digesterOf,
  type HmacKeys,
  hasKeyOf,
  hmacKeysOf,
  type StoredDigests,
} from './hmackeys.ts'
export { normalize } from './normalize.ts'
export { toManifests } from './renderplain.ts'
export type { HubReader, NamedInput, ResolvedSource } from './resolvedsource.ts'
export { combined, fault, faultLines, faultOf, inField, type SourceFailure } from './sourcefailure.ts'
export type { SourceFetcher } from './sourcefetcher.ts'
export type { Requester } from './sourcepoller.ts'
export type { SecretReaders } from './sourcesecret.ts'
export { upstreamFetcher } from './upstreamfetcher.ts'
export { type UpstreamSources, Upstreams } from './upstreams.ts'
