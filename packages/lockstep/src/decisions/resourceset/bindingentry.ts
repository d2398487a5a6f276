/**
 * The ClusterResourceSetBinding of a cluster as a projection of what is recorded elsewhere: in the shape and order in which
 * Cluster API writes it, so that it may go on with it at any time. Other sets have entries in the same object; who writes
 * one leaves theirs as they are.
 */

import { jsonEqual, type OwnerReference, parseApiVersion } from '@lockstep/kube/object'
import {
  ADDONS_GROUP,
  type BindingEntry,
  type BindingResource,
  type ClusterResourceSetBinding,
  type ResourceSetSourceRef,
} from '../../api/kinds/index.ts'
import { type SetOwner, withOwner, withoutOwner } from './setowner.ts'

/** Which binding: it has the name of its Cluster. */
export interface BindingRef {
  readonly namespace: string
  readonly cluster: string
}

/** The entry of a set; undefined: it has none. */
export const bindingEntryOf = (
  binding: ClusterResourceSetBinding | undefined,
  set: string,
): BindingEntry | undefined => binding?.spec.bindings?.find((b) => b.clusterResourceSetName === set)

/** What an entry says of a source: compared by kind and name, whatever their order in `spec.resources`. */
export const bindingResourceOf = (
  entry: BindingEntry | undefined,
  source: ResourceSetSourceRef,
): BindingResource | undefined => entry?.resources?.find((r) => isSame(r, source))

const isSame = (a: ResourceSetSourceRef, b: ResourceSetSourceRef): boolean =>
  a.kind === b.kind && a.name === b.name

/**
 * The binding with exactly `resources` in the entry of `set`, and owned by it; the very same object where it says so
 * already. Entries and sources stay in their places, new ones come last, as `SetBinding` of Cluster API has it. Which of
 * the sources that have left `spec.resources` are still in it is the caller's to say.
 */
export function withBindingEntry(
  binding: ClusterResourceSetBinding | undefined,
  place: BindingRef,
  set: SetOwner,
  resources: readonly BindingResource[],
): ClusterResourceSetBinding {
  if (!binding) return newBinding(place, set, resources)
  const { metadata, spec } = binding
  const bindings = spec.bindings ?? []
  const at = bindings.findIndex((b) => b.clusterResourceSetName === set.name)
  const old = bindings[at]
  const entry = entryFor(set.name, inOrderOf(old?.resources ?? [], resources))
  const next = !old ? [...bindings, entry] : jsonEqual(old, entry) ? bindings : bindings.with(at, entry)
  const owners = withOwner(metadata.ownerReferences, set)
  const isNamed = (spec.clusterName ?? '') !== ''
  if (next === bindings && owners === metadata.ownerReferences && isNamed) return binding
  return {
    ...binding,
    metadata: { ...metadata, ...owned(owners) },
    // Before 1.4 the cluster was an owner instead; v1beta2 requires the name.
    spec: { ...spec, bindings: next, clusterName: isNamed ? spec.clusterName : place.cluster },
  }
}

/** Without the entry of a set, and not owned by it; the very same object where there is neither. */
export function withoutBindingEntry(
  binding: ClusterResourceSetBinding,
  set: string,
): ClusterResourceSetBinding {
  const { metadata, spec } = binding
  const owners = withoutOwner(metadata.ownerReferences, set)
  if (bindingEntryOf(binding, set) === undefined && owners === metadata.ownerReferences) return binding
  const bindings = spec.bindings?.filter((b) => b.clusterResourceSetName !== set)
  return {
    ...binding,
    metadata: { ...metadata, ...owned(owners) },
    spec: { ...spec, ...(bindings ? { bindings } : {}) },
  }
}

/** Then it is deleted, as Cluster API does when the last set leaves. */
export const hasNoEntries = ({ spec }: ClusterResourceSetBinding): boolean =>
  (spec.bindings ?? []).length === 0

/** Cluster API writes it in two requests, the entry with the second. */
const newBinding = (
  { namespace, cluster }: BindingRef,
  set: SetOwner,
  resources: readonly BindingResource[],
): ClusterResourceSetBinding => ({
  apiVersion: `${ADDONS_GROUP}/${parseApiVersion(set.apiVersion).version}`,
  kind: 'ClusterResourceSetBinding',
  metadata: { name: cluster, namespace, ...owned(withOwner(undefined, set)) },
  spec: { bindings: [entryFor(set.name, resources)], clusterName: cluster },
})

const owned = (owners: readonly OwnerReference[] | undefined) =>
  owners === undefined ? {} : { ownerReferences: owners }

/** What is empty is left out, as Go's `omitempty` does. */
const entryFor = (name: string, resources: readonly BindingResource[]): BindingEntry => ({
  clusterResourceSetName: name,
  ...(resources.length === 0 ? {} : { resources: resources.map(written) }),
})

const written = ({ kind, name, hash, lastAppliedTime, applied }: BindingResource): BindingResource => ({
  kind,
  name,
  ...(hash ? { hash } : {}),
  ...(lastAppliedTime ? { lastAppliedTime } : {}),
  applied,
})

function inOrderOf(
  old: readonly BindingResource[],
  resources: readonly BindingResource[],
): readonly BindingResource[] {
  const known = old.flatMap((o) => resources.find((r) => isSame(r, o)) ?? [])
  return [...known, ...resources.filter((r) => !old.some((o) => isSame(o, r)))]
}
