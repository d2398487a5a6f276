/** Keys by which revisions are found that may have an object: the index of claims. Pure. */
import { identityOf, type ObjectReference } from '@lockstep/kube/object'
import { mentionsIn } from '../binding/index.ts'
import type { Container } from './claimset.ts'
import { parseClaim } from './objectclaim.ts'

/** The claims of a revision, and the Namespace of its namespaced objects without one. */
interface RecordedClaims {
  readonly claims: readonly string[] | undefined
  readonly namespace: string | undefined
}

/** Revisions that may have any object: their claims were not recorded. */
export const UNREAD_KEY = 'unread'

const objectKey = (ref: ObjectReference): string => `object ${identityOf(ref)}`
const patternKey = (group: string, kind: string): string => `pattern ${group}/${kind}`
const namespaceKey = (namespace: string): string => `namespace ${namespace}`
const kindKey = (kind: string): string => `kind ${kind}`
/** Objects with a mention in their Namespace. */
const ANY_NAMESPACE = 'namespace'

/** Keys of a revision in the index. A claim without namespace has two, since the scope of its kind is not known. */
export function claimKeysOf({ claims, namespace: home }: RecordedClaims): string[] {
  if (claims === undefined) return [UNREAD_KEY]
  const keys = new Set<string>()
  for (const claim of claims.map(parseClaim)) {
    const { group, kind, name } = claim
    keys.add(kindKey(`${group}/${kind}`))
    for (const namespace of claim.namespace === undefined && home !== undefined
      ? [undefined, home]
      : [claim.namespace]) {
      const isMentioned = namespace !== undefined && mentionsIn(namespace).length > 0
      if (namespace !== undefined) keys.add(isMentioned ? ANY_NAMESPACE : namespaceKey(namespace))
      const isPattern = isMentioned || mentionsIn(name).length > 0
      keys.add(
        isPattern
          ? patternKey(group, kind)
          : objectKey({ group, kind, name, ...(namespace === undefined ? {} : { namespace }) }),
      )
    }
  }
  return [...keys]
}

/** Keys of revisions that may have the object, or an object that a deletion would delete with it. */
export const keysOfObject = (ref: ObjectReference, contents: Container | undefined): string[] => [
  objectKey(ref),
  patternKey(ref.group, ref.kind),
  UNREAD_KEY,
  ...(contents?.namespace === undefined ? [] : [namespaceKey(contents.namespace), ANY_NAMESPACE]),
  ...(contents?.kind === undefined ? [] : [kindKey(contents.kind)]),
]
