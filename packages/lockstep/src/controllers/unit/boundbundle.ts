/** A bundle as it is on the cluster of a unit, and what is there of it. */

import { expressionRules, ruleFor } from '@lockstep/health/health'
import type { ServedResource } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { type Digest, digestOf, encodeJson, type KubeObject, parseDuration } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Inventory, ModuleSpec } from '../../api/kinds/index.ts'
import { type ModuleRef, unitRef } from '../../decisions/graph/index.ts'
import { type DesiredObject, desiredStateOf, type UnitDesiredState } from '../../deliver/plan/index.ts'
import {
  dataRead,
  desiredWaitRef,
  type RelistedKind,
  relistDelayText,
  textsToRedact,
  type UnitInput,
} from '../../deliver/state/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { namedInputs } from '../../sources/configmap/index.ts'
import {
  type Bundle,
  faultOf,
  type SourceFailure,
  type StoredDigests,
  secretHolder,
} from '../../sources/intake/index.ts'
import type { RevisionRecord } from '../cache/index.ts'
import { isObserved, liveExternalObject } from './externalobjects.ts'
import type { UnitDeps, UnitScope } from './unitscope.ts'
import type { UnitReport } from './unitstatus.ts'

/** A failure of a source as the blocker of its unit: the unit is the reference where the failure has none. */
export const failureBlocker = (
  { reason, on, facts, message }: SourceFailure,
  ref: ModuleRef,
  cluster: string,
): NewBlocker => {
  const refs = on.length > 0 ? on : [unitRef({ to: ref, set: undefined }, cluster)]
  return { reason, on: refs, facts, message }
}

/** What an expression of health, or of an edge, looks at has to be kept. */
export function keepNeededData(
  { session }: UnitScope,
  { objects, hooks, graph }: UnitDesiredState,
  { expressions }: ModuleSpec['health'],
) {
  for (const n of dataRead(graph)) {
    const resource = objects[n]?.resource
    if (resource) session.keepData(resource)
  }
  const rules = expressionRules(expressions).filter((r) => r.needsData)
  if (rules.length === 0) return
  for (const d of [...objects, ...hooks])
    if (d?.resource && ruleFor(rules, d.object)) session.keepData(d.resource)
}

/** Kinds of the unit that its cluster does not let us watch, and whether they are listed in time. */
export function polledOf(
  { session }: UnitScope,
  { desired, apply, steady }: UnitInput,
): UnitReport['polled'] {
  const every = apply.driftInterval
  const listed = new Map<string, RelistedKind>()
  for (const d of [...desired.objects, ...desired.hooks]) {
    if (!d?.resource || !session.polls(d.resource)) continue
    const kind = resourceText(d.resource)
    listed.set(kind, { kind, agoMs: steady - session.objects(d.resource).freshness.lastHeardAt })
  }
  const everyMs = parseDuration(every) ?? Number.POSITIVE_INFINITY
  const overdue = relistDelayText([...listed.values()], everyMs, every)
  return { kinds: [...listed.keys()].sort(), every, ...(overdue === undefined ? {} : { overdue }) }
}

export const resourceText = (r: ServedResource): string =>
  r.group === '' ? r.plural : `${r.plural}.${r.group}`

/** A live object, 'unknown' while the cache of its kind is not complete. */
export function liveAt(scope: UnitScope, d: DesiredObject) {
  if (!d.resource) return undefined
  if (d.options.mode === 'Observe') return liveExternalObject(scope, d)
  const store = scope.session.objects(d.resource)
  const found = store.get(d.ref)
  if (found) return found
  if (store.freshness.state === 'Syncing') return 'unknown' as const
  return isObserved(d) ? liveExternalObject(scope, d) : undefined
}

/** A unit that is rebound over and over forgets what it had long ago. */
const MOST_HIDDEN = 1000

/** Which objects of a bundle may hold values of Secrets: texts of servers about them are withheld. */
export function secretHoldersOf(
  spec: Parameters<typeof namedInputs>[0],
  { holders }: Pick<Bundle, 'holders'>,
): (o: KubeObject) => boolean {
  const isFromSecret = namedInputs(spec).some((i) => i.kind === 'Secret')
  return (o) => isFromSecret || holders?.has(secretHolder(o)) === true
}

/** Binding hashes every manifest: done once for a bundle and what its cluster serves. */
export function bindBundle(
  c: UnitDeps,
  scope: UnitScope,
  revision: RevisionRecord,
  bundle: Bundle,
): Result<UnitDesiredState, SourceFailure> {
  const { session, memory } = scope
  const { ignore, dialects } = revision.spec.apply
  const binding = { namespace: revision.spec.render?.namespace, ignore, dialects }
  const of = `${bundle.digest} ${encodeJson(binding)} ${session.discoveries}`
  if (memory.bound?.of === of) return allowed(scope.cluster, memory.bound.desired)
  const digest = bundle.sensitive
    ? c.content.keys.contentDigester(scope.ref.namespace, scope.inventory.spec.clusterUid, digestsOf(scope))
    : ok(digestOf)
  if (!digest.ok) return digest
  const isSecretHolder = secretHoldersOf(revision.spec, bundle)
  const desired = desiredStateOf(
    bundle.objects,
    { ...binding, isSecretHolder },
    (g, k, v) => session.served(g, k, v),
    digest.value,
  )
  if (!desired.ok) return err(faultOf(desired.error))
  memory.bound = { of, desired: desired.value }
  // What was bound before may still be spoken of.
  const hidden = textsToRedact(bundle.values?.values() ?? [])
  memory.hidden = [...hidden, ...memory.hidden.filter((t) => !hidden.includes(t))].slice(0, MOST_HIDDEN)
  return allowed(scope.cluster, desired.value)
}

/** Who knows the cluster may have been given a part of it only. */
function allowed(
  { name, namespaces, clusterResources }: ClusterView,
  desired: UnitDesiredState,
): Result<UnitDesiredState, SourceFailure> {
  for (const d of namespaces ? [...desired.objects, ...desired.hooks] : []) {
    if (!d) continue
    const { namespace } = d.ref
    if (namespace === undefined ? clusterResources : namespaces!.includes(namespace)) continue
    const facts = { namespaces: namespaces!, ...(namespace === undefined ? {} : { namespace }) }
    const refused = blocked('NamespaceNotAllowed', [desiredWaitRef(d, name)], facts)
    return err({ ...refused, transient: false })
  }
  return ok(desired)
}

/** What is delivered already: content that is the same keeps its digests. */
const digestsOf = ({ ref, inventory }: UnitScope): StoredDigests => ({
  where: `Inventory ${inventory.metadata.namespace}/${inventory.metadata.name}`,
  module: ref,
  digests: boundBundleDigests(inventory),
})

/** Digests of what is delivered. */
export const boundBundleDigests = ({ spec, status }: Inventory): Digest[] => [
  status?.contentDigest ?? '',
  ...(spec.objects ?? []).map((o) => o.content),
]
