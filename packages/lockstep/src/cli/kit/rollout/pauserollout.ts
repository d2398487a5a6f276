/** `lockstep rollout pause` and `lockstep rollout resume`. */
import { resumeModule, suspendModule } from '../hold/index.ts'
import { type CommandContext, type CommandResult, type Flags, textFlag } from '../index.ts'

export const pauseRollout = (c: CommandContext, word: string, flags: Flags): Promise<CommandResult> =>
  suspendModule(c, word, 'Pause', { cluster: textFlag(flags, 'cluster'), flags })

export const resumeRollout = (c: CommandContext, word: string, flags: Flags): Promise<CommandResult> =>
  resumeModule(c, word, { cluster: textFlag(flags, 'cluster'), ends: ['Pause'] })
