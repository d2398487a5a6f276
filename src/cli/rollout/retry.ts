/** `lockstep rollout retry`: what failed is tried again. */
import type { Kind, Stored } from '../../api/kind.ts'
import type { HookRecord } from '../../api/kinds/inventory.ts'
import { CLI_MANAGER, RETRY_ANNOTATION, RETRY_HOOKS_ANNOTATION } from '../../api/labels.ts'
import { inventoryKind, type Module } from '../../api/registry.ts'
import { preciseTimestamp } from '../../object/object.ts'
import type { Context } from '../command.ts'
import { type Outcome, requestFailure } from '../failure.ts'
import type { Hub } from '../hub/hub.ts'
import { kindOfObject, nameOf } from '../kinds.ts'
import { printObjects } from '../output/objects.ts'
import { plural } from '../terminal/text.ts'
import { fit } from '../terminal/wrap.ts'
import type { Unit } from '../units/units.ts'

/** Hooks first: the rollout looks whether what failed is under way. */
export async function retry(c: Context, hub: Hub, units: readonly Unit[], isAll: boolean): Promise<Outcome> {
  const meant = units.filter(({ inventory }) => {
    const { admitted, hooks } = inventory?.spec ?? {}
    return hooks?.some((h) => h.serial === admitted?.contentSerial && isMeant(h, isAll)) === true
  })
  for (const { inventory } of meant) {
    const asked = { metadata: { annotations: { [RETRY_HOOKS_ANNOTATION]: isAll ? 'All' : 'Failed' } } }
    const done = await hub.client.patch(inventoryKind, inventory!.metadata, asked, {
      ...{ why: 'user', manager: CLI_MANAGER, signal: c.signal, fence: 'any' },
    })
    if (!done.ok && done.error.kind !== 'NotFound') return requestFailure(done.error, hub.server)
  }
  const module = units[0]?.module
  if (!module) return { ok: true, value: 0 }
  const { haltedAt, refused } = module.status?.rollout ?? {}
  const isHalted = haltedAt !== undefined || refused !== undefined
  const kind = kindOfObject(module.apiVersion, module.kind)!
  const told = meant.length > 0 || isHalted ? await tell(c, hub, kind as Kind<Module>, module) : undefined
  if (told && !told.ok) return requestFailure(told.error, hub.server)
  const name = nameOf(kind, module.metadata.name)
  if (!printObjects(c, [{ kind, object: told?.value ?? module }]))
    c.terminal.print(fit(c.terminal.look, `${name}: ${sentenceOf(meant, isHalted)}`))
  return { ok: true, value: 0 }
}

const isMeant = ({ state }: HookRecord, isAll: boolean): boolean =>
  state === 'Failed' || (isAll && state === 'Succeeded')

const tell = (c: Context, hub: Hub, kind: Kind<Module>, { metadata }: Stored<Module>) =>
  hub.client.patch(
    kind,
    metadata,
    // Two requests within a second are two requests.
    { metadata: { annotations: { [RETRY_ANNOTATION]: preciseTimestamp(c.env.clock.now()) } } },
    { why: 'user', manager: CLI_MANAGER, signal: c.signal, fence: 'any' },
  )

function sentenceOf(meant: readonly Unit[], isHalted: boolean): string {
  if (meant.length === 0 && !isHalted) return 'nothing of it has failed; nothing is tried again'
  const clusters = meant.map((u) => u.cluster)
  const hooks =
    meant.length > 0 ? [`hooks run again on ${plural(meant.length, 'cluster')} (${some(clusters)})`] : []
  const goesOn = isHalted ? ['its rollout goes on once what failed is under way'] : []
  return [...hooks, ...goesOn].join('; ')
}

const some = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
