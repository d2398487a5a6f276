/** Values of bindings, kept as bundles are: content-addressed, immutable, in Secrets. */

import { type Digester, isObject, type KubeObject } from '@lockstep/kube/object'
import type { BoundValue, Values } from '../../decisions/binding/index.ts'
import { type Bundle, bundleOf } from './bundlesecrets.ts'

/** Not an object of any server: what a bundle of values holds. */
const KIND = { apiVersion: 'values.lockstep.dev/v1', kind: 'Values', metadata: { name: 'values' } }

export const areSecret = (values: Values): boolean => [...values.values()].some((v) => v.secret)

/** Equal values give equal bytes, in whichever order they were found. `digest`: keyed where one of them comes of a Secret. */
export function valuesBundle(values: Values, digest: Digester): Bundle {
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1))
  const object: KubeObject = { ...KIND, values: Object.fromEntries(sorted) }
  return bundleOf([object], areSecret(values), digest)
}

export function valuesOf({ objects }: Bundle): Values {
  const values: unknown = objects[0]?.values
  return new Map(isObject(values) ? Object.entries(values as unknown as Record<string, BoundValue>) : [])
}
