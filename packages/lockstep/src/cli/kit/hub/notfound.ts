/** Messages for objects that the hub does not have. */
import type { OwnKind } from '../../../api/kinds/index.ts'
import { type CommandContext, type CommandResult, failed } from '../index.ts'
import { nearest } from '../terminal/index.ts'
import { type HubConnection, listAll } from './hub.ts'

/** As kubectl says it, with the namespace that was looked in. */
export const noneText = (c: CommandContext, hub: HubConnection, plural: string): string =>
  c.globals.allNamespaces ? `No ${plural} found` : `No ${plural} found in namespace ${hub.namespace}`

/** Says which name was probably meant. */
export async function notFound(
  c: CommandContext,
  hub: HubConnection,
  kind: OwnKind,
  name: string,
): Promise<CommandResult & { ok: false }> {
  const all = await listAll(c, hub, kind, { namespace: hub.namespace })
  const names = all.ok ? all.value.map((o) => o.metadata.name) : []
  const meant = nearest(name, names)
  const some = names.slice(0, 8).join(', ')
  const suggestion = meant
    ? `did you mean ${meant}?`
    : names.length > 0
      ? `${kind.plural}: ${some}${names.length > 8 ? ', …' : ''}`
      : `namespace ${hub.namespace} has none; choose a namespace with -n`
  return failed('E_NOT_FOUND', { kind: kind.kind, name, namespace: hub.namespace, suggestion })
}
