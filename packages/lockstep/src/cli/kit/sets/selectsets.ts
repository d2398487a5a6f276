/** Which ClusterResourceSets a command line means: `crs NAME...`, or `crs --all`. */

import { ok, type Result } from '@lockstep/kube/env'
import { crdKind } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { isOurDefinition } from '../../../api/crd/index.ts'
import { type ClusterResourceSet, setBindingKind, setKind } from '../../../api/kinds/index.ts'
import { type HubConnection, listAll, notFound, openHub } from '../hub/index.ts'
import {
  CLUSTERS,
  type CliFailure,
  type CommandContext,
  type Flags,
  failed,
  isSet,
  kindOfWord,
  type Option,
  requestFailure,
} from '../index.ts'
import { type SetKinds, setKindsOn } from './findservedkind.ts'
import { isSets } from './reportedconditions.ts'

export const allOption: Option = { flags: '--all', text: 'all of the namespace, or with -A of the hub' }

export interface SelectedSets {
  readonly hub: HubConnection
  readonly kinds: SetKinds
  /** False: the hub has no such kind, and so no sets. */
  readonly isServed: boolean
  /** The definition on the hub is Lockstep's own: there is no Cluster API. */
  readonly isOwnDefinition: boolean
  readonly sets: readonly Stored<ClusterResourceSet>[]
}

/** `mayBeUnserved`: with `--all`, a hub without the kind has no sets; else it is refused. */
export async function selectSets(
  c: CommandContext,
  [word = '', ...names]: readonly string[],
  flags: Flags,
  { mayBeUnserved = false }: { readonly mayBeUnserved?: boolean } = {},
): Promise<Result<SelectedSets, CliFailure>> {
  const kind = kindOfWord(word)
  if (!kind.ok) return kind
  if (kind.value === CLUSTERS || !isSets(kind.value))
    return failed('E_USAGE', {
      problem: `unknown kind "${word}"; only ClusterResourceSets (crs) are supported`,
      suggestion: 'give crs, then names',
    })
  const isAll = isSet(flags, 'all')
  if (isAll === names.length > 0 || (c.globals.allNamespaces && !isAll))
    return failed('E_USAGE', {
      problem: isAll ? 'either names or --all, not both' : 'which ones?',
      suggestion: 'give names, or --all for the namespace, or --all -A for the hub',
    })
  const opened = await openHub(c)
  if (!opened.ok) return opened
  const hub = opened.value
  const kinds = await setKindsOn(c, hub)
  if (!kinds.ok && kinds.error.code === 'E_KIND_UNKNOWN' && isAll && mayBeUnserved)
    return ok({ hub, kinds: UNSERVED, isServed: false, isOwnDefinition: false, sets: [] })
  if (!kinds.ok) return kinds
  const isOwn = await definitionIsOurs(c, hub, kinds.value)
  if (!isOwn.ok) return isOwn
  const sets = isAll ? await allSets(c, hub, kinds.value) : await namedSets(c, hub, kinds.value, names)
  return sets.ok
    ? ok({ hub, kinds: kinds.value, isServed: true, isOwnDefinition: isOwn.value, sets: sets.value })
    : sets
}

const UNSERVED: SetKinds = { set: setKind, binding: setBindingKind, cluster: undefined }

async function definitionIsOurs(
  c: CommandContext,
  hub: HubConnection,
  { set }: SetKinds,
): Promise<Result<boolean, CliFailure>> {
  const key = { name: `${set.plural}.${set.group}` }
  const found = await hub.client.get(crdKind, key, { purpose: 'user', signal: c.signal })
  return found.ok ? ok(isOurDefinition(found.value.metadata.labels)) : requestFailure(found.error, hub.server)
}

type SetsResult = Promise<Result<Stored<ClusterResourceSet>[], CliFailure>>

const allSets = (c: CommandContext, hub: HubConnection, { set }: SetKinds): SetsResult =>
  listAll<ClusterResourceSet>(c, hub, set, c.globals.allNamespaces ? {} : { namespace: hub.namespace })

async function namedSets(
  c: CommandContext,
  hub: HubConnection,
  { set }: SetKinds,
  names: readonly string[],
): SetsResult {
  const found: Stored<ClusterResourceSet>[] = []
  for (const name of new Set(names)) {
    const key = { namespace: hub.namespace, name }
    const read = await hub.client.get<ClusterResourceSet>(set, key, { purpose: 'user', signal: c.signal })
    if (!read.ok && read.error.kind === 'NotFound') return notFound(c, hub, set, name)
    if (!read.ok) return requestFailure(read.error, hub.server)
    found.push(read.value)
  }
  return ok(found)
}

/** ` -n platform`, for commands that are suggested. */
export const inNamespace = ({ metadata: { namespace = '' } }: Stored<ClusterResourceSet>): string =>
  ` -n ${namespace}`
