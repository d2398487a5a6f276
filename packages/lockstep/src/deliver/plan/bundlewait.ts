/** Waits of the bundle: whether an object is there that people name as they name it to `oc get`, and what is said while it is not. */

import { resourceName } from '@lockstep/kube/client'
import { keyText } from '@lockstep/kube/object'
import type { OrderPosition, WaitNode } from '../../decisions/order/index.ts'
import type { LookupResult, WaitFacts, WaitReason, WaitResult } from '../state/lookup.ts'
import { objectWaitRef } from '../state/objectwaitref.ts'
import type { UnitInput } from '../state/unitinput.ts'

/** The name is looked up in what the cluster serves at each look, as `oc get` does: a kind may come with the operator that is waited for. */
export function lookUpBundleWait(node: WaitNode, input: UnitInput): WaitResult {
  const { name, namespace = node.home } = node.target
  const sought = { group: '', kind: node.called!, type: node.called!, ...(namespace ? { namespace } : {}) }
  const found = input.outside(name === '' ? sought : { ...sought, name })
  const open = (reason: WaitReason, facts: WaitFacts): WaitResult => ({
    type: 'open',
    reason,
    on: soughtRef(node, found, input.inventory.spec.clusterRef.name),
    facts: { ...facts, ...aliasOf(node, found), rule: bundleWaitText(node) },
  })
  switch (found.type) {
    case 'NotServed':
      return open('WaitKindNotServed', { state: 'NotServed', resource: JSON.stringify(node.called) })
    case 'Misplaced':
      return open('WaitNotFound', { state: 'NoNamespace' })
    case 'Forbidden':
      return open('WaitForbidden', { state: 'Unreadable', detail: found.detail })
    case 'Unread':
      return open('WaitingForObject', { state: 'Unreadable', detail: found.detail })
    case 'Syncing':
      return open('WatchStale', { state: 'Unread' })
    case 'Read':
      // The loop that it stands for ends as soon as there is an answer.
      return name === '' || found.objects.length > 0
        ? { type: 'met' }
        : open('WaitNotFound', { state: 'NotFound' })
  }
}

/** The object, as far as the cluster knows its kind. */
function soughtRef({ target, called, home }: WaitNode, found: LookupResult, cluster: string) {
  const resource = found.type === 'NotServed' ? undefined : found.resource
  const namespace = resource?.namespaced === true ? (target.namespace ?? home) : undefined
  return objectWaitRef(
    {
      group: resource?.group ?? '',
      kind: resource?.kind ?? called!,
      name: target.name === '' ? '*' : target.name,
      ...(namespace ? { namespace } : {}),
    },
    cluster,
  )
}

/** The name of the resource, where the bundle has another one for it. */
function aliasOf({ called }: WaitNode, found: LookupResult): Pick<WaitFacts, 'called' | 'resource'> {
  const resource = found.type === 'NotServed' ? undefined : found.resource
  const isPlain = !resource || [resource.kind, resourceName(resource)].includes(called!)
  return isPlain ? {} : { called, resource: resourceName(resource) }
}

/** `wave 5, sequenceJob of odf-operator` */
export const bundleWaitText = ({ place, why }: WaitNode): string =>
  [...(place ? placeWords(place) : []), why].join(', ')

const placeWords = ({ step, phase, wave }: OrderPosition): string[] => [
  ...(step === 0 ? [] : [`step ${step}`]),
  phase === 'Sync' ? `wave ${wave}` : `${phase} wave ${wave}`,
]

/** What the Inventory calls it. */
export const bundleWaitId = ({ target, called, ask }: WaitNode): string =>
  `${called} ${target.name === '' ? '*' : keyText(target)} ${ask}`
