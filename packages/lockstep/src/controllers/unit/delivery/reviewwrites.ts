/** Rights of the account on the hub, before the first write of an admission: all objects of a unit, or none. */

import { requestErrorText, type ServedResource } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { identityOf, type ObjectReference } from '@lockstep/kube/object'
import { accessRefusal } from '../../../api/accessrefusal.ts'
import type { AccessRight } from '../../../api/account.ts'
import type { NewBlocker } from '../../../api/blocker.ts'
import type { ModuleSpec } from '../../../api/kinds/index.ts'
import { pruneNext } from '../../../deliver/deletion/index.ts'
import type { DesiredObject, UnitDesiredState } from '../../../deliver/plan/index.ts'
import { desiredWaitRef, entriesOf, objectWaitRef } from '../../../deliver/state/index.ts'
import { servedAs } from '../../../fleet/connection/index.ts'
import { pruneViewOf } from '../prunenode.ts'
import { accountOfUnit, type UnitDeps, type UnitScope } from '../unitscope.ts'

/** Verbs that read an object. */
const READ = ['get', 'list', 'watch']
/** Verbs of a delivery; messages name the first that is missing. */
const DELIVERY = ['create', 'patch', 'delete', ...READ]
/** Verbs without a name: objects of a kind are cached together. */
const OF_ALL: ReadonlySet<string> = new Set(['list', 'watch'])
/** Hooks are created by POST, whose path has no name to authorize. */
const OF_ALL_HOOKS: ReadonlySet<string> = new Set([...OF_ALL, 'create'])
/** Limit of reviews by name. */
const MAX_NAMED = 64

/** An object of the unit that is written or deleted. */
interface TouchedObject {
  readonly on: ReturnType<typeof objectWaitRef>
  readonly rights: readonly AccessRight[]
}

/** Undefined: nothing is refused. On other clusters than the hub the credential of the cluster counts. */
export async function reviewWrites(
  c: UnitDeps,
  scope: UnitScope,
  desired: UnitDesiredState,
  apply: ModuleSpec['apply'],
): Promise<Result<NewBlocker | undefined, string>> {
  const { cluster, memory, inventory, ref } = scope
  const serial = inventory.spec.admitted?.serial
  if (cluster.access.type !== 'Hub' || memory.reviewed === serial) return ok(undefined)
  const touched = [...writtenObjects(scope, desired), ...leavingObjects(c, scope, desired, apply)]
  const account = accountOfUnit(c.hub, ref)
  const { reviews } = c.hub
  const rights = touched.flatMap((o) => o.rights)
  const missing = await reviews.missing(
    account,
    firstOfEach(rights, (r) => keyOf({ ...r, name: undefined })),
  )
  if (!missing.ok) return err(requestErrorText(missing.error))
  const named = firstOfEach(
    rights.filter((r) => reviews.lastRefusal(account, { ...r, name: undefined })),
    keyOf,
  )
  if (named.length <= MAX_NAMED) {
    const left = await reviews.missing(account, named)
    if (!left.ok) return err(requestErrorText(left.error))
  }
  const isRefused = (r: AccessRight): boolean => reviews.lastRefusal(account, r) !== undefined
  const refused = touched.filter((o) => o.rights.some(isRefused))
  const [first] = refused
  if (!first) {
    memory.reviewed = serial
    return ok(undefined)
  }
  const { name: _, ...lacked } = first.rights.find(isRefused)!
  return ok(
    accessRefusal(
      reviews.lastRefusal(account, lacked)!,
      [first.on],
      `${refused.length} of ${touched.length}`,
    ),
  )
}

const keyOf = (r: AccessRight): string => JSON.stringify(r)

const firstOfEach = (rights: readonly AccessRight[], key: (r: AccessRight) => string): AccessRight[] => [
  ...new Map(rights.map((r) => [key(r), r] as const).reverse()).values(),
]

function writtenObjects(
  { cluster }: UnitScope,
  { objects, hooks }: Pick<UnitDesiredState, 'objects' | 'hooks'>,
): TouchedObject[] {
  const touched = (d: DesiredObject | undefined, ofAll: ReadonlySet<string>): TouchedObject[] =>
    d?.resource === undefined
      ? []
      : [{ on: desiredWaitRef(d, cluster.name), rights: rightsTo(d.resource, d.ref, DELIVERY, ofAll) }]
  return [...objects.flatMap((d) => touched(d, OF_ALL)), ...hooks.flatMap((d) => touched(d, OF_ALL_HOOKS))]
}

/** Objects that are not in the bundle any more and exist. */
function leavingObjects(
  c: UnitDeps,
  scope: UnitScope,
  { byId }: UnitDesiredState,
  { prune, dialects }: ModuleSpec['apply'],
): TouchedObject[] {
  const entries = [...entriesOf(scope).values()].filter((o) => prune && !byId.has(identityOf(o)))
  const view = pruneViewOf(c, scope, entries, { leave: 'Prune', isDefined: () => true, dialects })
  const { release } = pruneNext(view)
  return view.entries.flatMap(({ entry, kept }) => {
    const resource = servedAs(scope.session, entry)
    if (!resource || release.includes(entry)) return []
    // Kept objects lose their marks.
    const rights = rightsTo(resource, entry, [kept ? 'patch' : 'delete', ...READ], OF_ALL)
    return [{ on: objectWaitRef(entry, scope.cluster.name), rights }]
  })
}

const rightsTo = (
  { group, plural }: ServedResource,
  { namespace, name }: Pick<ObjectReference, 'namespace' | 'name'>,
  verbs: readonly string[],
  ofAll: ReadonlySet<string>,
): AccessRight[] =>
  verbs.map((verb) => {
    const right = { verb, group, resource: plural, namespace }
    return ofAll.has(verb) ? right : { ...right, name }
  })
