/** `lockstep rollout retry`: what failed is tried again. */
import { type Kind, preciseTimestamp, type Stored, short10 } from '@lockstep/kube/object'
import { type HookRecord, inventoryKind, type Module } from '../../../api/kinds/index.ts'
import { CLI_MANAGER, RETRY_ANNOTATION, RETRY_HOOKS_ANNOTATION } from '../../../api/labels.ts'
import { clustersOfRetry, retryText } from '../../../decisions/rollout/index.ts'
import type { HubConnection } from '../hub/index.ts'
import {
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
  kindOfObject,
  nameOf,
  requestFailure,
  textFlag,
} from '../index.ts'
import { printObjects } from '../output/index.ts'
import { fit, plural } from '../terminal/index.ts'
import { type SelectedUnit, withUnits } from '../units/index.ts'

/** What there is to be tried again. */
interface RetryableFailures {
  /** Units whose hooks run again. */
  readonly hooks: readonly SelectedUnit[]
  /** Clusters whose delivery has failed, of those that are meant. */
  readonly clusters: readonly string[]
  /** The rollout as a whole: halted, or led back. */
  readonly isEnded: boolean
}

export const retryRollout = (c: CommandContext, word: string, flags: Flags): Promise<CommandResult> =>
  withUnits(c, word, flags, async ({ hub, units }) => {
    const cluster = textFlag(flags, 'cluster')
    const module = units[0]?.module
    if (!module) return { ok: true, value: 0 }
    const isAll = isSet(flags, 'hooks')
    const found = failuresOf(module, units, isAll, cluster)
    const { refused } = module.status?.rollout ?? {}
    if (cluster !== undefined && refused !== undefined && found.hooks.length === 0)
      return failed('E_REFUSED', {
        ref: `Module ${module.metadata.name}`,
        problem: `revision ${short10(refused)} was rolled back on all clusters, not only on ${cluster}`,
        suggestion: `to retry on all clusters, use lockstep rollout retry ${module.metadata.name}`,
      })
    return again(c, hub, module, found, { cluster, isAll })
  })

function failuresOf(
  { status }: Stored<Module>,
  units: readonly SelectedUnit[],
  isAll: boolean,
  cluster: string | undefined,
): RetryableFailures {
  const { haltedAt, refused, ledger = [] } = status?.rollout ?? {}
  return {
    hooks: units.filter(({ inventory }) => {
      const { admitted, hooks } = inventory?.spec ?? {}
      return hooks?.some((h) => h.serial === admitted?.contentSerial && isMeant(h, isAll)) === true
    }),
    clusters: ledger
      .filter((e) => e.failed !== undefined && (cluster === undefined || e.cluster === cluster))
      .map((e) => e.cluster),
    isEnded: haltedAt !== undefined || refused !== undefined,
  }
}

const isMeant = ({ state }: HookRecord, isAll: boolean): boolean =>
  state === 'Failed' || (isAll && state === 'Succeeded')

/** Hooks first: the rollout looks whether what failed is under way. */
async function again(
  c: CommandContext,
  hub: HubConnection,
  module: Stored<Module>,
  found: RetryableFailures,
  { cluster, isAll }: { readonly cluster: string | undefined; readonly isAll: boolean },
): Promise<CommandResult> {
  for (const { inventory } of found.hooks) {
    const asked = { metadata: { annotations: { [RETRY_HOOKS_ANNOTATION]: isAll ? 'All' : 'Failed' } } }
    const done = await hub.client.patch(inventoryKind, inventory!.metadata, asked, {
      purpose: 'user',
      manager: CLI_MANAGER,
      signal: c.signal,
      precondition: 'any',
    })
    if (!done.ok && done.error.kind !== 'NotFound') return requestFailure(done.error, hub.server)
  }
  const isAsked =
    found.hooks.length > 0 || found.clusters.length > 0 || (cluster === undefined && found.isEnded)
  const told = isAsked ? await tell(c, hub, module, cluster) : undefined
  if (told && !told.ok) return requestFailure(told.error, hub.server)
  const kind = kindOfObject(module.apiVersion, module.kind)!
  const text = `${nameOf(kind, module.metadata.name)}: ${sentenceOf(found, cluster)}`
  if (!printObjects(c, [{ kind, object: told?.value ?? module }]))
    c.terminal.print(fit(c.terminal.look, text))
  return { ok: true, value: 0 }
}

/** What was asked for other clusters a moment ago is asked for still. */
function tell(
  c: CommandContext,
  hub: HubConnection,
  { apiVersion, kind, metadata, status }: Stored<Module>,
  cluster: string | undefined,
) {
  const open = metadata.annotations?.[RETRY_ANNOTATION]
  const isOpen = open !== undefined && open !== status?.lastHandledRetryAt
  const before = isOpen ? (clustersOfRetry(open) ?? 'all') : []
  const clusters = cluster === undefined || before === 'all' ? [] : [...new Set([...before, cluster])].sort()
  const value = retryText(preciseTimestamp(c.env.clock.now()), clusters)
  return hub.client.patch(
    kindOfObject(apiVersion, kind) as Kind<Module>,
    metadata,
    { metadata: { annotations: { [RETRY_ANNOTATION]: value } } },
    { purpose: 'user', manager: CLI_MANAGER, signal: c.signal, precondition: 'any' },
  )
}

function sentenceOf({ hooks, clusters, isEnded }: RetryableFailures, cluster: string | undefined): string {
  const isAsked = hooks.length > 0 || clusters.length > 0 || (cluster === undefined && isEnded)
  const where = cluster === undefined ? '' : ` on ${cluster}`
  if (!isAsked) return `nothing has failed${where}; nothing was changed`
  const run = `hooks run again on ${plural(hooks.length, 'cluster')} (${some(hooks.map((u) => u.cluster))})`
  const others = clusters.filter((name) => !hooks.some((u) => u.cluster === name))
  const tried = `retrying on ${plural(others.length, 'cluster')} (${some(others)})`
  const goesOn =
    cluster === undefined
      ? 'the rollout resumes when failed clusters deploy again'
      : 'the rollout resumes unless other clusters exceed maxFailed'
  return [
    ...(hooks.length > 0 ? [run] : []),
    ...(others.length > 0 ? [tried] : []),
    ...(isEnded ? [goesOn] : []),
  ].join('; ')
}

const some = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
