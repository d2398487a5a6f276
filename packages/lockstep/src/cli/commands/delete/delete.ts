import { type Key, type Kind, keyOf, keyText } from '@lockstep/kube/object'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { parseSources, readSources } from '../../kit/documents/index.ts'
import { type HubConnection, notFound, openHub } from '../../kit/hub/index.ts'
import {
  CLUSTERS,
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

/** `lockstep delete`. */
export const deleteCommand: Command = {
  name: 'delete',
  summary: 'Delete Lockstep resources',
  arguments: '[kind] [name]',
  completes: ['ownKind', 'name'],
  detail:
    'A Module stays until what it delivered is gone from every cluster, dependants first; lockstep status MODULE shows how far that is. Objects are kept where spec.apply.deletionPolicy is Orphan. With --orphan it does not wait for the clusters named, which cannot be worked on: what is there stays, also when they come back, and lockstep get inventories lists it as orphaned. That needs the rights to delete and to patch the module, which may be on its way out already.',
  options: [
    {
      flags: '-f, --filename <path>',
      completes: 'file',
      text: 'what these files name; may be repeated',
      repeats: true,
    },
    {
      flags: '--orphan <clusters>',
      completes: 'cluster',
      text: 'clusters that cannot be reached, and that it leaves as they are; with commas',
    },
    { flags: '--dry-run <where>', text: 'check only', choices: ['none', 'server'], default: 'none' },
  ],
  formats: ['table', 'name'],
  examples: [
    ['One module, and what it delivered', 'delete module monitoring -n platform'],
    ['Without a cluster that does not come back', 'delete module shop --orphan prod-us -n platform'],
    ['Everything that a folder names', 'delete -n platform -f examples/platform/v1'],
  ],
  async run(c, args, flags) {
    const paths = listFlag(flags, 'filename')
    const isDry = flags.dryRun === 'server'
    if (paths.length > 0 === args.length > 0)
      return failed('E_USAGE', {
        problem: 'name what to delete: KIND NAME, or -f',
        suggestion: 'For example lockstep delete module web.',
      })
    const orphans = namesOf(textFlag(flags, 'orphan'))
    if (orphans && (orphans.length === 0 || paths.length > 0))
      return failed('E_USAGE', {
        problem: paths.length > 0 ? '--orphan is for one module, not for files' : '--orphan names no cluster',
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
        problem: 'a cluster is a Secret of the platform: it is not deleted here',
        suggestion: `kubectl delete secret ${args[1]}`,
      })
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const key = { namespace: hub.value.namespace, name: args[1] }
    const served = await findServedKind(c, hub.value, kind.value)
    if (!served.ok) return served
    const done = orphans
      ? await deleteWithOrphans(c, hub.value, served.value, key, orphans, isDry)
      : await deleteOne(c, hub.value, served.value, key, isDry)
    if (done === 'absent') return notFound(c, hub.value, served.value, args[1])
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
  for (const d of ordered) {
    const done = await deleteOne(c, hub.value, d.kind, keyOf(d.object), isDry)
    if (done === 'absent') c.terminal.talk(`${nameOf(d.kind, keyOf(d.object).name)} is not there`)
    else if (!done.ok) return done
  }
  return { ok: true, value: 0 }
}

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
