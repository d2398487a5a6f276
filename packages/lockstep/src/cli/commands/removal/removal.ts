import { ok, type Result } from '@lockstep/kube/env'
import type { JsonValue, Kind, Stored } from '@lockstep/kube/object'
import { bootstrapModuleKind, type Module, moduleKind, type OwnKind, SET } from '../../../api/kinds/index.ts'
import { ALLOW_REMOVAL_ANNOTATION, CLI_MANAGER } from '../../../api/labels.ts'
import { nextAllowance } from '../../../controllers/module/index.ts'
import { setOf } from '../../../decisions/resourceset/index.ts'
import { type HubConnection, listAll, notFound, openHub } from '../../kit/hub/index.ts'
import {
  type CliFailure,
  type Command,
  type CommandContext,
  type CommandResult,
  failed,
  isSet,
  nameOf,
  requestFailure,
} from '../../kit/index.ts'
import { printObjects } from '../../kit/output/index.ts'
import { fit, nearest } from '../../kit/terminal/index.ts'
import { REMOVAL_ACTIONS, type RemovalAction } from '../../kit/topics/index.ts'

/** A Module with its kind. */
interface Found {
  readonly kind: OwnKind
  readonly module: Stored<Module>
}

interface ActionRules {
  /** Patch for the current version of the Module. */
  patch(module: Stored<Module>): JsonValue
  readonly text: string
}

const ACTIONS: Readonly<Record<RemovalAction, ActionRules>> = {
  allow: {
    patch: (m) => ({ metadata: { annotations: { [ALLOW_REMOVAL_ANNOTATION]: nextAllowance(m) } } }),
    text: 'removal allowed; its objects are deleted, dependents first',
  },
  orphan: {
    patch: () => ({ spec: { apply: { deletionPolicy: 'Orphan' } } }),
    text: 'spec.apply.deletionPolicy is Orphan; its objects stay, unmanaged',
  },
}

const ALL = { flags: '--all', text: 'all Modules of the namespace that wait for a removal' }

/** `lockstep removal`. */
export const removalCommand: Command = {
  name: 'removal',
  summary: 'Decide on removals that were held back as too large',
  arguments: '<action> [modules...]',
  completes: ['removalAction', 'module'],
  detail:
    'Removals are held back (RemovalTooLarge) at two limits: clusters that a change deselects (lockstep controller --max-removal), and units of the whole hub. The second is half of the units, and at least 24, within 10 minutes. The action decides on Modules that wait.',
  actions: [
    {
      name: 'allow',
      summary: 'Delete the objects on the clusters, within the limits of the rollout',
      arguments: '[modules...]',
      detail:
        'Writes the annotation lockstep.dev/allow-removal. It is good once, and for the spec of the Module as it is now.',
      options: [ALL],
      examples: [['Allow the removal of all Modules that wait here', 'removal allow --all']],
    },
    {
      name: 'orphan',
      summary: 'Keep the objects on the clusters, unmanaged',
      arguments: '[modules...]',
      detail: 'Sets spec.apply.deletionPolicy: Orphan.',
      options: [ALL],
      examples: [['Keep the objects of all Modules that wait here', 'removal orphan --all']],
    },
  ],
  options: [ALL],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Allow the removal of all Modules that wait', 'removal allow --all -n platform'],
    ['Keep the objects of all Modules that wait', 'removal orphan --all -n platform'],
  ],
  async run(c, args, flags) {
    const [word = '', ...names] = args
    const action = REMOVAL_ACTIONS.find((a) => a === word)
    if (!action) {
      const meant = nearest(word, REMOVAL_ACTIONS)
      return failed('E_USAGE', {
        problem: `unknown action "${word}"`,
        suggestion: meant ? `did you mean ${meant}?` : `actions: ${REMOVAL_ACTIONS.join(', ')}.`,
      })
    }
    if (isSet(flags, 'all') === names.length > 0)
      return failed('E_USAGE', {
        problem: names.length > 0 ? '--all and names exclude each other' : 'name the Modules, or use --all',
        suggestion: `for example: lockstep removal ${action} --all`,
      })
    const hub = await openHub(c)
    if (!hub.ok) return hub
    const found = await modulesOf(c, hub.value, names)
    if (!found.ok) return found
    const refused = refusalOf(found.value, action)
    if (refused) return refused
    const written: Found[] = []
    for (const f of found.value) {
      const done = await write(c, hub.value, f, action)
      if (!done.ok) return done
      written.push(done.value)
    }
    if (
      printObjects(
        c,
        written.map(({ kind, module: object }) => ({ kind, object })),
      )
    )
      return { ok: true, value: 0 }
    const { text } = ACTIONS[action]
    for (const { kind, module } of written)
      c.terminal.print(fit(c.terminal.look, `${nameOf(kind, module.metadata.name)}: ${text}`))
    if (written.length === 0)
      c.terminal.print(`No Module of namespace ${hub.value.namespace} waits for a removal.`)
    return { ok: true, value: 0 }
  },
}

