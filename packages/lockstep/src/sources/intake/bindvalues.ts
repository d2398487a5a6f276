/** Values of bindings, stored as bundles are, and a bundle with its values on one cluster. Pure. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { type Digester, encodeJson, isObject, type KubeObject, refOf, refText } from '@lockstep/kube/object'
import { type BoundValue, boundObject, misplacedMention, type Values } from '../../decisions/binding/index.ts'
import { type Bundle, bundleOf, secretHolder } from './bundlesecrets.ts'
import { normalize } from './normalize.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'

/** A unit is looked at often, and what it is bound to seldom changes: done once for a pair. */
const known = new WeakMap<Bundle, WeakMap<Bundle, Result<Bundle, SourceFailure>>>()

/**
 * The objects as the cluster is to get them. Values are looked at like anything else in a manifest: a name that is none, or two
 * objects that become one, are errors. What is made of a secret is one.
 */
export function bindValues(bundle: Bundle, values: Bundle): Result<Bundle, SourceFailure> {
  const pairs = known.get(bundle) ?? new WeakMap<Bundle, Result<Bundle, SourceFailure>>()
  known.set(bundle, pairs)
  const found = pairs.get(values) ?? bind(bundle, values)
  pairs.set(values, found)
  return found
}

function bind(bundle: Bundle, stored: Bundle): Result<Bundle, SourceFailure> {
  const values = valuesOf(stored)
  const problem = misplacedMention(
    bundle.objects,
    (name) => values.has(name),
    (name) => values.get(name)?.secret === true,
  )
  if (problem !== undefined) return err(fault('BindingInvalid', { because: 'Mention', problem }))
  const objects = normalize(
    bundle.objects.map((o) => ({ object: boundObject(o, values), origin: refText(refOf(o)) })),
  )
  if (!objects.ok) return objects
  return ok({
    digest: `${bundle.digest} ${stored.digest}`,
    objects: objects.value,
    sensitive: bundle.sensitive || stored.sensitive,
    values,
    holders: holdersOf(bundle.objects, values),
  })
}

/** Objects that mention a binding whose value comes from a Secret. */
function holdersOf(objects: readonly KubeObject[], values: Values): Set<string> {
  const mentions = [...values].flatMap(([name, { secret }]) => (secret ? [`$(${name})`] : []))
  const holders = objects.filter((o) => {
    const text = encodeJson(o)
    return mentions.some((m) => text.includes(m))
  })
  return new Set(holders.map((o) => secretHolder(boundObject(o, values) as KubeObject)))
}

/** Values of bindings, kept as bundles are: content-addressed, immutable, in Secrets. */

/** Not an object of any server: what a bundle of values holds. */
const KIND = { apiVersion: 'values.lockstep.dev/v1', kind: 'Values', metadata: { name: 'values' } }

export const areSecret = (values: Values): boolean => [...values.values()].some((v) => v.secret)

/** Equal values give equal bytes, in whichever order they were found. `digest`: keyed where one of them comes from a Secret. */
export function valuesBundle(values: Values, digest: Digester): Bundle {
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1))
  const object: KubeObject = { ...KIND, values: Object.fromEntries(sorted) }
  return bundleOf([object], areSecret(values), digest)
}

export function valuesOf({ objects }: Bundle): Values {
  const values: unknown = objects[0]?.values
  return new Map(isObject(values) ? Object.entries(values as unknown as Record<string, BoundValue>) : [])
}
