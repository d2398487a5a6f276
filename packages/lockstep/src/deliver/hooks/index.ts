// The face of this folder: what others import.
export { endedHooks } from './endedhooks.ts'
export { type HookEffect, hookEffects, refusedEffects, requestedKey } from './hookeffects.ts'
export { type HookStart, keyOfHookRecord, newRun, runText, withRecords } from './hookrecord.ts'
export { withHookRetry } from './hookretry.ts'
export { hookInstanceOf, knownHooks, runningBlocker } from './hookstage.ts'
export {
  lastLines,
  outputContainerOf,
  secretsOfPod,
  TAIL_LINES,
  wholeLines,
} from './lastlines.ts'
export { hookProgressOf, hookRequeueMs } from './nexthook.ts'
