// The face of this folder: what others import.
export {
  CONTROLLER_TOKEN,
  CONTROLLER_USER,
  FLEET_NAMESPACE,
  furnish,
  HUB,
  kubeconfigOf,
  LOCAL_PROFILES,
  type LocalFleet,
  type LocalFleetOptions,
  startLocalFleet,
} from './localfleet.ts'
export { LOCAL_HOST, serveLocally } from './localserver.ts'
export { rehearsalHub } from './rehearsalhub.ts'
export { serveFleet } from './servefleet.ts'
export { sourceCache } from './sourcecache.ts'
