/** `lockstep suspend` and `lockstep rollout pause` of a module: one Hold, on all clusters or on one. */

import { type HoldSpec, holdKind } from '../../../api/kinds/index.ts'
import { type CommandContext, type CommandResult, type Flags, nameOf, textFlag } from '../index.ts'
import { printObjects } from '../output/index.ts'
import { fit } from '../terminal/index.ts'
import { withModule } from '../units/index.ts'
import { holdEnd } from './holdend.ts'
import { putHold, unknownCluster } from './moduleholds.ts'

/** Action of a Hold that stops deployments. */
export type StopAction = Exclude<HoldSpec['action'], 'Pin'>

const COMMANDS: Readonly<Record<StopAction, { readonly begin: string; readonly end: string }>> = {
  Suspend: { begin: 'lockstep suspend', end: 'lockstep resume' },
  Pause: { begin: 'lockstep rollout pause', end: 'lockstep rollout resume' },
}

export const suspendModule = (
  c: CommandContext,
  word: string,
  action: StopAction,
  { cluster, flags }: { readonly cluster: string | undefined; readonly flags: Flags },
): Promise<CommandResult> =>
  withModule(c, word, async ({ hub, seen, module }) => {
    const clusters = cluster === undefined ? [] : [cluster]
    const unknown = unknownCluster(seen, hub, clusters)
    if (unknown) return unknown
    const end = holdEnd(c, flags)
    if (!end.ok) return end
    const command = COMMANDS[action]
    const asked = {
      action,
      reason: textFlag(flags, 'reason') ?? command.begin,
      ...end.value,
    }
    const by = action === 'Suspend' ? 'suspended' : 'paused'
    const done = await putHold(c, hub, module, { by, clusters, asked })
    if (!done.ok) return done
    const { name } = module.metadata
    const total = module.status?.clusters?.total ?? 0
    const all = total === 0 ? 'all clusters' : `all ${total} clusters`
    const where = cluster ?? (total === 1 ? '1 cluster' : all)
    const effect =
      action === 'Suspend'
        ? 'nothing is written, and drift is not reverted'
        : 'no new deployment starts; running ones finish, and drift is reverted'
    const text = `${nameOf(holdKind, done.value.metadata.name)}: ${name} is ${by} on ${where}: ${effect}; end it with: ${command.end} ${cluster === undefined ? name : `${name}@${cluster}`}`
    if (!printObjects(c, [{ kind: holdKind, object: done.value }]))
      c.terminal.print(fit(c.terminal.look, text))
    return { ok: true, value: 0 }
  })
