/** I4: an object is written only after what it needs, in truth, is there: namespace, definition, account, config, earlier steps and waves. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { at, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import { applicationOf, wasApplicationReady } from './applicationready.ts'
import { isTransfer } from './checkfollow.ts'
import { HUB, INVENTORIES, identity, keyOfMeta, list, text } from './clusterhistory.ts'
import { hooksOf } from './hookhistory.ts'
import { inventoryByUid, isDelivery, ownerOf } from './inventorybyuid.ts'
import type { OracleContext } from './oraclecontext.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const STEP = 'lockstep.dev/step'
export const HOOK = 'argocd.argoproj.io/hook'

export function checkOrder(o: OracleContext, c: CommitRecord): void {
  if (
    !isDelivery(c) ||
    !c.next ||
    c.next.metadata.deletionTimestamp !== undefined ||
    ownerOf(c.next) === undefined ||
    isTransfer(o, c)
  )
    return
  const inventory = inventoryByUid(o.history, ownerOf(c.next)!)
  const bundle = inventory && o.bundles.admitted(inventory)
  if (!bundle) return
  const isHook = hooksOf(inventory, identity(c.next)).length > 0
  const needs = isHook ? [] : [...needsOf(o, c, bundle, inventory), ...hooksBefore(inventory, bundle, c.next)]
  for (const [need, isMet] of needs) {
    o.tested('I4')
    if (!isMet) o.broken('I4', `${c.cluster} ${c.resource} ${c.key} was written before ${need}`)
  }
}

function* needsOf(
  o: OracleContext,
  c: CommitRecord,
  bundle: readonly KubeObject[],
  inventory: KubeObject,
): Iterable<[string, boolean]> {
  const next = c.next!
  const { namespace } = next.metadata
  if (namespace && bundle.some((m) => m.kind === 'Namespace' && m.metadata.name === namespace)) {
    yield [`Namespace ${namespace}`, holds(o, c.cluster, 'namespaces', namespace, isThere)]
  }
  const isCreate = c.old === undefined
  for (const [resource, name] of isCreate && namespace ? configOf(next) : []) {
    const kind =
      resource === 'configmaps' ? 'ConfigMap' : resource === 'secrets' ? 'Secret' : 'ServiceAccount'
    if (!bundle.some((m) => m.kind === kind && m.metadata.name === name)) continue
    yield [`${kind} ${name}`, holds(o, c.cluster, resource, `${namespace}/${name}`, isThere)]
  }
  if (!bundle.some(hasPlace) || wasDelivered(o, inventory)) return
  for (const m of bundle) {
    const application = isWait(m) && isBefore(m, next) ? applicationOf(m) : undefined
    if (application !== undefined)
      yield [`application ${application} was ready`, wasApplicationReady(o, inventory, application)]
    if (m.metadata.annotations?.[HOOK] !== undefined || isWait(m)) continue
    if (!isBefore(m, next) || m.kind === 'Namespace' || m.kind === 'CustomResourceDefinition') continue
    const key = `${m.metadata.namespace ?? namespace ?? ''}/${m.metadata.name}`
    yield [
      `${m.kind} ${m.metadata.name} of step ${stepOf(m)}, wave ${waveOf(m)} was ready`,
      holds(o, c.cluster, resourceOf(m), key, isReady),
    ]
  }
}

/** All of this content was well once: what is written since then puts right what others have done. */
function wasDelivered(o: OracleContext, inventory: KubeObject): boolean {
  const serial = Number(at(inventory, 'spec', 'admitted', 'contentSerial'))
  return o.history
    .versionsOf(HUB, INVENTORIES, keyOfMeta(inventory))
    .some(
      ({ object }) =>
        object.metadata.uid === inventory.metadata.uid &&
        Number(at(object, 'spec', 'admitted', 'contentSerial')) === serial &&
        Number(at(object, 'status', 'admittedSerial') ?? -1) >= serial &&
        text(object, 'status', 'health') === 'Healthy',
    )
}

