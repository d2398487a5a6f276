/** Waits of the bundle: whether an object is there that people name as they name it to `oc get`, and what is said while it is not. */

import { resourceName } from '@lockstep/kube/client'
import { keyText, refText } from '@lockstep/kube/object'
import type { OrderPosition, WaitNode } from '../../decisions/order/index.ts'
import type { LookupResult, WaitResult } from '../state/lookup.ts'
import type { UnitInput } from '../state/unitinput.ts'

/** The name is looked up in what the cluster serves at each look, as `oc get` does: a kind may come with the operator that is waited for. */
export function lookUpBundleWait(node: WaitNode, input: UnitInput): WaitResult {
  const { name, namespace = node.home } = node.target
  const sought = { group: '', kind: node.called!, type: node.called!, ...(namespace ? { namespace } : {}) }
  const found = input.outside(name === '' ? sought : { ...sought, name })
  const what = whatText(node, found)
  const open = (
    reason: 'WaitNotFound' | 'WaitKindNotServed' | 'WaitForbidden' | 'WaitingForObject' | 'WatchStale',
    text: string,
  ): WaitResult => ({
    type: 'open',
    reason,
    text: `${text} (${bundleWaitText(node)})`,
  })
  const { name: cluster } = input.inventory.spec.clusterRef
  switch (found.type) {
    case 'NotServed':
      return open('WaitKindNotServed', `no API serves ${JSON.stringify(node.called)} on cluster ${cluster}`)
    case 'Misplaced':
      return open(
        'WaitNotFound',
        `${what} names no namespace, and ${found.resource?.kind ?? node.called} has namespaces; set resourceNamespace or spec.render.namespace`,
      )
    case 'Forbidden':
      return open('WaitForbidden', `${what} cannot be read: ${found.detail}`)
    case 'Unread':
      return open('WaitingForObject', `${what} cannot be read: ${found.detail}`)
    case 'Syncing':
      return open('WatchStale', `${what} is being read`)
    case 'Read':
      // The loop that it stands for ends as soon as there is an answer.
      return name === '' || found.objects.length > 0
        ? { type: 'met' }
        : open('WaitNotFound', `${what} does not exist on cluster ${cluster}`)
  }
}

/** `storage.k8s.io/StorageClass fast (sc → storageclasses.storage.k8s.io)`; as far as it is known. */
function whatText({ target, called, home }: WaitNode, found: LookupResult): string {
  const resource = found.type === 'NotServed' ? undefined : found.resource
  const kind = resource?.kind ?? called!
  const namespace = resource?.namespaced === true ? (target.namespace ?? home) : undefined
  const ref = { group: resource?.group ?? '', kind, name: target.name, ...(namespace ? { namespace } : {}) }
  const what = target.name === '' ? kind : refText(ref)
  const isPlain = !resource || [resource.kind, resourceName(resource)].includes(called!)
  return isPlain ? what : `${what} (${called} → ${resourceName(resource)})`
}

/** `wave 5, sequenceJob of odf-operator` */
export const bundleWaitText = ({ place, why }: WaitNode): string =>
  [...(place ? placeWords(place) : []), why].join(', ')

const placeWords = ({ step, phase, wave }: OrderPosition): string[] => [
  ...(step === 0 ? [] : [`step ${step}`]),
  phase === 'Sync' ? `wave ${wave}` : `${phase} wave ${wave}`,
]

/** Its Module has its own time: it is late when that has failed, and by nothing else. */
export function lookUpApplicationWait(node: WaitNode, input: UnitInput): WaitResult {
  const seen = input.application(node.application!)
  return seen.type === 'open' ? { ...seen, text: `${seen.text} (${bundleWaitText(node)})` } : seen
}

/** What the Inventory calls it. */
export const bundleWaitId = ({ target, called, ask }: WaitNode): string =>
  `${called} ${target.name === '' ? '*' : keyText(target)} ${ask}`
