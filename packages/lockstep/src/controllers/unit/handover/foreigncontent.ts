/** Objects that no unit delivered, in a Namespace or of a kind: the deletion of the Namespace or the definition would delete them. */
import { isTransient, type RequestError, type ServedResource } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { defineKind, type KubeObject, type Stored } from '@lockstep/kube/object'
import type { InventoryObject } from '../../../api/kinds/index.ts'
import { UNIT_LABEL } from '../../../api/labels.ts'
import type { ClusterSession, LiveObject } from '../../../fleet/connection/index.ts'
import type { HubCaches } from '../../cache/index.ts'
import type { UnitScope } from '../unitscope.ts'

/** `ConfigMap precious`, and how many more of its kind. */
export interface ForeignContent {
  readonly first: string
  readonly more: number
}

export const contentText = ({ first, more }: ForeignContent): string =>
  more > 0 ? `${first} and ${more} more` : first

/** The unit, and how its cluster is read. */
export interface ContentScope extends Pick<UnitScope, 'ref' | 'cluster' | 'inventory'> {
  readonly session: Pick<ClusterSession, 'client' | 'resources'>
}

/** A Namespace or a definition, as it is on the cluster. */
interface Contained {
  readonly entry: InventoryObject
  readonly live: LiveObject | undefined
}

/** Objects that controllers of a cluster make in every Namespace, or that end by themselves. */
const TRANSIENT_KINDS: ReadonlySet<string> = new Set([
  '/Event',
  '/Endpoints',
  'events.k8s.io/Event',
  'discovery.k8s.io/EndpointSlice',
  'coordination.k8s.io/Lease',
])
const GIVEN: ReadonlySet<string> = new Set(['/ServiceAccount default', '/ConfigMap kube-root-ca.crt'])
const TOKEN_OF = 'kubernetes.io/service-account.name'

/**
 * One list of metadata for each kind, until the first find. A kind that the account may not list counts as empty. Undefined: the
 * unit is alone.
 */
export async function foreignContent(
  scope: ContentScope,
  { entry, live }: Contained,
  hub: Pick<HubCaches, 'inventories'>,
): Promise<Result<ForeignContent | undefined, RequestError>> {
  const sets = statefulSets(scope, hub)
  for (const resource of listedResources(scope, entry, live)) {
    const namespace = entry.kind === 'Namespace' ? { namespace: entry.name } : {}
    const found = await scope.session.client.list<KubeObject>(defineKind(resource), {
      ...namespace,
      fields: 'metadata',
      purpose: 'prune',
    })
    if (!found.ok && isTransient(found.error)) return found
    const foreign = found.ok ? found.value.items.filter((o) => isForeign(resource, o, sets)) : []
    if (foreign[0])
      return ok({ first: `${resource.kind} ${foreign[0].metadata.name}`, more: foreign.length - 1 })
  }
  return ok(undefined)
}

type Listed = Pick<ServedResource, 'group' | 'version' | 'kind' | 'plural' | 'namespaced'>

function listedResources(
  { session }: ContentScope,
  entry: InventoryObject,
  live: LiveObject | undefined,
): readonly Listed[] {
  if (entry.kind === 'Namespace')
    return session.resources.filter(
      (r) => r.namespaced && r.verbs.includes('list') && !TRANSIENT_KINDS.has(`${r.group}/${r.kind}`),
    )
  return live ? definedResource(live.object.spec) : []
}

/** Read from the definition itself: discovery is not repeated for a kind that no delivery misses. */
function definedResource(spec: unknown): readonly Listed[] {
  const { group, scope, names, versions } = (spec ?? {}) as DefinitionSpec
  const version = versions?.find((v) => v.served)?.name
  if (!(group && names && version)) return []
  return [{ group, version, kind: names.kind, plural: names.plural, namespaced: scope === 'Namespaced' }]
}

interface DefinitionSpec {
  readonly group?: string
  readonly scope?: string
  readonly names?: { readonly kind: string; readonly plural: string }
  readonly versions?: readonly { readonly name: string; readonly served: boolean }[]
}

/** An object without a uid is computed for each request, such as metrics of Pods. */
function isForeign({ group, kind }: Listed, { metadata }: Stored, sets: readonly string[]): boolean {
  const { uid, name, namespace, labels, annotations, ownerReferences, deletionTimestamp } = metadata
  if (!uid || deletionTimestamp !== undefined || labels?.[UNIT_LABEL] !== undefined) return false
  if ((ownerReferences ?? []).length > 0 || GIVEN.has(`${group}/${kind} ${name}`)) return false
  if (kind === 'Secret' && annotations?.[TOKEN_OF] !== undefined) return false
  return !(kind === 'PersistentVolumeClaim' && sets.some((set) => isClaimOf(set, `${namespace}/${name}`)))
}

/** `TEMPLATE-SET-ORDINAL` in the Namespace of the set. */
const isClaimOf = (set: string, claim: string): boolean => {
  const slash = set.indexOf('/')
  const ordinal = claim.slice(claim.lastIndexOf('-') + 1)
  const head = claim.slice(0, claim.length - ordinal.length - 1)
  return (
    /^\d+$/.test(ordinal) &&
    head.startsWith(set.slice(0, slash + 1)) &&
    head.endsWith(`-${set.slice(slash + 1)}`)
  )
}

/** StatefulSets of all units of the cluster, as `namespace/name`, also deleted ones that an Inventory still lists. */
function statefulSets(
  { ref, cluster, inventory }: ContentScope,
  hub: Pick<HubCaches, 'inventories'>,
): string[] {
  const others = hub.inventories.store.by('cluster', `${ref.namespace}/${cluster.name}`)
  const objects = [inventory, ...others].flatMap((i) => i.spec.objects ?? [])
  return objects.flatMap((o) => (o.kind === 'StatefulSet' ? [`${o.namespace}/${o.name}`] : []))
}
