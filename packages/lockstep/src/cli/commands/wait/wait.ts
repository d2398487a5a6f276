import { openHub } from '../../kit/hub/index.ts'
import { type Command, durationFlag, nameOf, targetOf, textFlag } from '../../kit/index.ts'
import { findServedKind, withReportedConditions } from '../../kit/sets/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import { lacking, untilMet, waitGoalOf, waitResult } from '../../kit/wait/index.ts'

/** `lockstep wait`. */
export const waitCommand: Command = {
  name: 'wait',
  summary: 'Wait until something is ready, at a release or revision, or gone',
  arguments: '<kind/name>',
  completes: ['target'],
  detail:
    'For --for: ready · revision=REVISION (its first digits are enough) · release=RELEASE · delete. A revision or release has come when all of it is ready. Exit 4 when the time is over, with what was still lacking.',
  options: [
    { flags: '--for <what>', completes: 'goal', text: 'what to wait for', default: 'ready' },
    { flags: '--timeout <duration>', text: 'how long', default: '5m' },
  ],
  examples: [
    ['Until a module is ready on all of its clusters', 'wait module/monitoring -n platform'],
    [
      'Until a release is everywhere, at most an hour',
      'wait module/monitoring --for release=2026.10 --timeout 1h -n platform',
    ],
    ['Until all of one cluster is ready', 'wait remoteassemblage/prod-eu --for ready -n platform'],
    ['Until a module has left every cluster', 'wait module/web --for delete -n platform'],
  ],
  async run(c, args, flags) {
    const target = targetOf(args[0]!)
    if (!target.ok) return target
    const { name } = target.value
    const goal = waitGoalOf(textFlag(flags, 'for')!, target.value.kind)
    if (!goal.ok) return goal
    const given = textFlag(flags, 'timeout')!
    const timeout = durationFlag('timeout', given)
    if (!timeout.ok) return timeout
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const served = await findServedKind(c, hub.value, target.value.kind)
    if (!served.ok) return served
    const kind = served.value
    const ended = await untilMet(c, hub.value, {
      kind,
      name,
      timeoutMs: timeout.value,
      lacks: (o) => lacking(goal.value, withReportedConditions(kind, o)),
      news: (text) => c.terminal.talk(fit(c.terminal.look, `${nameOf(kind, name)}: ${text}`)),
    })
    const outcome = await waitResult(c, hub.value, { kind, name, goal: goal.value, given, ended })
    await hub.value.client.close()
    return outcome
  },
}
