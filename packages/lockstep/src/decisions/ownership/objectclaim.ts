/** Identities of the objects of a revision, as its ControllerRevision records them. Pure. */
import { ok, type Result } from '@lockstep/kube/env'
import { type KubeObject, type ObjectReference, refOf, refText } from '@lockstep/kube/object'
import { type Dialects, deliveredObjects, type OrderFailure, type WriteMode } from '../order/index.ts'

/** An object of a revision. Its name and namespace may mention bindings. */
export interface ObjectClaim extends ObjectReference {
  /** Mode `IfNotPresent`: created if missing, and never owned. */
  readonly isUnowned: boolean
}

/** Modes of objects that the revision neither writes nor deletes. */
const UNCLAIMED: ReadonlySet<WriteMode> = new Set(['Ignore', 'Observe'])

const UNOWNED: WriteMode = 'IfNotPresent'

/**
 * `apps/Deployment shop/web`, `Namespace shop`, `ConfigMap shop/seed IfNotPresent`: sorted, without hooks and waits, and
 * without objects that are left alone.
 */
export function claimTextsOf(
  bundle: readonly KubeObject[],
  dialects: Dialects | undefined,
): Result<string[], OrderFailure> {
  const found = deliveredObjects(bundle, dialects)
  if (!found.ok) return found
  const claimed = found.value.filter(({ options }) => !UNCLAIMED.has(options.mode))
  const texts = claimed.map(({ object, options }) => {
    const text = refText(refOf(object))
    return options.mode === UNOWNED ? `${text} ${UNOWNED}` : text
  })
  return ok([...new Set(texts)].sort())
}

/** The other way round. */
export function parseClaim(text: string): ObjectClaim {
  const [type = '', key = '', mode] = text.split(' ')
  const [group, kind] = type.includes('/') ? (type.split('/') as [string, string]) : ['', type]
  const slash = key.indexOf('/')
  const name = key.slice(slash + 1)
  const isUnowned = mode === UNOWNED
  return slash < 0
    ? { group, kind, name, isUnowned }
    : { group, kind, namespace: key.slice(0, slash), name, isUnowned }
}
