/** What bindings are, for commands: read from the hub and its clusters when they are asked for. */

import { requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { configMapKind, secretKind } from '@lockstep/kube/kinds'
import {
  apiVersionOf,
  defineKind,
  type Kind,
  type KubeObject,
  parseApiVersion,
  refOf,
  refText,
} from '@lockstep/kube/object'
import type { ModuleBinding } from '../../../api/kinds/index.ts'
import {
  givenOf,
  lookupCluster,
  lookupClusterField,
  lookupField,
  lookupKey,
  lookupWithoutFields,
} from '../../../controllers/publish/index.ts'
import {
  type BindingFailure,
  type BindingLookup,
  type FieldRef,
  resolveBindings,
  type ValueSources,
  type Values,
} from '../../../decisions/binding/index.ts'
import { type ClusterView, HUB_CLUSTER } from '../../../fleet/clusters/index.ts'
import { objectKindsOf } from '../../../fleet/inventories/index.ts'
import {
  canonicalData,
  combined,
  dataProblems,
  faultOf,
  type SourceFailure,
} from '../../../sources/intake/index.ts'
import type { ClusterConnections, HubConnection } from '../hub/index.ts'
import type { CommandContext } from '../index.ts'

/** Where values are read. */
export interface BindingReader {
  readonly hub: HubConnection
  readonly clusters: ClusterConnections
  readonly cluster: ClusterView
  /** Objects of files, which count before those of the hub. */
  readonly beside: readonly KubeObject[]
}

interface RequestedObject {
  readonly where: 'Hub' | 'Cluster'
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string | undefined
  readonly name: string
}

type ObjectAnswer = Result<KubeObject | undefined, string>

/** The values of `names`, or all that is lacking, for people. */
export async function readBindings(
  c: CommandContext,
  place: BindingReader,
  bindings: readonly ModuleBinding[],
  names: readonly string[],
  known: Values,
): Promise<Result<Values, SourceFailure>> {
  const answers = new Map<string, ObjectAnswer>()
  for (;;) {
    const open = new Map<string, RequestedObject>()
    const sources = sourcesOf(place, (asked) => {
      const key = keyOf(asked)
      const found = answers.get(key)
      if (!found) open.set(key, asked)
      return found
    })
    const found = resolveBindings(bindings, names, known, sources)
    if (open.size === 0) return found.ok ? found : err(failureOf(found.error))
    // A name of what is asked for next may be made of these.
    for (const [key, asked] of open) answers.set(key, await read(c, place, asked))
  }
}

const failureOf = (failures: readonly BindingFailure[]): SourceFailure =>
  combined(failures.map((f) => faultOf(f)))

const keyOf = ({ where, apiVersion, kind, namespace, name }: RequestedObject): string =>
  [where, apiVersion, kind, namespace ?? '', name].join(' ')

const UNREAD: BindingLookup = { type: 'Pending', text: 'reading' }

function sourcesOf(
  { cluster }: BindingReader,
  answer: (asked: RequestedObject) => ObjectAnswer | undefined,
): ValueSources {
  const { namespace } = cluster
  const look = (
    asked: RequestedObject,
    of: (object: KubeObject | undefined) => BindingLookup,
  ): BindingLookup => {
    const found = answer(asked)
    if (!found) return UNREAD
    return found.ok ? of(found.value) : { type: 'Missing', text: `${found.error};` }
  }
  return {
    given: (name) => givenOf(cluster, name),
    cluster: (what) => {
      const { fieldPath } = what
      if (fieldPath === undefined) return lookupCluster(cluster, what)
      // Of an earlier version where the hub does not serve this one.
      for (const k of objectKindsOf(cluster)) {
        const asked = { apiVersion: apiVersionOf(k), kind: k.kind, namespace, name: cluster.objectName }
        const said = answer({ where: 'Hub', ...asked })
        if (!said) return UNREAD
        if (said.ok) return lookupClusterField(cluster, fieldPath, said.value)
        if (said.error !== notServedText(asked)) return { type: 'Missing', text: `${said.error};` }
      }
      return lookupWithoutFields(cluster)
    },
    key: (kind, name, key) =>
      look({ where: 'Hub', apiVersion: 'v1', kind, namespace, name }, (o) =>
        lookupKey({ kind, namespace, name, key }, o),
      ),
    object: (where, ref) => {
      const full: FieldRef = where === 'Hub' ? { ...ref, namespace } : ref
      const place = where === 'Hub' ? 'the hub' : cluster.name
      return look({ where, ...full, namespace: full.namespace }, (o) => lookupField(full, place, o))
    },
  }
}

const notServedText = ({ apiVersion, kind }: Pick<RequestedObject, 'apiVersion' | 'kind'>): string =>
  `no API serves ${apiVersion} ${kind}`

/** As a server would store it: with all data of a Secret in its data. */
function asStored(o: KubeObject): ObjectAnswer {
  const [problem] = dataProblems(o)
  return problem === undefined ? ok(canonicalData(o)) : err(`${refText(refOf(o))}: ${problem}`)
}

async function read(c: CommandContext, place: BindingReader, asked: RequestedObject): Promise<ObjectAnswer> {
  const { apiVersion, kind, namespace, name } = asked
  const written = place.beside.find(
    (o) =>
      asked.where === 'Hub' &&
      o.apiVersion === apiVersion &&
      o.kind === kind &&
      o.metadata.name === name &&
      o.metadata.namespace === namespace,
  )
  if (written) return asStored(written)
  const there = await place.clusters.reach(asked.where === 'Hub' ? HUB_CLUSTER : place.cluster.name)
  if (typeof there === 'string') return err(there)
  const { group, version } = parseApiVersion(apiVersion)
  const known: Kind | undefined = [configMapKind, secretKind].find((k) => k.kind === kind && group === '')
  const served = there.served.find((r) => r.group === group && r.version === version && r.kind === kind)
  if (!known && !served) return err(notServedText(asked))
  const key = namespace === undefined ? { name } : { namespace, name }
  const got = await there.client.get(known ?? defineKind(served!), key, { purpose: 'user', signal: c.signal })
  if (got.ok) return ok(got.value)
  return got.error.kind === 'NotFound' ? ok(undefined) : err(requestErrorText(got.error))
}
