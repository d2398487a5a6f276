// The face of this folder: what others import.

export {
  type CliFailure,
  type CommandResult,
  failed,
  INTERRUPTED,
  printFailure,
  requestFailure,
} from './clifailure.ts'
export {
  type Command,
  type CommandAction,
  type CommandContext,
  type Completes,
  type Flags,
  formatsOf,
  type HostProcess,
  isSet,
  LOG_FORMATS,
  LOG_LEVELS,
  type LogSettings,
  listFlag,
  logSettings,
  numberFlag,
  type Option,
  type OutputFormat,
  textFlag,
} from './command.ts'
export { concurrentMap } from './concurrentmap.ts'
export { durationFlag, durationOrZero } from './durationflag.ts'
export { commandWord, globalsBeside, globalsFor, globalsOf, hubOptions } from './globals.ts'
export { commandHelp, programHelp } from './help.ts'
export { idleOption, optionsOf } from './idleoption.ts'
export { stoppedCode, untilInterrupt } from './interrupt.ts'
export { startInterval } from './interval.ts'
export {
  applicableKinds,
  CLUSTERS,
  kindOfObject,
  kindOfWord,
  knownKinds,
  nameOf,
  targetOf,
} from './knownkinds.ts'
export { lockstepVersion } from './lockstepversion.ts'
export { nodeEndOfLife } from './nodeendoflife.ts'
