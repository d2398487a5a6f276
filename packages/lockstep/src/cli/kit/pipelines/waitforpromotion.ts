/** Follows one request from the pipeline to its Promotion, until that has ended. */
import type { Stored } from '@lockstep/kube/object'
import { type Pipeline, type Promotion, pipelineKind, promotionKind } from '../../../api/kinds/index.ts'
import { isEnded, promotionName } from '../../../decisions/promotion/index.ts'
import type { HubConnection } from '../hub/index.ts'
import {
  type CommandContext,
  type CommandResult,
  failed,
  INTERRUPTED,
  nameOf,
  requestFailure,
} from '../index.ts'
import { printObjects } from '../output/index.ts'
import { fit } from '../terminal/index.ts'
import { failureOf, untilMet, type WaitEnd } from '../wait/index.ts'
import { environmentStatusOf } from './pipelinesnapshot.ts'

export interface RequestedPromotion {
  readonly pipeline: string
  readonly environment: string
  readonly requestID: string
  readonly timeoutMs: number
  /** The same, as it was given. */
  readonly given: string
}

/** Exit 0: it has succeeded. */
export async function waitForPromotion(
  c: CommandContext,
  hub: HubConnection,
  o: RequestedPromotion,
): Promise<CommandResult> {
  const endMs = c.env.clock.steady() + o.timeoutMs
  const say = (name: string) => (text: string) => c.terminal.talk(fit(c.terminal.look, `${name}: ${text}`))
  const taken = await untilMet(c, hub, {
    kind: pipelineKind,
    name: o.pipeline,
    timeoutMs: o.timeoutMs,
    lacks: (p) => untaken(p as Stored<Pipeline>, o),
    failure: failureOf,
    news: say(nameOf(pipelineKind, o.pipeline)),
  })
  if (taken.how !== 'met') return notMet(hub, o, `pipeline/${o.pipeline}`, taken)
  const name = environmentStatusOf(taken.object as Stored<Pipeline>, o.environment)!.promotion!
  const ended = await untilMet(c, hub, {
    kind: promotionKind,
    name,
    timeoutMs: Math.max(1, endMs - c.env.clock.steady()),
    lacks: (p) => lacksOf(p as Stored<Promotion>),
    failure: (p) => endOf(p as Stored<Promotion>),
    news: say(nameOf(promotionKind, name)),
  })
  if (ended.how !== 'met') return notMet(hub, o, `promotion/${name}`, ended)
  const { spec } = ended.object as Stored<Promotion>
  if (!printObjects(c, [{ kind: promotionKind, object: ended.object }]))
    c.terminal.print(
      `${nameOf(promotionKind, name)}: ${spec.revision} is promoted to all targets of ${spec.environment}`,
    )
  return { ok: true, value: 0 }
}

/** The one before is in the status until that of the intent is made: it is not what was asked for. */
function untaken(p: Stored<Pipeline>, { environment, requestID }: RequestedPromotion): string | undefined {
  const { intent, promotion, blockers } = environmentStatusOf(p, environment) ?? {}
  if (intent?.requestID !== requestID) return blockers?.[0]?.message ?? 'waiting for the controller'
  const { epoch, revision } = intent
  const asked = promotionName({ identity: p.spec.identity, environment, epoch, revision })
  return promotion === asked ? undefined : 'waiting for its Promotion'
}

function lacksOf({ status }: Stored<Promotion>): string | undefined {
  const { phase = 'Pending', blockers = [], result } = status ?? {}
  if (phase === 'Succeeded') return undefined
  const pull = result?.pullRequest
  const open = phase === 'Open' && pull ? `Open: pull request #${pull.number}, ${pull.url}` : phase
  return blockers[0] ? `${open}: ${blockers[0].message}` : open
}

function endOf({ status }: Stored<Promotion>): string | undefined {
  const { phase, message = '' } = status ?? {}
  return phase !== 'Succeeded' && isEnded(phase) ? `${phase}: ${message}` : undefined
}

function notMet(
  hub: HubConnection,
  o: RequestedPromotion,
  what: string,
  ended: Exclude<WaitEnd, { how: 'met' }>,
): CommandResult {
  const suggestion = `for the root cause, use lockstep why pipeline/${o.pipeline}@${o.environment}`
  switch (ended.how) {
    case 'failed':
      return failed('E_REFUSED', { ref: what, problem: ended.text, suggestion })
    case 'late':
      return failed('E_TIMEOUT', {
        problem: `${what} has not ended after ${o.given}: ${ended.lacks}`,
        suggestion,
      })
    case 'absent':
    case 'gone':
      return failed('E_REFUSED', { ref: what, problem: 'the object was deleted', suggestion })
    case 'refused':
      return requestFailure(ended.error, hub.server)
    case 'interrupted':
      return { ok: true, value: INTERRUPTED }
  }
}
