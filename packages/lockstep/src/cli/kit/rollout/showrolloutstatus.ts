/** `lockstep rollout status`: how far it is. */
import type { Context } from '../command.ts'
import type { Outcome } from '../clifailure.ts'
import { printData } from '../output/printobjects.ts'
import { moduleView } from '../snapshot/moduleview.ts'
import { withModule } from '../units/withmodule.ts'

export const rolloutStatus = (c: Context, word: string): Promise<Outcome> =>
  withModule(c, word, async ({ seen, module }) => {
    const { lines, facts, names, hasFailed } = moduleView(c.terminal, seen, module)
    if (!printData(c, facts, names)) for (const line of lines) c.terminal.print(line)
    return { ok: true, value: hasFailed ? 1 : 0 }
  })
