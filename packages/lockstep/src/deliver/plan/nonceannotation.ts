/** An annotation whose value changes with the content of its unit (kapp `nonce`). Pure. */

import type { KubeObject } from '@lockstep/kube/object'
import type { OrderOptions } from '../../decisions/order/index.ts'

/** The manifest with this value of its nonce; without one it is the manifest itself. */
export function withNonceAnnotation(
  o: KubeObject,
  { nonce }: Pick<OrderOptions, 'nonce'>,
  value: string,
): KubeObject {
  if (nonce === undefined) return o
  return { ...o, metadata: { ...o.metadata, annotations: { ...o.metadata.annotations, [nonce]: value } } }
}
