/** `lockstep rollout undo`: the fleet goes back until another revision is published; or one cluster, for good. */

import { ok, type Result } from '@lockstep/kube/env'
import { type JsonValue, type Kind, type Stored, short10 } from '@lockstep/kube/object'
import { holdKind, type Module } from '../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import type { RevisionRecord } from '../../../controllers/cache/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import { holdName, isOn, pinText, putHold, readModuleHolds } from '../hold/index.ts'
import type { HubConnection } from '../hub/index.ts'
import {
  type CliFailure,
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  kindOfObject,
  nameOf,
  requestFailure,
  textFlag,
} from '../index.ts'
import { printObjects } from '../output/index.ts'
import { fit } from '../terminal/index.ts'
import { revisionFor, revisionsOf, type SelectedModule, selectUnits, withModule } from '../units/index.ts'
import { revisionBefore } from './revisiondiff.ts'

export const undoRollout = (c: CommandContext, word: string, flags: Flags): Promise<CommandResult> =>
  withModule(c, word, async (meant) => {
    const cluster = textFlag(flags, 'cluster')
    const way = await wayOf(c, meant, textFlag(flags, 'toRevision'))
    if (!way.ok) return way
    const reason = textFlag(flags, 'reason')
    return cluster === undefined
      ? leadBack(c, meant, way.value, reason)
      : pin(c, meant, cluster, way.value.to, reason)
  })

/** From what is published to what is asked for; without that, to what was complete last before. */
async function wayOf(
  c: CommandContext,
  { hub, module }: SelectedModule,
  asked: string | undefined,
): Promise<Result<{ from: string; to: string }, CliFailure>> {
  const { name } = module.metadata
  const ref = moduleRefOf(module)
  const from = module.status?.currentRevision
  const known: Result<RevisionRecord[], CliFailure> = await revisionsOf(c, hub, ref)
  if (!known.ok) return known
  if (from === undefined) return refused(module, 'nothing is published', `lockstep status ${name}`)
  const wanted = asked ?? revisionBefore(known.value, from)
  if (wanted === undefined)
    return refused(
      module,
      'no earlier revision had a complete rollout',
      `for the history, use lockstep rollout history ${name}; then give --to-revision`,
    )
  const unit = { module, ref, cluster: '', inventory: undefined }
  const to = revisionFor(unit, { type: 'revision', prefix: wanted }, known.value)
  return to.ok ? ok({ from, to: to.value!.revision }) : to
}

const refused = ({ kind, metadata: { name } }: Stored<Module>, problem: string, suggestion: string) =>
  failed('E_REFUSED', { ref: `${kind} ${name}`, problem, suggestion })

/** A wish in the spec: it holds while what is left is what is published. */
async function leadBack(
  c: CommandContext,
  { hub, module }: SelectedModule,
  { from, to }: { readonly from: string; readonly to: string },
  reason: string | undefined,
): Promise<CommandResult> {
  const { name } = module.metadata
  const isBack = to !== from
  // That of an earlier one is none of this one.
  const wish = { from, to, reason: reason ?? null }
  const done = await write(c, hub, module, isBack ? wish : null)
  if (!done.ok) return requestFailure(done.error, hub.server)
  const kind = kindOfObject(module.apiVersion, module.kind)!
  const text = isBack
    ? `is rolling back from ${short10(from)} to ${short10(to)} until a new revision is published; to cancel: lockstep rollout undo ${name} --to-revision ${short10(from)}`
    : `is deploying the published revision ${short10(from)} again`
  if (!printObjects(c, [{ kind, object: done.value }]))
    c.terminal.print(fit(c.terminal.look, `${nameOf(kind, name)} ${text}`))
  return { ok: true, value: 0 }
}

const STATES = { Suspend: 'suspended', Pause: 'paused', Pin: 'pinned' } as const

/** Of one cluster it is a Pin: the fleet goes on, and this one stays whatever is published. */
async function pin(
  c: CommandContext,
  { hub, seen, module }: SelectedModule,
  cluster: string,
  revision: string,
  reason = 'lockstep rollout undo',
): Promise<CommandResult> {
  const { name } = module.metadata
  const unit = selectUnits(seen, hub, `${module.kind === 'Module' ? 'module' : 'bmod'}/${name}`, cluster)
  if (!unit.ok) return unit
  const holds = await readModuleHolds(c, hub, module)
  if (!holds.ok) return holds
  const own = holdName(module, 'pinned', [cluster])
  const other = holds.value.find(
    (h) =>
      isOn(h, cluster, c.env.clock.now()) &&
      (h.spec.action !== 'Pin' || (h.metadata.name !== own && h.spec.revision !== revision)),
  )
  if (other)
    return refused(
      module,
      `${name} on ${cluster} is ${STATES[other.spec.action]} by Hold ${other.metadata.name} (${other.spec.reason})`,
      `end it with: lockstep ${other.spec.action === 'Pin' ? 'unpin' : 'resume'} ${name}@${cluster}`,
    )
  const asked = { action: 'Pin' as const, revision, reason }
  const done = await putHold(c, hub, module, { by: 'pinned', clusters: [cluster], asked })
  if (!done.ok) return done
  const text = pinText(own, name, [cluster], revision)
  if (!printObjects(c, [{ kind: holdKind, object: done.value }])) c.terminal.print(fit(c.terminal.look, text))
  return { ok: true, value: 0 }
}

/** One field: what others apply does not know of it, and leaves it as it is. */
const write = (
  c: CommandContext,
  hub: HubConnection,
  { apiVersion, kind, metadata }: Stored<Module>,
  undo: JsonValue,
) =>
  hub.client.patch(
    kindOfObject(apiVersion, kind) as Kind<Module>,
    metadata,
    { spec: { rollout: { undo } } },
    { purpose: 'user', manager: CLI_MANAGER, signal: c.signal, precondition: 'any' },
  )
