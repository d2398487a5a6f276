/** `lockstep rollout status`: how far it is. */
import type { CommandContext, CommandResult } from '../index.ts'
import { printData } from '../output/index.ts'
import { moduleView } from '../snapshot/index.ts'
import { withModule } from '../units/index.ts'

export const showRolloutStatus = (c: CommandContext, word: string): Promise<CommandResult> =>
  withModule(c, word, async ({ seen, module }) => {
    const { lines, facts, names, hasFailed } = moduleView(c.terminal, seen, module)
    if (!printData(c, facts, names)) for (const line of lines) c.terminal.print(line)
    return { ok: true, value: hasFailed ? 1 : 0 }
  })
