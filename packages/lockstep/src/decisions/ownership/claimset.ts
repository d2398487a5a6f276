/** Claims of one revision on one cluster: its objects, their Namespaces and kinds. Pure. */
import { identityOf, type ObjectReference } from '@lockstep/kube/object'
import { boundText, mentionsIn, type Values } from '../binding/index.ts'
import { type ObjectClaim, parseClaim } from './objectclaim.ts'

/** Facts by which claims are bound to a cluster. */
export interface ClaimBinding {
  /** Namespace of namespaced objects without one (`spec.render.namespace`). */
  readonly namespace: string | undefined
  /** Values of the mentioned bindings on the cluster; undefined: not known. */
  readonly values: Values | undefined
  /** Scope of a kind on the cluster; undefined: the cluster does not serve the kind. */
  readonly isNamespaced: (group: string, kind: string) => boolean | undefined
}

/** An object whose name is not known: any object that fits may be it. */
interface ClaimPattern {
  readonly claim: ObjectClaim
  readonly namespace: RegExp
  readonly name: RegExp
  /** The first binding without a value. */
  readonly binding: string
}

/** How a revision has an object; `Pattern`: perhaps, since a binding of its name has no value. */
export type ClaimMatch =
  | { readonly type: 'Owned' | 'Unowned' }
  | { readonly type: 'Pattern'; readonly binding: string }

/** Objects that the deletion of a Namespace or of a definition would delete, too. */
export interface Container {
  /** The Namespace. */
  readonly namespace?: string
  /** `group/Kind` of the definition. */
  readonly kind?: string
}

const EVERYTHING = '.*'
const ESCAPED = /[.*+?^${}()|[\]\\]/g
const MENTION_IN_PATTERN = /\\\$\\\([A-Za-z_][A-Za-z0-9_]*\\\)/g

const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(ESCAPED, '\\$&').replace(MENTION_IN_PATTERN, EVERYTHING)}$`)

export class ClaimSet {
  private readonly byId = new Map<string, ObjectClaim>()
  private readonly namespaces = new Set<string>()
  private readonly kinds = new Set<string>()
  private readonly patterns: ClaimPattern[] = []

  constructor(texts: readonly string[], binding: ClaimBinding) {
    for (const text of texts) this.add(placed(bound(parseClaim(text), binding.values), binding))
  }

  private add(claim: ObjectClaim): void {
    this.kinds.add(`${claim.group}/${claim.kind}`)
    const [unknown] = mentionsIn(`${claim.namespace ?? ''}/${claim.name}`)
    if (unknown !== undefined) {
      const { namespace = '', name } = claim
      this.patterns.push({ claim, namespace: patternOf(namespace), name: patternOf(name), binding: unknown })
      return
    }
    this.byId.set(identityOf(claim), claim)
    if (claim.namespace !== undefined) this.namespaces.add(claim.namespace)
  }

  /** Whether the revision has an object. */
  match(x: ObjectReference): ClaimMatch | undefined {
    const found = this.byId.get(identityOf(x))
    if (found) return { type: found.isUnowned ? 'Unowned' : 'Owned' }
    const pattern = this.patterns.find(
      (p) =>
        p.claim.group === x.group &&
        p.claim.kind === x.kind &&
        p.namespace.test(x.namespace ?? '') &&
        p.name.test(x.name),
    )
    return pattern && { type: 'Pattern', binding: pattern.binding }
  }

  /** Whether the revision has an object in a Namespace, or of a kind. */
  isIn({ namespace, kind }: Container): boolean {
    if (kind !== undefined) return this.kinds.has(kind)
    if (namespace === undefined) return false
    return (
      this.namespaces.has(namespace) ||
      this.patterns.some((p) => p.claim.namespace !== undefined && p.namespace.test(namespace))
    )
  }
}

const bound = (claim: ObjectClaim, values: Values | undefined): ObjectClaim =>
  values === undefined
    ? claim
    : {
        ...claim,
        ...(claim.namespace === undefined ? {} : { namespace: boundText(claim.namespace, values) }),
        name: boundText(claim.name, values),
      }

/** A kind that the cluster does not serve may be namespaced. */
const placed = (claim: ObjectClaim, { namespace, isNamespaced }: ClaimBinding): ObjectClaim =>
  claim.namespace === undefined && namespace !== undefined && isNamespaced(claim.group, claim.kind) !== false
    ? { ...claim, namespace }
    : claim
