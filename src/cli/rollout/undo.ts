/** `lockstep rollout undo`: the fleet goes back, and stays there until another revision is published. */
import type { Kind, Stored } from '../../api/kind.ts'
import { CLI_MANAGER } from '../../api/labels.ts'
import type { Module } from '../../api/registry.ts'
import { moduleRefOf } from '../../deliver/names.ts'
import { type JsonValue, short10 } from '../../object/object.ts'
import { type Context, type Flags, textFlag } from '../command.ts'
import { failed, type Outcome, requestFailure } from '../failure.ts'
import type { Hub } from '../hub/hub.ts'
import { kindOfObject, nameOf } from '../kinds.ts'
import { printObjects } from '../output/objects.ts'
import { fit } from '../terminal/wrap.ts'
import { revisionFor, revisionsOf } from '../units/units.ts'
import { withModule } from './module.ts'
import { before } from './revisiondiff.ts'

export const undo = (c: Context, word: string, flags: Flags): Promise<Outcome> =>
  withModule(c, word, async ({ hub, module }) => {
    const { name } = module.metadata
    const ref = moduleRefOf(module)
    const published = module.status?.currentRevision
    const known = await revisionsOf(c, hub, ref)
    if (!known.ok) return known
    const refused = (problem: string, suggestion: string) =>
      failed('E_REFUSED', { ref: `${module.kind} ${name}`, problem, suggestion })
    if (published === undefined) return refused('nothing of it is published yet', `lockstep status ${name}`)
    const wanted = textFlag(flags, 'toRevision') ?? before(known.value, published)
    if (wanted === undefined)
      return refused(
        'no other revision of it was complete before',
        `Name one: lockstep rollout history ${name}, then --to-revision.`,
      )
    const unit = { module, ref, cluster: '', inventory: undefined }
    const to = revisionFor(unit, { type: 'revision', prefix: wanted }, known.value)
    if (!to.ok) return to
    const { revision } = to.value!
    const isBack = revision !== published
    const reason = textFlag(flags, 'reason')
    const wish = { from: published, to: revision, ...(reason === undefined ? {} : { reason }) }
    const done = await write(c, hub, module, isBack ? wish : null)
    if (!done.ok) return requestFailure(done.error, hub.server)
    const kind = kindOfObject(module.apiVersion, module.kind)!
    const text = isBack
      ? `goes from ${short10(published)} back to ${short10(revision)}, and stays there until another revision is published, or lockstep rollout undo ${name} --to-revision ${short10(published)}`
      : `is to be at ${short10(published)} again, as published`
    if (!printObjects(c, [{ kind, object: done.value }]))
      c.terminal.print(fit(c.terminal.look, `${nameOf(kind, name)} ${text}`))
    return { ok: true, value: 0 }
  })

/** One field: what others apply does not know of it, and leaves it as it is. */
const write = (c: Context, hub: Hub, { apiVersion, kind, metadata }: Stored<Module>, undo: JsonValue) =>
  hub.client.patch(
    kindOfObject(apiVersion, kind) as Kind<Module>,
    metadata,
    { spec: { rollout: { undo } } },
    { why: 'user', manager: CLI_MANAGER, signal: c.signal, fence: 'any' },
  )
