import type { Stored } from '../../api/kind.ts'
import { CLI_MANAGER, RECONCILE_ANNOTATION } from '../../api/labels.ts'
import type { Module, OwnKind } from '../../api/registry.ts'
import type { Result } from '../../env/result.ts'
import { preciseTimestamp } from '../../object/object.ts'
import { type Command, type Context, isSet, textFlag } from '../command.ts'
import { durationOf } from '../duration.ts'
import { type CliFailure, failed, type Outcome, requestFailure } from '../failure.ts'
import { type Hub, openHub } from '../hub/hub.ts'
import { nameOf, targetOf } from '../kinds.ts'
import { printObjects } from '../output/objects.ts'
import { fit } from '../terminal/wrap.ts'
import { failureOf, lacking } from '../wait/goal.ts'
import { outcomeOf } from '../wait/outcome.ts'
import { untilMet } from '../wait/until.ts'
import { notFound } from './get.ts'

/** `lockstep reconcile`. */
export const reconcile: Command = {
  name: 'reconcile',
  summary: 'Have the source of a module looked at again at once',
  arguments: '<kind/name>',
  completes: ['moduleTarget'],
  detail:
    'Notes the time in the annotation lockstep.dev/reconcile. With --wait, exit 1 when the module ended not ready, 4 when the time is over.',
  options: [
    { flags: '--wait', text: 'until it is ready, or says that it will not be' },
    { flags: '--timeout <duration>', text: 'how long to wait', default: '5m' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Ask the source of a module now', 'reconcile module/monitoring -n platform'],
    [
      'And see how it ends, for at most ten minutes',
      'reconcile module/monitoring --wait --timeout 10m -n platform',
    ],
  ],
  async run(c, args, flags) {
    const target = targetOf(args[0]!)
    if (!target.ok) return target
    const { kind, name } = target.value
    if (kind.internal)
      return failed('E_USAGE', {
        problem: `${args[0]} has no source of its own`,
        suggestion: 'Reconcile its module: lockstep reconcile module/NAME.',
      })
    const given = textFlag(flags, 'timeout')!
    const timeout = durationOf('timeout', given)
    if (!timeout.ok) return timeout
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const asked = await ask(c, hub.value, kind, name)
    if (!asked.ok) return asked
    const ref = nameOf(kind, name)
    const sentence = fit(c.terminal.look, `${ref}: its source is asked again`)
    if (!isSet(flags, 'wait')) {
      if (!printObjects(c, [{ kind, object: asked.value }])) c.terminal.print(sentence)
      return { ok: true, value: 0 }
    }
    c.terminal.talk(sentence)
    const at = asked.value.metadata.annotations?.[RECONCILE_ANNOTATION] ?? ''
    const outcome = await follow(c, hub.value, { kind, name, given, timeoutMs: timeout.value, at })
    await hub.value.client.close()
    return outcome
  },
}

async function ask(c: Context, hub: Hub, kind: OwnKind, name: string): Promise<Result<Stored, CliFailure>> {
  // Two requests within a second are two requests.
  const at = preciseTimestamp(c.env.clock.now())
  const done = await hub.client.patch(
    kind,
    { namespace: hub.namespace, name },
    { metadata: { annotations: { [RECONCILE_ANNOTATION]: at } } },
    { why: 'user', manager: CLI_MANAGER, signal: c.signal, fence: 'any' },
  )
  if (done.ok) return done
  return done.error.kind === 'NotFound'
    ? notFound(c, hub, kind, name)
    : requestFailure(done.error, hub.server)
}

interface Followed {
  readonly kind: OwnKind
  readonly name: string
  readonly given: string
  readonly timeoutMs: number
  /** The request: what the module's status names once it is answered. */
  readonly at: string
}

async function follow(c: Context, hub: Hub, f: Followed): Promise<Outcome> {
  const { kind, name, given, timeoutMs, at } = f
  const goal = { type: 'ready' } as const
  // What was said before the request says nothing about it. A later one answers this one too.
  const isAnswered = (o: Stored): boolean =>
    ((o as Stored<Module>).status?.lastHandledReconcileAt ?? '') >= at
  const ended = await untilMet(c, hub, {
    kind,
    name,
    timeoutMs,
    lacks: (o) => (isAnswered(o) ? lacking(goal, o) : 'its source is being asked'),
    failure: (o) => (isAnswered(o) ? failureOf(o) : undefined),
    news: (text) => c.terminal.talk(fit(c.terminal.look, `${nameOf(kind, name)}: ${text}`)),
  })
  if (ended.how === 'met' && printObjects(c, [{ kind, object: ended.object }])) return { ok: true, value: 0 }
  return outcomeOf(c, hub, { kind, name, goal, given, ended })
}
