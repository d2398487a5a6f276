/** `lockstep rollout status`: how far it is. */
import type { Context } from '../command.ts'
import type { Outcome } from '../failure.ts'
import { printData } from '../output/objects.ts'
import { moduleView } from '../view/module.ts'
import { withModule } from './module.ts'

export const rolloutStatus = (c: Context, word: string): Promise<Outcome> =>
  withModule(c, word, async ({ seen, module }) => {
    const { lines, facts, names, hasFailed } = moduleView(c.terminal, seen, module)
    if (!printData(c, facts, names)) for (const line of lines) c.terminal.print(line)
    return { ok: true, value: hasFailed ? 1 : 0 }
  })
