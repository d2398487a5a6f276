/** Claims whose volume is made only for the first Pod that mounts them: nothing may wait until they are bound. */
import { at, isString, type KubeObject, parseTimestampMs } from '@lockstep/kube/object'
import type { Health } from './healthstate.ts'

/** The annotations that make a class the one of claims that name none (Kubernetes `pkg/volume/util/storageclass.go`). */
const DEFAULT = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

/** A claim that asks for a volume of some class, and has none yet. One that names its volume waits for that. */
export function isUnbound(o: KubeObject): boolean {
  return (
    o.apiVersion === 'v1' &&
    o.kind === 'PersistentVolumeClaim' &&
    o.metadata.deletionTimestamp === undefined &&
    at(o, 'status', 'phase') === 'Pending' &&
    !at(o, 'spec', 'volumeName') &&
    // Empty: of no class at all.
    at(o, 'spec', 'storageClassName') !== ''
  )
}

/** The class that a claim names; undefined: it wants the cluster's default. */
export function classNameOf(o: KubeObject): string | undefined {
  const name = at(o, 'spec', 'storageClassName')
  return isString(name) ? name : undefined
}

/** Of several defaults the newest, of equally old ones the first by name, as Kubernetes chooses. */
export function defaultClass(classes: readonly KubeObject[]): KubeObject | undefined {
  const age = (o: KubeObject): number => parseTimestampMs(o.metadata.creationTimestamp ?? '') ?? 0
  const name = (o: KubeObject): string => o.metadata.name ?? ''
  return classes
    .filter((o) => DEFAULT.some((key) => o.metadata.annotations?.[key] === 'true'))
    .sort((a, b) => age(b) - age(a) || (name(a) < name(b) ? -1 : 1))[0]
}

/** The health of a claim that `isUnbound`, by its class; `unread`: why that is not known. */
export function unboundHealth(
  pending: Health,
  o: KubeObject,
  found: { readonly class: KubeObject | undefined } | { readonly unread: string },
): Health {
  const name = classNameOf(o)
  const what = name === undefined ? 'the default StorageClass' : `StorageClass ${name}`
  const say = (text: string): Health => ({ ...pending, message: `${pending.message}; ${text}` })
  if ('unread' in found) return say(`${what} cannot be read: ${found.unread}`)
  if (!found.class) return say(name === undefined ? 'no StorageClass is the default' : `there is no ${what}`)
  const binds = at(found.class, 'volumeBindingMode')
  return binds === 'WaitForFirstConsumer'
    ? { ...pending, state: 'Healthy', message: `is bound for its first Pod, by ${what}` }
    : pending
}
