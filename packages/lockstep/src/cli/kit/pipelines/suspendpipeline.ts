/** Holds on pipelines, or on one of their environments. */

import { ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import { API_VERSION } from '../../../api/apiversion.ts'
import { type Hold, holdKind } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { endedText, endHold, endHoldsOn, holdEnd, printEnded, unitWord } from '../hold/index.ts'
import { type HubConnection, listAll } from '../hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  type Flags,
  nameOf,
  requestFailure,
  textFlag,
} from '../index.ts'
import { printObjects } from '../output/index.ts'
import { fit, plural } from '../terminal/index.ts'
import { environmentNamed, holdsOn, type MeantPipeline, withPipeline } from './pipelinesnapshot.ts'

/** `podinfo`, `podinfo@prod`. */
function pipelineUnit(word: string): { readonly name: string; readonly environment: string | undefined } {
  const { module: name, cluster: environment } = unitWord(word)
  return { name, environment }
}

/** `lockstep suspend pipeline/NAME`: nothing new is promoted; running changes outside the hub continue. */
export function suspendPipeline(c: CommandContext, word: string, flags: Flags): Promise<CommandResult> {
  const { name, environment } = pipelineUnit(word)
  return withPipeline(c, name, async ({ hub, pipeline }) => {
    if (environment !== undefined) {
      const found = environmentNamed(pipeline, '@ENVIRONMENT', environment)
      if (!found.ok) return found
    }
    const end = holdEnd(c, flags)
    if (!end.ok) return end
    const body: Hold = {
      apiVersion: API_VERSION,
      kind: holdKind.kind,
      metadata: { name: holdName(name, environment), namespace: hub.namespace },
      spec: {
        targetRef: { kind: 'Pipeline', name },
        ...(environment === undefined ? {} : { environments: [environment] }),
        action: 'Suspend',
        reason: textFlag(flags, 'reason') ?? 'lockstep suspend',
        ...end.value,
      },
    }
    const done = await hub.client.apply(holdKind, body, {
      purpose: 'user',
      manager: CLI_MANAGER,
      signal: c.signal,
      precondition: 'any',
      force: true,
    })
    if (!done.ok) return requestFailure(done.error, hub.server)
    const where = environment === undefined ? '' : ` to ${environment}`
    const text = `${nameOf(holdKind, done.value.metadata.name)}: pipeline ${name} promotes and merges nothing${where}; open pull requests stay open; end it with: lockstep resume pipeline/${word}`
    if (!printObjects(c, [{ kind: holdKind, object: done.value }]))
      c.terminal.print(fit(c.terminal.look, text))
    return { ok: true, value: 0 }
  })
}

/** A Module may have the same name as the Pipeline: the names of their Holds differ. */
const holdName = (pipeline: string, environment: string | undefined): string =>
  `pipeline-${pipeline}-suspended${environment === undefined ? '' : `-${environment}`}`.slice(0, 253)

/** `lockstep resume pipeline/NAME`. */
export function resumePipeline(c: CommandContext, word: string): Promise<CommandResult> {
  const { name, environment } = pipelineUnit(word)
  return withPipeline(c, name, (meant) =>
    environment === undefined ? endAll(c, meant) : endIn(c, meant, environment),
  )
}

async function endAll(c: CommandContext, { hub, seen, pipeline }: MeantPipeline): Promise<CommandResult> {
  const { name, namespace } = pipeline.metadata
  const holds = holdsOn(seen, pipeline)
  for (const { metadata } of holds) {
    const done = await endHold(c, hub, { name: metadata.name, namespace: namespace! })
    if (!done.ok) return done
  }
  const text =
    holds.length === 0
      ? `pipeline ${name} is not suspended; nothing was changed`
      : `pipeline ${name} resumes: ${plural(holds.length, 'Hold')} deleted`
  printEnded(c, holds, text)
  return { ok: true, value: 0 }
}

async function endIn(
  c: CommandContext,
  { hub, pipeline }: MeantPipeline,
  environment: string,
): Promise<CommandResult> {
  const found = environmentNamed(pipeline, '@ENVIRONMENT', environment)
  if (!found.ok) return found
  const { name } = pipeline.metadata
  const done = await endHoldsOn(c, hub, environment, () => holdsNow(c, hub, name), 'environments')
  if (!done.ok) return done
  const { ended, left, everywhere } = done.value
  const [still] = everywhere
  const changed = endedText(done.value, 'environments')
  const text = still
    ? `${environment} of pipeline ${name} stays suspended: Hold ${still.metadata.name} applies to all environments (${still.spec.reason}); ${changed || 'nothing was changed'}. lockstep resume pipeline/${name} ends it on all environments`
    : changed === ''
      ? `${environment} of pipeline ${name} is not suspended; nothing was changed`
      : `${environment} of pipeline ${name} resumes: ${changed}`
  printEnded(c, [...ended, ...left], text)
  return { ok: true, value: still ? 1 : 0 }
}

async function holdsNow(
  c: CommandContext,
  hub: HubConnection,
  name: string,
): Promise<Result<Stored<Hold>[], CliFailure>> {
  const found = await listAll<Hold>(c, hub, holdKind, { namespace: hub.namespace })
  if (!found.ok) return found
  return ok(found.value.filter(({ spec: { targetRef: t } }) => t.kind === 'Pipeline' && t.name === name))
}
