import type { Stored } from '@lockstep/kube/object'
import type { OwnKind } from '../../../api/kinds/index.ts'
import { groupOf } from '../../../controllers/publish/index.ts'
import { setOf } from '../../../decisions/resourceset/index.ts'
import { getClusters } from '../../kit/clusters/index.ts'
import { type HubConnection, listAll, noneText, notFound, openHub } from '../../kit/hub/index.ts'
import {
  CLUSTERS,
  type Command,
  type CommandContext,
  type CommandResult,
  kindOfWord,
  nameOf,
  requestFailure,
} from '../../kit/index.ts'
import {
  forPrograms,
  listOf,
  objectRows,
  printData,
  printObjects,
  printTable,
} from '../../kit/output/index.ts'
import { findServedKind, isSets, showSets } from '../../kit/sets/index.ts'

/** `lockstep get`. */
export const getCommand: Command = {
  name: 'get',
  summary: 'List resources',
  arguments: '<kind> [name]',
  completes: ['kind', 'name'],
  selects: ['allNamespaces', 'selector'],
  detail:
    'KIND: modules (mod), bootstrapmodules (bmod), inventories (inv), remoteassemblages (rasm), clusters; of Cluster API clusterresourcesets (crs) and clusterresourcesetbindings (crsb), in the version that the hub serves.',
  examples: [
    ['List the Modules of a namespace', 'get modules -n platform'],
    ['Print one Module as YAML', 'get module monitoring -n platform -o yaml'],
    ['List the clusters of the fleet', 'get clusters -n platform'],
    ['List units in all namespaces, with whole cells', 'get inventories -A -o wide'],
  ],
  async run(c, args) {
    const kind = kindOfWord(args[0] ?? '')
    if (!kind.ok) return kind
    const hub = await openHub(c)
    if (!hub.ok) return hub
    if (kind.value === CLUSTERS) return getClusters(c, hub.value, args[1])
    const served = await findServedKind(c, hub.value, kind.value)
    if (!served.ok) return served
    return args[1] === undefined
      ? getList(c, hub.value, served.value)
      : getOne(c, hub.value, served.value, args[1])
  },
}

const scopeOf = (c: CommandContext, hub: HubConnection) => ({
  ...(c.globals.allNamespaces ? {} : { namespace: hub.namespace }),
  ...(c.globals.selector ? { labelSelector: c.globals.selector } : {}),
})

async function getList(c: CommandContext, hub: HubConnection, kind: OwnKind): Promise<CommandResult> {
  const found = await listAll(c, hub, kind, scopeOf(c, hub))
  if (!found.ok) return found
  const objects = found.value
  const names = objects.map((o) => nameOf(kind, o.metadata.name))
  if (printData(c, listOf(objects.map(forPrograms)), names)) return { ok: true, value: 0 }
  if (objects.length === 0) {
    c.terminal.talk(noneText(c, hub, kind.plural))
    return { ok: true, value: 0 }
  }
  await show(c, hub, kind, objects)
  return { ok: true, value: 0 }
}

async function getOne(
  c: CommandContext,
  hub: HubConnection,
  kind: OwnKind,
  name: string,
): Promise<CommandResult> {
  const key = { namespace: hub.namespace, name }
  const found = await hub.client.get(kind, key, { purpose: 'user', signal: c.signal })
  if (!found.ok && found.error.kind === 'NotFound') return notFound(c, hub, kind, name)
  if (!found.ok) return requestFailure(found.error, hub.server)
  if (printObjects(c, [{ kind, object: found.value }])) return { ok: true, value: 0 }
  await show(c, hub, kind, [found.value])
  return { ok: true, value: 0 }
}

/** Modules that nobody edits: what they are to be is asked for elsewhere. */
const ofSets = (objects: readonly Stored[]): string[] =>
  objects.flatMap(({ metadata }) => {
    const set = setOf(metadata)
    if (set) return [`${metadata.name} is managed by ClusterResourceSet ${set.name}: change the set instead`]
    const group = groupOf(metadata)
    return group
      ? [`${metadata.name} is managed by Module ${group.name}: change the values of that Module instead`]
      : []
  })

async function show(
  c: CommandContext,
  hub: HubConnection,
  kind: OwnKind,
  objects: readonly Stored[],
): Promise<void> {
  if (isSets(kind)) return showSets(c, hub, kind, objects)
  const view = {
    isWide: c.globals.output === 'wide',
    showNamespace: c.globals.allNamespaces,
    nowMs: c.env.clock.now(),
  }
  printTable(c, objectRows(kind, objects, view))
  for (const text of ofSets(objects)) c.terminal.talk(text)
}
