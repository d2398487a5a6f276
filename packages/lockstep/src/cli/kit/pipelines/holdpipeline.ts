/** Holds on pipelines, or on some of their environments. */

import { ok, type Result } from '@lockstep/kube/env'
import { digestOf, type Stored, timestamp } from '@lockstep/kube/object'
import { API_VERSION } from '../../../api/apiversion.ts'
import { type Hold, holdKind } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { endHold, holdsByScope, MOST_TRIES, printRelease, releaseHolds } from '../hold/index.ts'
import { type HubConnection, listAll } from '../hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  durationFlag,
  type Flags,
  failed,
  listFlag,
  nameOf,
  requestFailure,
  textFlag,
} from '../index.ts'
import { printObjects } from '../output/index.ts'
import { fit, listText, plural } from '../terminal/index.ts'
import { environmentNamed, holdsOn, type MeantPipeline, withPipeline } from './pipelinesnapshot.ts'

/** What says something to modules alone. */
const OF_MODULES = ['cluster', 'revision', 'starts'] as const

/** `lockstep hold pipeline/NAME`: nothing new is promoted; what was done outside already is followed to its end. */
export const holdPipeline = (c: CommandContext, name: string, flags: Flags): Promise<CommandResult> =>
  withPipeline(c, name, async ({ hub, pipeline }) => {
    const idle = OF_MODULES.find((f) => (f === 'cluster' ? listFlag(flags, f).length > 0 : flags[f]))
    if (idle !== undefined)
      return failed('E_USAGE', {
        problem: `--${idle} says nothing to a pipeline`,
        suggestion: 'Leave it out; --environment holds some environments.',
      })
    const environments = [...new Set(listFlag(flags, 'environment'))].sort()
    for (const e of environments) {
      const found = environmentNamed(pipeline, '--environment', e)
      if (!found.ok) return found
    }
    const until = textFlag(flags, 'until')
    const lasts = until === undefined ? undefined : durationFlag('until', until)
    if (lasts && !lasts.ok) return lasts
    const body: Hold = {
      apiVersion: API_VERSION,
      kind: holdKind.kind,
      metadata: { name: holdName(name, environments), namespace: hub.namespace },
      spec: {
        targetRef: { kind: 'Pipeline', name },
        ...(environments.length === 0 ? {} : { environments }),
        action: 'Pause',
        scope: 'Starts',
        reason: textFlag(flags, 'reason') ?? 'lockstep hold',
        ...(lasts ? { until: timestamp(c.env.clock.now() + lasts.value) } : {}),
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
    const where = environments.length === 0 ? '' : ` into ${listText(environments)}`
    const text = `${nameOf(holdKind, done.value.metadata.name)}: nothing new is promoted${where}, and we merge nothing; pull requests that are open stay. lockstep release pipeline/${name} ends it`
    if (!printObjects(c, [{ kind: holdKind, object: done.value }]))
      c.terminal.print(fit(c.terminal.look, text))
    return { ok: true, value: 0 }
  })

/** A module may have the same name: its Holds are others. */
function holdName(pipeline: string, environments: readonly string[]): string {
  const base = `pipeline-${pipeline}-hold`
  if (environments.length === 0) return base.slice(0, 253)
  const plain = `${base}-${environments[0]}`
  if (environments.length === 1 && plain.length <= 253) return plain
  return `${base.slice(0, 240)}-${digestOf('hold/1', [...environments]).slice(3, 13)}`
}

/** `lockstep release pipeline/NAME`. */
export const releasePipeline = (c: CommandContext, name: string, flags: Flags): Promise<CommandResult> =>
  withPipeline(c, name, (meant) => {
    if (textFlag(flags, 'cluster') !== undefined)
      return Promise.resolve(
        failed('E_USAGE', {
          problem: '--cluster says nothing to a pipeline',
          suggestion: 'Leave it out; --environment releases one environment.',
        }),
      )
    const environment = textFlag(flags, 'environment')
    return environment === undefined ? endAll(c, meant) : endIn(c, meant, environment)
  })

async function endAll(c: CommandContext, { hub, seen, pipeline }: MeantPipeline): Promise<CommandResult> {
  const { name, namespace } = pipeline.metadata
  const holds = holdsOn(seen, pipeline)
  for (const { metadata } of holds) {
    const done = await endHold(c, hub, { name: metadata.name, namespace: namespace! })
    if (!done.ok) return done
  }
  const text =
    holds.length === 0
      ? `${name} is not held; nothing was changed`
      : `${name} goes on: ${plural(holds.length, 'Hold')} deleted`
  printRelease(c, holds, text)
  return { ok: true, value: 0 }
}

async function endIn(
  c: CommandContext,
  { hub, seen, pipeline }: MeantPipeline,
  environment: string,
): Promise<CommandResult> {
  const found = environmentNamed(pipeline, '--environment', environment)
  if (!found.ok) return found
  const { name } = pipeline.metadata
  const ended = new Map<string, Stored<Hold>>()
  const left = new Map<string, Stored<Hold>>()
  for (let tries = 1; ; tries++) {
    const holds = tries === 1 ? ok(holdsOn(seen, pipeline)) : await holdsNow(c, hub, name)
    if (!holds.ok) return holds
    const grip = holdsByScope(holds.value, environment, c.env.clock.now(), 'environments')
    const progress = { ended, left, isLast: tries === MOST_TRIES }
    const done = await releaseHolds(c, hub, grip, environment, progress, 'environments')
    if (!done.ok) return done
    if (!done.value) continue
    const [still] = grip.everywhere
    const changed = [
      ...(ended.size === 0 ? [] : [`${plural(ended.size, 'Hold')} deleted`]),
      ...[...left.values()].map(
        (h) => `Hold ${h.metadata.name} stays on ${listText(h.spec.environments ?? [])}`,
      ),
    ].join(', ')
    const text = still
      ? `${name} stays held in ${environment}: Hold ${still.metadata.name} is on every environment (${still.spec.reason}); ${changed || 'nothing was changed'}. lockstep release pipeline/${name} ends it everywhere`
      : changed === ''
        ? `${name} is not held in ${environment}; nothing was changed`
        : `${name} goes on in ${environment}: ${changed}`
    printRelease(c, [...ended.values(), ...left.values()], text)
    return { ok: true, value: still ? 1 : 0 }
  }
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

/** `--environment` of a module says nothing. */
export const environmentOfModule = (flags: Flags): CommandResult | undefined =>
  listFlag(flags, 'environment').length > 0 || textFlag(flags, 'environment') !== undefined
    ? failed('E_USAGE', {
        problem: '--environment is for a pipeline',
        suggestion: 'Write pipeline/NAME, or --cluster for a module.',
      })
    : undefined