/** Those of these names, or all that wait. */
async function modulesOf(
  c: CommandContext,
  hub: HubConnection,
  names: readonly string[],
): Promise<Result<Found[], CliFailure>> {
  const all: Found[] = []
  for (const kind of [moduleKind, bootstrapModuleKind]) {
    const listed = await listAll<Module>(c, hub, kind as Kind<Module>, { namespace: hub.namespace })
    if (!listed.ok) return listed
    all.push(...listed.value.map((module) => ({ kind, module })))
  }
  if (names.length === 0) return ok(all.filter(isWaiting))
  const missing = names.find((name) => !all.some((f) => f.module.metadata.name === name))
  if (missing !== undefined) return notFound(c, hub, moduleKind, missing)
  return ok(all.filter((f) => names.includes(f.module.metadata.name)))
}

/** A deletion, or a held deselection. */
const isWaiting = ({ module: { metadata, status } }: Found): boolean =>
  metadata.deletionTimestamp !== undefined ||
  (status?.blockers ?? []).some((b) => b.reason === 'RemovalTooLarge')

/** Before anything is written. */
function refusalOf(found: readonly Found[], action: RemovalAction): CommandResult | undefined {
  const idle = found.find((f) => !isWaiting(f))
  const refused = ({ kind, module }: Found, problem: string, suggestion: string): CommandResult =>
    failed(
      'E_REFUSED',
      { ref: nameOf(kind, module.metadata.name), problem, suggestion },
      {},
      'Nothing was changed.',
    )
  if (idle)
    return refused(
      idle,
      'no removal of its units waits',
      `lockstep status ${idle.module.metadata.name} shows its state`,
    )
  const ofSet = found.find((f) => action === 'orphan' && setOf(f.module.metadata) !== undefined)
  if (!ofSet) return undefined
  const set = setOf(ofSet.module.metadata)!.name
  return refused(
    ofSet,
    `its spec is that of ClusterResourceSet ${set}`,
    `kubectl annotate clusterresourceset ${set} ${SET.deletionPolicy}=Orphan`,
  )
}

const TRIES = 10

/** Patches the version that was read, as an allowance is for one spec. */
async function write(
  c: CommandContext,
  hub: HubConnection,
  { kind, module }: Found,
  action: RemovalAction,
): Promise<Result<Found, CliFailure>> {
  const { uid, name, namespace } = module.metadata
  const key = { namespace, name }
  const how = { purpose: 'user', signal: c.signal } as const
  for (let now = module, tries = 1; ; tries++) {
    const { resourceVersion } = now.metadata
    const done = await hub.client.patch<Module>(kind as Kind<Module>, key, ACTIONS[action].patch(now), {
      ...how,
      manager: CLI_MANAGER,
      precondition: { uid, resourceVersion },
    })
    if (done.ok) return ok({ kind, module: done.value })
    if (done.error.kind === 'NotFound') return ok({ kind, module: now })
    if (done.error.kind !== 'FenceLost' || tries === TRIES) return requestFailure(done.error, hub.server)
    const read = await hub.client.get<Module>(kind as Kind<Module>, key, how)
    if (!read.ok) return requestFailure(read.error, hub.server)
    now = read.value
  }
}
