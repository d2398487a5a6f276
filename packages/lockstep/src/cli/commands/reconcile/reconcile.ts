import type { RequestError } from '@lockstep/kube/client'
import type { Result } from '@lockstep/kube/env'
import { type Kind, preciseTimestamp, type Stored } from '@lockstep/kube/object'
import type { Module, OwnKind } from '../../../api/kinds/index.ts'
import { CLI_MANAGER, RECONCILE_ANNOTATION, REHASH_ANNOTATION } from '../../../api/labels.ts'
import { type HubConnection, notFound, openHub } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  durationFlag,
  type Flags,
  failed,
  isSet,
  nameOf,
  requestFailure,
  targetOf,
  textFlag,
} from '../../kit/index.ts'
import { printObjects } from '../../kit/output/index.ts'
import { moduleWarnings, warningLines } from '../../kit/snapshot/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import { failureOf, lacking, untilMet, waitResult } from '../../kit/wait/index.ts'

/** `lockstep reconcile`. */
export const reconcileCommand: Command = {
  name: 'reconcile',
  summary: 'Reconcile a Module now',
  arguments: '<kind/name>',
  completes: ['moduleTarget'],
  detail:
    'Writes the time to the annotation lockstep.dev/reconcile. With --reverify increases spec.attempt instead: the health of the Module and of its dependents is verified again on every cluster, and nothing is written there. With --rebuild-digests replaces a lost digest key without a backup. The objects on each cluster are compared with their deployed revision. If they are the same, the digests are rebuilt with the current key, and nothing is written to the cluster. Otherwise the differences are listed, and nothing is changed. With --wait, exit 1 if the Module ends unready, 4 after the timeout.',
  options: [
    { flags: '--reverify', text: 'verify health again in dependency order, without new content' },
    { flags: '--rebuild-digests', text: 'rebuild digests after the HMAC key was lost' },
    { flags: '--wait', text: 'wait until the Module is ready or has failed' },
    { flags: '--timeout <duration>', text: 'time to wait', default: '5m' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Read the source of a Module now', 'reconcile module/monitoring -n platform'],
    ['Verify health before a risky change', 'reconcile module/monitoring --reverify --wait -n platform'],
    [
      'Reconcile and wait at most ten minutes',
      'reconcile module/monitoring --wait --timeout 10m -n platform',
    ],
  ],
  async run(c, args, flags) {
    const target = targetOf(args[0]!)
    if (!target.ok) return target
    const { kind, name } = target.value
    if (!kind.sourced)
      return failed('E_USAGE', {
        problem: `${args[0]} has no source`,
        suggestion: 'reconcile its Module: lockstep reconcile module/NAME',
      })
    if (isSet(flags, 'rebuildDigests') && isSet(flags, 'reverify'))
      return failed('E_USAGE', {
        problem: '--rebuild-digests and --reverify exclude each other',
        suggestion: 'run one after the other',
      })
    const given = textFlag(flags, 'timeout')!
    const timeout = durationFlag('timeout', given)
    if (!timeout.ok) return timeout
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const request = requestOf(flags)
    const asked = await request.put(c, hub.value, kind, name)
    if (!asked.ok) return asked
    const sentence = fit(c.terminal.look, `${nameOf(kind, name)}: ${request.sentence(asked.value)}`)
    if (!isSet(flags, 'wait')) {
      if (!printObjects(c, [{ kind, object: asked.value }])) c.terminal.print(sentence)
      return { ok: true, value: 0 }
    }
    c.terminal.talk(sentence)
    const isAnswered = ({ status }: Module): boolean => request.isAnswered(asked.value, status)
    const followed = {
      kind,
      name,
      given,
      timeoutMs: timeout.value,
      isAnswered,
      unanswered: request.unanswered,
    }
    const outcome = await follow(c, hub.value, followed)
    await hub.value.client.close()
    return outcome
  },
}

/** One of the things that can be asked for. */
interface ReconcileRequest {
  put(
    c: CommandContext,
    hub: HubConnection,
    kind: OwnKind,
    name: string,
  ): Promise<Result<Stored<Module>, CliFailure>>
  /** What happens now. */
  sentence(asked: Stored<Module>): string
  /** Before that, what a status says is about something else. A later request answers this one too. */
  isAnswered(asked: Stored<Module>, status: Module['status']): boolean
  /** What is said until then. */
  unanswered(o: Stored): string
}

const untaken = (): string => 'waiting for the controller'

function requestOf(flags: Flags): ReconcileRequest {
  if (isSet(flags, 'rebuildDigests'))
    return {
      ...noted(
        REHASH_ANNOTATION,
        'the objects on each cluster are compared, and digests are rebuilt where nothing differs',
        (status) => status?.lastHandledRehashAt,
      ),
      // It is answered once nothing differs any more: what does is said by the blockers.
      unanswered: (o) => lacking({ type: 'ready' }, o) ?? untaken(),
    }
  if (isSet(flags, 'reverify'))
    return {
      put: raise,
      sentence: ({ spec }) => `verification requested (attempt ${spec.attempt})`,
      isAnswered: ({ metadata }, status) => (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
      unanswered: untaken,
    }
  return noted(RECONCILE_ANNOTATION, 'reconciliation requested', (status) => status?.lastHandledReconcileAt)
}

/** A request whose time stands in an annotation. */
const noted = (
  annotation: string,
  sentence: string,
  handledAt: (status: Module['status']) => string | undefined,
): ReconcileRequest => ({
  put: (c, hub, kind, name) => ask(c, hub, kind, name, annotation),
  sentence: () => sentence,
  isAnswered: ({ metadata }, status) =>
    (handledAt(status) ?? '') >= (metadata.annotations?.[annotation] ?? ''),
  unanswered: untaken,
})

const TRIES = 5

/** One attempt more than there is now: two who ask at once are two attempts. */
async function raise(
  c: CommandContext,
  hub: HubConnection,
  kind: OwnKind,
  name: string,
): Promise<Result<Stored<Module>, CliFailure>> {
  for (let tries = 1; ; tries++) {
    const key = { namespace: hub.namespace, name }
    const now = await hub.client.get(kind as Kind<Module>, key, { purpose: 'user', signal: c.signal })
    if (!now.ok) return refused(c, hub, kind, name, now.error)
    const { uid, resourceVersion } = now.value.metadata
    const done = await hub.client.patch(
      kind as Kind<Module>,
      key,
      { spec: { attempt: now.value.spec.attempt + 1 } },
      { purpose: 'user', manager: CLI_MANAGER, signal: c.signal, precondition: { uid, resourceVersion } },
    )
    if (done.ok) return done
    if (done.error.kind !== 'FenceLost' || tries === TRIES) return refused(c, hub, kind, name, done.error)
  }
}

async function ask(
  c: CommandContext,
  hub: HubConnection,
  kind: OwnKind,
  name: string,
  annotation: string,
): Promise<Result<Stored<Module>, CliFailure>> {
  // Two requests within a second are two requests.
  const at = preciseTimestamp(c.env.clock.now())
  const done = await hub.client.patch(
    kind as Kind<Module>,
    { namespace: hub.namespace, name },
    { metadata: { annotations: { [annotation]: at } } },
    { purpose: 'user', manager: CLI_MANAGER, signal: c.signal, precondition: 'any' },
  )
  return done.ok ? done : refused(c, hub, kind, name, done.error)
}

const refused = async (
  c: CommandContext,
  hub: HubConnection,
  kind: OwnKind,
  name: string,
  error: RequestError,
) => (error.kind === 'NotFound' ? notFound(c, hub, kind, name) : requestFailure(error, hub.server))

interface ReconcileFollow {
  readonly kind: OwnKind
  readonly name: string
  readonly given: string
  readonly timeoutMs: number
  /** What was said before the request says nothing about it. */
  readonly isAnswered: (o: Module) => boolean
  /** What is said until then. */
  readonly unanswered: (o: Stored) => string
}

async function follow(c: CommandContext, hub: HubConnection, f: ReconcileFollow): Promise<CommandResult> {
  const { kind, name, given, timeoutMs, unanswered } = f
  const goal = { type: 'ready' } as const
  const isAnswered = (o: Stored): boolean => f.isAnswered(o as Stored<Module>)
  const ended = await untilMet(c, hub, {
    kind,
    name,
    timeoutMs,
    lacks: (o) => (isAnswered(o) ? lacking(goal, o) : unanswered(o)),
    failure: (o) => (isAnswered(o) ? failureOf(o) : undefined),
    news: (text) => c.terminal.talk(fit(c.terminal.look, `${nameOf(kind, name)}: ${text}`)),
  })
  if (ended.how === 'met' && printObjects(c, [{ kind, object: ended.object }])) return { ok: true, value: 0 }
  const result = await waitResult(c, hub, { kind, name, goal, given, ended })
  const warnings = ended.how === 'met' ? moduleWarnings(ended.object as Stored<Module>) : []
  for (const line of warningLines(c.terminal, warnings)) c.terminal.print(line)
  return result
}
