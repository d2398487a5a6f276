import { at } from '@lockstep/kube/object'
import { isProtected, sharedCrds } from '../../../api/crd/index.ts'
import { CONFIRM_DELETION_ANNOTATION, SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { PROFILES } from '../../../api/rights.ts'
import { type HubConnection, openHub } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  failed,
  isSet,
  nameOf,
} from '../../kit/index.ts'
import { installManifests } from '../../kit/install/index.ts'
import { printData } from '../../kit/output/index.ts'
import { handBackAll } from '../../kit/sets/index.ts'
import { fit, plural, textTable } from '../../kit/terminal/index.ts'
import {
  currentLeader,
  deletedWithDefinitions,
  managedNamespaces,
  readManagedObjects,
} from './managedobjects.ts'
import { setsToHandBack, uninstallBlockers } from './uninstallblockers.ts'
import {
  bundlesOn,
  type InstalledObject,
  installedOn,
  type RemovedObject,
  removedObject,
  removeInstalled,
  uninstallReport,
} from './uninstallreport.ts'

/** `lockstep uninstall`. */
export const uninstallCommand: Command = {
  name: 'uninstall',
  summary: 'Uninstall Lockstep from the hub',
  detail:
    'Lists the objects to delete: controller, definitions, namespace lockstep-system, RBAC, policies. With --yes, hands managed ClusterResourceSets back to Cluster API, confirms the deletion of definitions with annotation lockstep.dev/confirm-deletion, and deletes all. Refused with exit 1 while Modules are deployed, Inventories exist, or a set cannot be handed back. Clusters are not changed; their namespace lockstep-system stays, empty.',
  options: [
    { flags: '--dry-run', text: 'list the objects, and check on the hub that each may be deleted (default)' },
    { flags: '--yes', text: 'delete the objects' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['List the objects to delete', 'uninstall --dry-run'],
    ['Uninstall Lockstep', 'uninstall --yes'],
  ],
  async run(c, _args, flags) {
    if (isSet(flags, 'yes') && isSet(flags, 'dryRun'))
      return failed('E_USAGE', {
        problem: '--yes and --dry-run exclude each other',
        suggestion: 'without --yes nothing is changed',
      })
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const isMeant = isSet(flags, 'yes')
    let aftermath = 'Nothing was changed.'
    let managed = await readManagedObjects(c, hub.value)
    if (!managed.ok) return managed
    const sets = setsToHandBack(managed.value)
    if (isMeant && sets.length > 0) {
      const handed = await handBackAll(c, HAND_BACK_TIMEOUT)
      if (!handed.ok) return handed
      aftermath = `Handed ${plural(handed.value, 'ClusterResourceSet')} back to Cluster API. Nothing else was changed.`
      say(c, `Handed ${plural(handed.value, 'ClusterResourceSet')} back to Cluster API.`)
      managed = await readManagedObjects(c, hub.value)
      if (!managed.ok) return managed
    }
    const keeps = uninstallBlockers(managed.value)
    if (keeps.length > 0 && (isMeant || sets.length === 0)) return refusal(hub.value, keeps, aftermath)
    const found = await inOrder(c, hub.value, managed.value.isOwnDefinition)
    if (!found.ok) return found
    return isMeant ? takeAway(c, hub.value, found.value) : propose(c, hub.value, found.value, sets.length)
  },
}

/** The controllers of Lockstep and Cluster API each write a few objects in it. */
const HAND_BACK_TIMEOUT = { given: '60s', ms: 60_000 }

const say = (c: CommandContext, text: string): void => c.terminal.talk(fit(c.terminal.look, text))

function refusal(
  { server }: HubConnection,
  keeps: ReturnType<typeof uninstallBlockers>,
  aftermath: string,
): CommandResult {
  const failures = keeps.map(({ problem, suggestion }) =>
    failed('E_REFUSED', { ref: server, problem, suggestion }),
  )
  const [last, ...before] = failures.map((f) => f.error).reverse()
  return { ok: false, error: { ...last!, before: before.reverse(), aftermath } }
}

/** Rights go before definitions: what is left of a controller must not take the end of a definition for somebody's wish. */
async function inOrder(c: CommandContext, hub: HubConnection, withSets: boolean) {
  const namespaces = await managedNamespaces(c, hub)
  if (!namespaces.ok) return namespaces
  const manifests = installManifests({
    namespaces: namespaces.value,
    profiles: PROFILES,
    controller: { image: '' },
  }).reverse()
  const isKind = (kind: string) => (o: (typeof manifests)[number]) => o.kind === kind
  const definitions = manifests.filter(isKind('CustomResourceDefinition'))
  const spaces = manifests.filter(isKind('Namespace'))
  const rights = manifests.filter((o) => !definitions.includes(o) && !spaces.includes(o))
  // Namespaces with Modules are those of their users.
  const own = spaces.filter((o) => at(o, 'metadata', 'name') === SYSTEM_NAMESPACE)
  const found = await installedOn(c, hub, [
    ...rights,
    ...definitions,
    ...(withSets ? sharedCrds() : []),
    ...own,
  ])
  if (!found.ok) return found
  const bundles = await bundlesOn(c, hub)
  return bundles.ok ? { ok: true as const, value: [...bundles.value, ...found.value] } : bundles
}

async function propose(
  c: CommandContext,
  hub: HubConnection,
  found: readonly InstalledObject[],
  sets: number,
): Promise<CommandResult> {
  const along = await deletedWithDefinitions(c, hub)
  if (!along.ok) return along
  const done = await removeEach(c, hub, found, true)
  if (done.failure) return { ok: false, error: done.failure }
  show(c, hub, done.removed)
  if (done.removed.every((o) => o.state === 'Kept')) return { ok: true, value: 0 }
  if (sets > 0) say(c, `Handed back to Cluster API before: ${plural(sets, 'ClusterResourceSet')}.`)
  if (along.value.length > 0) say(c, `Deleted with their definitions: ${along.value.join(', ')}.`)
  const leader = await currentLeader(c, hub)
  if (leader !== undefined)
    say(
      c,
      `A controller leads (${leader}) and ends when its Deployment or Lease is deleted. Outside the hub, stop it first.`,
    )
  say(c, 'Nothing was changed. To uninstall: lockstep uninstall --yes')
  return { ok: true, value: 0 }
}

async function takeAway(
  c: CommandContext,
  hub: HubConnection,
  found: readonly InstalledObject[],
): Promise<CommandResult> {
  const { removed, failure } = await removeEach(c, hub, found, false)
  show(c, hub, removed)
  const confirmed = found.slice(0, removed.length).filter(isConfirmed).length
  if (confirmed > 0)
    c.terminal.talk(
      fit(
        c.terminal.look,
        `Confirmed the deletion of ${plural(confirmed, 'definition')} with annotation ${CONFIRM_DELETION_ANNOTATION}.`,
      ),
    )
  if (!failure) return { ok: true, value: 0 }
  const gone = plural(removed.length, 'object')
  return {
    ok: false,
    error: { ...failure, aftermath: `deleted ${gone}; to continue, run lockstep uninstall --yes again` },
  }
}

const isConfirmed = ({ isOurs, found }: InstalledObject): boolean => isOurs && isProtected(found)

/** One after the other, up to the first that cannot be. */
async function removeEach(
  c: CommandContext,
  hub: HubConnection,
  found: readonly InstalledObject[],
  isDry: boolean,
): Promise<{ removed: RemovedObject[]; failure?: CliFailure }> {
  const removed: RemovedObject[] = []
  for (const o of found) {
    if (!o.isOurs) {
      removed.push(removedObject(o, 'Kept'))
      continue
    }
    const done = await removeInstalled(c, hub, o, isDry)
    if (!done.ok) return { removed, failure: done.error }
    removed.push(removedObject(o, done.value))
  }
  return { removed }
}

const WORDS: Readonly<Record<RemovedObject['state'], string>> = {
  Planned: 'would go',
  Deleted: 'deleted',
  Deleting: 'is going',
  Kept: 'stays',
}

function show(c: CommandContext, { server }: HubConnection, objects: readonly RemovedObject[]): void {
  const named = objects.map((o) => {
    const [group = ''] = o.apiVersion.includes('/') ? o.apiVersion.split('/') : []
    return { o, name: nameOf({ group, kind: o.kind }, o.name) }
  })
  const goes = named.filter(({ o }) => o.state !== 'Kept').map(({ name }) => name)
  if (printData(c, uninstallReport.fill({ objects: [...objects] }), goes)) return
  if (goes.length === 0) c.terminal.print(fit(c.terminal.look, `Lockstep is not installed on ${server}.`))
  const rows = objects.map((o) => [o.kind, o.name, WORDS[o.state]])
  for (const line of textTable(rows, { gap: 2, width: c.terminal.look.width })) c.terminal.print(line)
  if (goes.length < objects.length)
    c.terminal.talk(fit(c.terminal.look, 'Other objects have no label app.kubernetes.io/part-of=lockstep.'))
}