/** Hooks that have to succeed before an object is written. */
function* hooksBefore(
  inventory: KubeObject,
  bundle: readonly KubeObject[],
  next: KubeObject,
): Iterable<[string, boolean]> {
  const serial = at(inventory, 'spec', 'admitted', 'contentSerial')
  for (const m of bundle) {
    if (m.metadata.annotations?.[HOOK] !== 'PreSync' || stepOf(m) > stepOf(next)) continue
    const isMet = hooksOf(inventory, identity(m)).some(
      (h) => text(h, 'phase') === 'PreSync' && text(h, 'state') === 'Succeeded' && at(h, 'serial') === serial,
    )
    yield [`its hook ${m.kind} ${m.metadata.name} had succeeded`, isMet]
  }
}

const isThere = (): boolean => true

/** As it is, or as it was until somebody else changed it a moment ago. */
export function holds(
  o: OracleContext,
  cluster: string,
  resource: string,
  key: string,
  what: (object: KubeObject) => boolean,
): boolean {
  const live = o.history.get(cluster, resource, key)
  return (live !== undefined && what(live)) || o.lately.versions(cluster, resource, key).some(what)
}

export const waveOf = (o: KubeObject): number => Number(o.metadata.annotations?.[WAVE] ?? 0) || 0
const stepOf = (o: KubeObject): number => Number(o.metadata.annotations?.[STEP] ?? 0)
const isBefore = (a: KubeObject, b: KubeObject): boolean =>
  stepOf(a) < stepOf(b) || (stepOf(a) === stepOf(b) && waveOf(a) < waveOf(b))
const hasPlace = ({ metadata: { annotations } }: KubeObject): boolean =>
  annotations?.[WAVE] !== undefined || annotations?.[STEP] !== undefined

/** It stands in a bundle, and is no object of a cluster. */
export const isWait = ({ apiVersion, kind }: KubeObject): boolean =>
  kind === 'Wait' && apiVersion.startsWith('lockstep.dev/')

/** The plural of the kinds that the simulated platforms consist of. */
export function resourceOf(m: KubeObject): string {
  const group = m.apiVersion.includes('/') ? `.${m.apiVersion.split('/')[0]}` : ''
  return `${m.kind.toLowerCase()}s${group}`
}

export function isReady(o: KubeObject): boolean {
  const status = (o as { status?: Record<string, JsonValue> }).status ?? {}
  const spec = (o as { spec?: Record<string, JsonValue> }).spec ?? {}
  if (o.kind === 'Deployment' || o.kind === 'StatefulSet') {
    return (
      status.observedGeneration === o.metadata.generation &&
      Number(status.readyReplicas ?? 0) >= Number(spec.replicas ?? 1)
    )
  }
  if (o.kind === 'Job')
    return list(status, 'conditions').some(
      (x) => text(x, 'type') === 'Complete' && text(x, 'status') === 'True',
    )
  return true
}

function configOf(o: KubeObject): [string, string][] {
  const pod = (o as { spec?: { template?: { spec?: JsonValue } } }).spec?.template?.spec
  if (pod === undefined) return []
  const found: [string, string][] = []
  for (const v of list(pod, 'volumes')) {
    if (text(v, 'configMap', 'name')) found.push(['configmaps', text(v, 'configMap', 'name')])
    if (text(v, 'secret', 'secretName')) found.push(['secrets', text(v, 'secret', 'secretName')])
  }
  for (const container of list(pod, 'containers')) {
    for (const e of list(container, 'envFrom')) {
      if (text(e, 'configMapRef', 'name')) found.push(['configmaps', text(e, 'configMapRef', 'name')])
      if (text(e, 'secretRef', 'name')) found.push(['secrets', text(e, 'secretRef', 'name')])
    }
  }
  if (text(pod, 'serviceAccountName')) found.push(['serviceaccounts', text(pod, 'serviceAccountName')])
  return found
}
