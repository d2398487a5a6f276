import { openHub } from '../../kit/hub/index.ts'
import { type Command, durationOrZero, nameOf, targetOf, textFlag } from '../../kit/index.ts'
import { findServedKind, withReportedConditions } from '../../kit/sets/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import { hopelessOf, lacking, untilMet, waitGoalOf, waitResult } from '../../kit/wait/index.ts'

/** `lockstep wait`. */
export const waitCommand: Command = {
  name: 'wait',
  summary: 'Wait for a release, revision, readiness or deletion',
  arguments: '<kind/name>',
  completes: ['target'],
  detail:
    'Values of --for: ready, revision=REVISION (at least its first 6 digits), release=RELEASE, delete. A revision or release is reached when the whole object is ready at it. Exit 4 after the timeout, with the missing state. Exit 1 if it never comes without a change: at once in a dependency cycle, else after 10 seconds. A timeout of 0 reads the state once.',
  options: [
    { flags: '--for <what>', completes: 'goal', text: 'state to wait for', default: 'ready' },
    { flags: '--timeout <duration>', text: 'time to wait; 0 reads once', default: '5m' },
  ],
  examples: [
    ['Wait until a Module is ready on all clusters', 'wait module/monitoring -n platform'],
    [
      'Wait at most an hour for a release',
      'wait module/monitoring --for release=2026.10 --timeout 1h -n platform',
    ],
    [
      'Wait until all Modules on one cluster are ready',
      'wait remoteassemblage/prod-eu --for ready -n platform',
    ],
    ['Wait until a Module is removed from every cluster', 'wait module/web --for delete -n platform'],
  ],
  async run(c, args, flags) {
    const target = targetOf(args[0]!)
    if (!target.ok) return target
    const { name } = target.value
    const goal = waitGoalOf(textFlag(flags, 'for')!, target.value.kind)
    if (!goal.ok) return goal
    const given = textFlag(flags, 'timeout')!
    const timeout = durationOrZero('timeout', given)
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
      hopeless: (o) => hopelessOf(goal.value, o),
      news: (text) => c.terminal.talk(fit(c.terminal.look, `${nameOf(kind, name)}: ${text}`)),
    })
    const outcome = await waitResult(c, hub.value, { kind, name, goal: goal.value, given, ended })
    await hub.value.client.close()
    return outcome
  },
}
