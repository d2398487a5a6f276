import { ok, type Result } from '@lockstep/kube/env'
import { type Key, type Kind, keyOf, keyText } from '@lockstep/kube/object'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { ownKinds } from '../../../api/registry.ts'
import { parseSources, readSources } from '../../kit/documents/index.ts'
import { type HubConnection, notFound, openHub } from '../../kit/hub/index.ts'
import {
  CLUSTERS,
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  failed,
  kindOfWord,
  listFlag,
  nameOf,
  requestFailure,
  textFlag,
} from '../../kit/index.ts'
import { findServedKind } from '../../kit/sets/index.ts'
import { fit } from '../../kit/terminal/index.ts'
import { deleteWithOrphans } from './deletewithorphans.ts'
import { type RemovalPrinter, removalPrinter } from './removalprinter.ts'

/** `lockstep delete`. */
export const deleteCommand: Command = {
  name: 'delete',
  summary: 'Delete Lockstep resources',
  arguments: '[kind] [name]',
  completes: ['ownKind', 'name'],
  detail:
    'A Module exists until its objects are deleted on every cluster, dependents first; see lockstep status MODULE. With spec.apply.deletionPolicy: Orphan the objects stay. With --orphan the deletion does not wait for the named clusters, which must be unreachable. Their objects stay, unmanaged, also when the clusters return. The command lockstep get inventories lists them as orphaned. The flag requires the rights to delete and patch the Module, which may be terminating.',
  options: [
    {
      flags: '-f, --filename <path>',
      completes: 'file',
      text: 'file with objects to delete; may be repeated',
      repeats: true,
    },
    {
      flags: '--orphan <clusters>',
      completes: 'cluster',
      text: 'unreachable clusters whose objects stay; separated by commas',
    },
    {
      flags: '--dry-run <where>',
      text: 'check only; server: list what happens to the objects',
      choices: ['none', 'server'],
      default: 'none',
    },
  ],
  formats: ['table', 'name'],
  examples: [
    ['Delete a Module and its objects', 'delete module monitoring -n platform'],
    ['Delete a Module without a lost cluster', 'delete module shop --orphan prod-us -n platform'],
    ['Delete all objects in a folder', 'delete -n platform -f examples/platform/v1'],
  ],
  async run(c, args, flags) {
    const paths = listFlag(flags, 'filename')
    const isDry = flags.dryRun === 'server'
    if (paths.length > 0 === args.length > 0)
      return failed('E_USAGE', {
        problem: 'name the object to delete: KIND NAME, or -f',
        suggestion: 'for example: lockstep delete module web',
      })
    const orphans = namesOf(textFlag(flags, 'orphan'))
    if (orphans && (orphans.length === 0 || paths.length > 0))
      return failed('E_USAGE', {
        problem: paths.length > 0 ? '--orphan requires one Module, not files' : '--orphan names no cluster',
        suggestion: 'lockstep delete module NAME --orphan CLUSTER,CLUSTER',
      })
    if (paths.length > 0) return deleteFiles(c, paths, isDry)
    const kind = kindOfWord(args[0]!)
    if (!kind.ok) return kind
    if (args[1] === undefined)
      return failed('E_USAGE', {
        problem: `which ${args[0]}?`,
        suggestion: `lockstep delete ${args[0]} NAME`,
      })
    if (kind.value === CLUSTERS)
      return failed('E_USAGE', {
        problem: 'a cluster is a Secret of the platform and is not deleted by Lockstep',
        suggestion: `kubectl delete secret ${args[1]}`,
      })
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const key = { namespace: hub.value.namespace, name: args[1] }
    const served = await findServedKind(c, hub.value, kind.value)
    if (!served.ok) return served
    const printer = await printerOf(c, hub.value, isDry && !orphans ? [{ kind: served.value, key }] : [])
    if (!printer.ok) return printer
    const done = orphans
      ? await deleteWithOrphans(c, hub.value, served.value, key, orphans, isDry)
      : await deleteOne(c, hub.value, served.value, key, isDry)
    if (done === 'absent') return notFound(c, hub.value, served.value, args[1])
    if (done.ok) await printer.value?.({ kind: served.value.kind, ...key })
    return done
  },
}

