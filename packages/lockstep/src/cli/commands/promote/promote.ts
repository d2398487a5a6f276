import { ok, type Result } from '@lockstep/kube/env'
import { preciseTimestamp, type Stored } from '@lockstep/kube/object'
import { type Pipeline, pipelineKind } from '../../../api/kinds/index.ts'
import { AUTOMATIC_LABEL, CLI_MANAGER } from '../../../api/labels.ts'
import {
  idProblem,
  promotionRequestOf,
  REQUEST_PREFIX,
  requestText,
  sourceNames,
} from '../../../decisions/promotion/index.ts'
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
  textFlag,
} from '../../kit/index.ts'
import { printObjects } from '../../kit/output/index.ts'
import {
  environmentNamed,
  environmentStatusOf,
  holdsOn,
  type MeantPipeline,
  waitForPromotion,
  withPipeline,
} from '../../kit/pipelines/index.ts'
import { fit } from '../../kit/terminal/index.ts'

/** `lockstep promote`. */
export const promoteCommand: Command = {
  name: 'promote',
  summary: 'Request a promotion into an environment, once',
  arguments: '<pipeline>',
  completes: ['pipeline'],
  detail:
    'Settled revisions are promoted automatically. Use this command after a pull request was closed, a promotion failed, or a revision was changed outside Lockstep. A request ID requests one promotion, however often it is given, until another ID is used. Exit 1 if the awaited promotion does not succeed.',
  options: [
    { flags: '--to <environment>', completes: 'environment', text: 'environment to promote into; required' },
    { flags: '--revision <revision>', text: 'revision to promote; default: the settled one' },
    { flags: '--request-id <id>', text: 'ID of the request; default: a new one' },
    { flags: '--wait', text: 'wait for the end of the promotion' },
    { flags: '--timeout <duration>', text: 'time to wait with --wait', default: '30m' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Promote again after a closed pull request', 'promote podinfo --to prod -n platform'],
    ['Promote a revision by name', 'promote podinfo --to prod --revision 6.1.0 -n platform'],
    [
      'Promote from a script, once for each build',
      'promote podinfo --to prod --request-id build-7 -n platform -o name',
    ],
  ],
  async run(c, args, flags) {
    const name = args[0]!.replace(/^(pipelines?|pl)\//i, '')
    const timeout = durationFlag('timeout', textFlag(flags, 'timeout')!)
    if (!timeout.ok) return timeout
    return withPipeline(c, name, async (meant) => {
      const asked = await ask(c, meant, flags)
      if (!asked.ok) return asked
      if (!isSet(flags, 'wait')) return said(c, meant, asked.value)
      c.terminal.talk(fit(c.terminal.look, sentenceOf(meant, asked.value)))
      return waitForPromotion(c, meant.hub, {
        pipeline: name,
        environment: asked.value.environment,
        requestID: asked.value.id,
        timeoutMs: timeout.value,
        given: textFlag(flags, 'timeout')!,
      })
    })
  },
}

interface PromotionRequestFlags {
  readonly pipeline: Stored<Pipeline>
  readonly environment: string
  readonly id: string
  readonly revision: string | undefined
  /** It was asked for before: nothing follows from it now. */
  readonly isKnown: boolean
}

async function ask(
  c: CommandContext,
  { hub, pipeline }: MeantPipeline,
  flags: Flags,
): Promise<Result<PromotionRequestFlags, CliFailure>> {
  const revision = textFlag(flags, 'revision')
  const refused = notPromotable(pipeline, textFlag(flags, 'to'), revision)
  if (!refused.ok) return refused
  const environment = refused.value
  const id = textFlag(flags, 'requestId') ?? newId(c)
  const problem = idProblem(id)
  if (problem !== undefined)
    return failed('E_USAGE', { problem: `--request-id: ${problem}`, suggestion: 'for example: build-7' })
  if (revision === '')
    return failed('E_USAGE', {
      problem: '--revision is empty',
      suggestion: 'remove it to promote the settled revision',
    })
  const key = `${REQUEST_PREFIX}${environment}`
  const value = requestText({ id, revision })
  const before = promotionRequestOf(pipeline.metadata.annotations, environment)
  const isKnown =
    environmentStatusOf(pipeline, environment)?.intent?.requestID === id ||
    (before.ok && before.value?.id === id)
  if (isKnown) return ok({ pipeline, environment, id, revision, isKnown })
  const done = await hub.client.patch(
    pipelineKind,
    { namespace: hub.namespace, name: pipeline.metadata.name },
    { metadata: { annotations: { [key]: value } } },
    { purpose: 'user', manager: CLI_MANAGER, signal: c.signal, precondition: 'any' },
  )
  if (!done.ok) return requestFailure(done.error, hub.server)
  return ok({ pipeline: done.value, environment, id, revision, isKnown })
}

/** Its name, where something can be promoted into it. */
function notPromotable(
  pipeline: Stored<Pipeline>,
  to: string | undefined,
  revision: string | undefined,
): Result<string, CliFailure> {
  const found = environmentNamed(pipeline, '--to', to)
  if (!found.ok) return found
  const { environments } = pipeline.spec
  const { name, promotion } = found.value
  if (!promotion)
    return failed('E_USAGE', {
      problem: `${name} is only observed: it has no promotion`,
      suggestion: `set spec.environments[${environments.indexOf(found.value)}].promotion in Pipeline ${pipeline.metadata.name}`,
    })
  if (revision === undefined && sourceNames(environments, environments.indexOf(found.value)).length === 0)
    return failed('E_USAGE', {
      problem: `${name} gets its revisions from no environment`,
      suggestion: 'give --revision',
    })
  return ok(name)
}

/** Two who ask at once are two requests. */
const newId = (c: CommandContext): string =>
  `cli-${preciseTimestamp(c.env.clock.now()).replace(/[^0-9]/g, '')}-${c.env.random.uuid().slice(0, 4)}`

function said(c: CommandContext, meant: MeantPipeline, asked: PromotionRequestFlags): CommandResult {
  if (!printObjects(c, [{ kind: pipelineKind, object: asked.pipeline }]))
    c.terminal.print(fit(c.terminal.look, sentenceOf(meant, asked)))
  return { ok: true, value: 0 }
}

function sentenceOf(
  { seen, pipeline }: MeantPipeline,
  { environment, id, revision, isKnown }: PromotionRequestFlags,
): string {
  const what = `${nameOf(pipelineKind, pipeline.metadata.name)}: ${revision ?? 'settled revision'} into ${environment}`
  if (isKnown) return `${what} was already requested with ID ${id}: not promoted again`
  const hold = holdsOn(seen, pipeline).find(
    ({ metadata, spec }) =>
      (spec.environments === undefined || spec.environments.includes(environment)) &&
      metadata.labels?.[AUTOMATIC_LABEL] === undefined,
  )
  const held = hold ? `; suspended by Hold ${hold.metadata.name}: ${hold.spec.reason}` : ''
  return `${what} requested with ID ${id}${held}; to follow it: lockstep status pipeline/${pipeline.metadata.name}`
}
