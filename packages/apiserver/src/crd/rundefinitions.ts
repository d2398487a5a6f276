import { type JsonObject, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import { LOOPBACK } from '../auth/user.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { timestamp } from '../server/embeddedcluster.ts'
import type { StoreEvent } from '../store/storehistory.ts'
import { deleteObject, PLAIN_DELETE } from '../write/deleteobject.ts'
import { updateObject } from '../write/updateobject.ts'
import type { ServerWriteOptions } from '../write/writeoptions.ts'
import { acceptNames } from './acceptnames.ts'
import type { CrdDefinition } from './crddefinition.ts'
import { readDefinition } from './crddefinition.ts'
import { crdKinds } from './crdkinds.ts'
import type { DefinitionCondition } from './definitioncondition.ts'
import { conditionsOf, isTrue, statusWith, withCondition } from './definitioncondition.ts'
import { CLEANUP } from './definitionrules.ts'

const OPTIONS: ServerWriteOptions = {
  manager: 'apiextensions-apiserver',
  user: LOOPBACK,
  dryRun: false,
  validation: 'Ignore',
  force: false,
  warn: () => {},
}

/**
 * Makes definitions come true: names, conditions, the kinds themselves, and their end. Everything happens within the
 * write that causes it, so discovery follows in the same tick.
 */
export function runDefinitions(cluster: EmbeddedCluster): void {
  const kind = cluster.kinds.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
  if (!kind) return
  const served = new Map<string, ServedDefinition>()
  kind.table.subscribe('', (e) => react(cluster, kind, served, e))
}

/** What a definition made, so that it can be taken back. */
interface ServedDefinition {
  readonly definition: CrdDefinition
  readonly unsubscribe: () => void
}

function react(
  cluster: EmbeddedCluster,
  crds: ServedKind,
  served: Map<string, ServedDefinition>,
  e: StoreEvent,
): void {
  // Only the newest state counts: a write that follows in the same tick has its own event.
  const crd = crds.table.live.get(e.key)?.object
  if (!crd || (e.prev && e.next && crd.metadata.uid !== e.prev.object.metadata.uid))
    withdraw(cluster, served, e.key)
  if (!crd || crd !== e.next?.object) return
  if (crd.metadata.deletionTimestamp !== undefined) {
    end(cluster, crds, served, crd)
    return
  }
  const next = accepted(cluster, crds, crd)
  if (!jsonEqual(next.status, crd.status)) writeStatus(cluster, crds, next)
  else if (isTrue(crd, 'Established')) serve(cluster, crds, served, crd, false)
}

/** Names first; once they are accepted the definition is established, and stays so. */
function accepted(cluster: EmbeddedCluster, crds: ServedKind, crd: KubeObject): KubeObject {
  const { accepted: names, condition } = acceptNames(crd, others(crds, crd))
  const now = timestamp(cluster)
  let conditions = withCondition(conditionsOf(crd), condition, now)
  if (!isTrue(crd, 'Established')) conditions = withCondition(conditions, establishment(condition), now)
  return statusWith(crd, { acceptedNames: names, conditions: conditions as JsonObject[] })
}

const establishment = (names: DefinitionCondition): DefinitionCondition =>
  names.status === 'True'
    ? {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }

function* others(crds: ServedKind, crd: KubeObject): Generator<KubeObject> {
  for (const key of crds.table.live.keys('', '')) {
    const o = crds.table.live.get(key)!.object
    if (o.metadata.uid !== crd.metadata.uid) yield o
  }
}

function writeStatus(cluster: EmbeddedCluster, crds: ServedKind, next: KubeObject): void {
  const stored = crds.table.live.get(next.metadata.name ?? '')
  if (!stored) return
  updateObject(cluster, crds, stored, { next, verb: 'update' }, { ...OPTIONS, subresource: 'status' })
}

function serve(
  cluster: EmbeddedCluster,
  crds: ServedKind,
  served: Map<string, ServedDefinition>,
  crd: KubeObject,
  ending: boolean,
): void {
  const name = crd.metadata.name ?? ''
  const definition = readDefinition(crd)
  const before = served.get(name)
  const kinds = crdKinds(cluster.store, definition, ending)
  for (const v of before?.definition.versions ?? [])
    if (!kinds.some((k) => k.info.version === v.name))
      cluster.kinds.remove(definition.group, v.name, definition.names.plural)
  for (const kind of kinds) cluster.kinds.set(kind)
  before?.unsubscribe()
  const table = kinds[0]?.table
  const unsubscribe =
    ending && table
      ? table.subscribe('', (e) => {
          if (!e.next && table.live.size === 0) release(cluster, crds, name)
        })
      : () => {}
  served.set(name, { definition, unsubscribe })
}

/** A deleted definition deletes its objects, waits for their finalizers and goes. */
function end(
  cluster: EmbeddedCluster,
  crds: ServedKind,
  served: Map<string, ServedDefinition>,
  crd: KubeObject,
): void {
  const name = crd.metadata.name ?? ''
  if (!(crd.metadata.finalizers ?? []).includes(CLEANUP)) return
  // A snapshot may have been taken while the definition was deleted.
  if (!served.has(name) && isTrue(crd, 'Established')) serve(cluster, crds, served, crd, false)
  const isKnown = served.has(name)
  const kind = isKnown
    ? cluster.kinds.byResource(readDefinition(crd).group, readDefinition(crd).names.plural)
    : undefined
  if (!kind || kind.table.live.size === 0) {
    release(cluster, crds, name)
    return
  }
  if (kind.terminating) return
  serve(cluster, crds, served, crd, true)
  const now = timestamp(cluster)
  const condition: DefinitionCondition = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  }
  writeStatus(
    cluster,
    crds,
    statusWith(crd, { conditions: withCondition(conditionsOf(crd), condition, now) as JsonObject[] }),
  )
  for (const key of [...kind.table.live.keys('', '')]) {
    const stored = kind.table.live.get(key)
    if (stored) deleteObject(cluster, kind, stored, PLAIN_DELETE, OPTIONS)
  }
}

/** Takes the finalizer away; with the last one the definition itself goes. */
function release(cluster: EmbeddedCluster, crds: ServedKind, name: string): void {
  const stored = crds.table.live.get(name)
  if (!stored?.object.metadata.deletionTimestamp) return
  const { metadata } = stored.object
  const next = {
    ...stored.object,
    metadata: { ...metadata, finalizers: (metadata.finalizers ?? []).filter((f) => f !== CLEANUP) },
  }
  updateObject(cluster, crds, stored, { next, verb: 'update' }, OPTIONS)
}

function withdraw(cluster: EmbeddedCluster, served: Map<string, ServedDefinition>, name: string): void {
  const serving = served.get(name)
  if (!serving) return
  serving.unsubscribe()
  served.delete(name)
  const { group, names, versions } = serving.definition
  for (const v of versions) cluster.kinds.remove(group, v.name, names.plural)
  cluster.store.drop(`${names.plural}.${group}`)
}