const namesOf = (text: string | undefined): string[] | undefined =>
  text
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

async function deleteFiles(
  c: CommandContext,
  paths: readonly string[],
  isDry: boolean,
): Promise<CommandResult> {
  const sources = await readSources(c, paths)
  if (!sources.ok) return sources
  const hub = await openHub(c)
  if (!hub.ok) return hub
  const parsed = parseSources(sources.value, hub.value.namespace)
  const [first] = parsed.failures
  if (first) return { ok: false, error: { ...first, aftermath: 'Nothing was changed.' } }
  // The reverse of how they are applied: a namespace goes after what is in it.
  const isSpace = (k: Kind): boolean => k.kind === 'Namespace'
  const reversed = [...parsed.documents].reverse()
  const ordered = [...reversed.filter((d) => !isSpace(d.kind)), ...reversed.filter((d) => isSpace(d.kind))]
  const all = ordered.map((d) => ({ kind: d.kind, key: keyOf(d.object) }))
  const printer = await printerOf(c, hub.value, isDry ? all : [])
  if (!printer.ok) return printer
  for (const d of ordered) {
    const done = await deleteOne(c, hub.value, d.kind, keyOf(d.object), isDry)
    if (done === 'absent') c.terminal.talk(`${nameOf(d.kind, keyOf(d.object).name)} does not exist`)
    else if (!done.ok) return done
    else if (isModule(d.kind))
      await printer.value?.({ kind: d.kind.kind, ...namespaced(keyOf(d.object), hub.value) })
  }
  return { ok: true, value: 0 }
}

/** Undefined: no Module is among them, or programs read the output. */
async function printerOf(
  c: CommandContext,
  hub: HubConnection,
  deleted: readonly { readonly kind: Kind; readonly key: Key }[],
): Promise<Result<RemovalPrinter | undefined, CliFailure>> {
  const modules = deleted.filter(({ kind }) => isModule(kind))
  if (modules.length === 0 || c.globals.output === 'name') return ok(undefined)
  return removalPrinter(
    c,
    hub,
    modules.map(({ kind, key }) => ({ kind: kind.kind, ...namespaced(key, hub) })),
  )
}

const isModule = (kind: Kind): boolean =>
  ownKinds.some((k) => k.sourced === true && k.group === kind.group && k.kind === kind.kind)

const namespaced = ({ namespace, name }: Key, hub: HubConnection) => ({
  namespace: namespace ?? hub.namespace,
  name,
})

async function deleteOne(
  c: CommandContext,
  hub: HubConnection,
  kind: Kind,
  key: Key,
  isDry: boolean,
): Promise<CommandResult | 'absent'> {
  const done = await hub.client.delete(kind, key, {
    purpose: 'user',
    manager: CLI_MANAGER,
    signal: c.signal,
    precondition: 'any',
    dryRun: isDry,
  })
  if (!done.ok && done.error.kind === 'NotFound') return 'absent'
  if (!done.ok) return requestFailure(done.error, hub.server)
  const name = nameOf(kind, key.name)
  if (c.globals.output === 'name') c.terminal.data(`${name}\n`)
  else
    c.terminal.print(
      fit(
        c.terminal.look,
        `${name} ${isDry ? 'would be deleted (server dry run)' : await goneText(c, hub, kind, key)}`,
      ),
    )
  return { ok: true, value: 0 }
}

/** Something with finalizers is not gone yet when the request ends. */
async function goneText(c: CommandContext, hub: HubConnection, kind: Kind, key: Key): Promise<string> {
  const left = await hub.client.get(kind, key, { purpose: 'user', signal: c.signal })
  if (!left.ok) return 'deleted'
  const name = keyText({ name: key.name })
  return kind.group === 'lockstep.dev' ? `is being deleted (lockstep status ${name})` : 'is being deleted'
}
