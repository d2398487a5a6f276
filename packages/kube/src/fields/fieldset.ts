import type { PathElement } from './pathelement.ts'
import { printElement, sortElements } from './pathelement.ts'

/** What a set says about one step: whether the path that ends here is in it, and what is in it below. */
export interface FieldNode {
  readonly isMember: boolean
  /** Never empty: a node without anything below has none. */
  readonly children: FieldSet | undefined
}

/** A path from the root of an object. */
export type FieldPath = readonly PathElement[]

/**
 * A set of field paths: who owns what. Immutable; operations share what they do not change. A path and its parent are
 * members independently of each other. Semantics: structured-merge-diff `fieldpath/set.go`.
 */
export class FieldSet {
  static readonly empty = new FieldSet(new Map())
  readonly nodes: ReadonlyMap<PathElement, FieldNode>

  private constructor(nodes: ReadonlyMap<PathElement, FieldNode>) {
    this.nodes = nodes
  }

  /** A set over nodes that say something: each is a member or has children that are not empty. */
  static of(nodes: ReadonlyMap<PathElement, FieldNode>): FieldSet {
    return nodes.size === 0 ? FieldSet.empty : new FieldSet(nodes)
  }

  static fromPaths(paths: Iterable<FieldPath>): FieldSet {
    let out = FieldSet.empty
    for (const path of paths) out = out.union(single(path))
    return out
  }

  get isEmpty(): boolean {
    return this.nodes.size === 0
  }

  has(path: FieldPath): boolean {
    let here: FieldSet | undefined = this
    for (let i = 0; i < path.length; i++) {
      const node: FieldNode | undefined = here?.nodes.get(path[i] as PathElement)
      if (node === undefined) return false
      if (i === path.length - 1) return node.isMember
      here = node.children
    }
    return false
  }

  isMember(element: PathElement): boolean {
    return this.nodes.get(element)?.isMember === true
  }

  child(element: PathElement): FieldSet | undefined {
    return this.nodes.get(element)?.children
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty || other === this) return this
    if (this.isEmpty) return other
    const out = new Map(this.nodes)
    for (const [element, b] of other.nodes) {
      const a = out.get(element)
      if (a === undefined) out.set(element, b)
      else
        out.set(element, {
          isMember: a.isMember || b.isMember,
          children: a.children && b.children ? a.children.union(b.children) : (a.children ?? b.children),
        })
    }
    return new FieldSet(out)
  }

  intersection(other: FieldSet): FieldSet {
    if (other === this) return this
    const out = new Map<PathElement, FieldNode>()
    const [small, large] = this.nodes.size <= other.nodes.size ? [this, other] : [other, this]
    for (const [element, a] of small.nodes) {
      const b = large.nodes.get(element)
      if (b === undefined) continue
      put(out, element, a.isMember && b.isMember, a.children && b.children?.intersection(a.children))
    }
    return FieldSet.of(out)
  }

  /** What is in this set and not in the other. A parent in the other set takes nothing from its children. */
  difference(other: FieldSet): FieldSet {
    return this.without(other, false)
  }

  /** As `difference`, but a path in the other set takes everything below it away too. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.without(other, true)
  }

  private without(other: FieldSet, isRecursive: boolean): FieldSet {
    if (this.isEmpty || other.isEmpty) return this
    let out: Map<PathElement, FieldNode> | undefined
    for (const [element, a] of this.nodes) {
      const b = other.nodes.get(element)
      if (b === undefined) continue
      let children = a.children
      if (children && isRecursive && b.isMember) children = undefined
      else if (children && b.children) children = children.without(b.children, isRecursive)
      const isMember = a.isMember && !b.isMember
      if (isMember === a.isMember && children === a.children) continue
      out ??= new Map(this.nodes)
      out.delete(element)
      put(out, element, isMember, children)
    }
    return out === undefined ? this : FieldSet.of(out)
  }

  isSubsetOf(other: FieldSet): boolean {
    if (other === this) return true
    for (const [element, a] of this.nodes) {
      const b = other.nodes.get(element)
      if (b === undefined || (a.isMember && !b.isMember)) return false
      if (a.children && !(b.children && a.children.isSubsetOf(b.children))) return false
    }
    return true
  }

  /** Members without members below them. A node whose last leaf goes with it goes too. */
  leaves(): FieldSet {
    const out = new Map<PathElement, FieldNode>()
    for (const [element, node] of this.nodes)
      put(out, element, node.isMember && node.children === undefined, node.children?.leaves())
    return FieldSet.of(out)
  }

  equals(other: FieldSet): boolean {
    if (other === this) return true
    if (other.nodes.size !== this.nodes.size) return false
    for (const [element, a] of this.nodes) {
      const b = other.nodes.get(element)
      if (b === undefined || a.isMember !== b.isMember) return false
      if (a.children === b.children) continue
      if (!a.children || !b.children || !a.children.equals(b.children)) return false
    }
    return true
  }

  /** Number of paths. */
  get size(): number {
    let n = 0
    for (const node of this.nodes.values()) n += (node.isMember ? 1 : 0) + (node.children?.size ?? 0)
    return n
  }

  /** All paths: those that end on a level in order, then what is below, in order. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    const sorted = sortElements(this.nodes.keys())
    for (const element of sorted) if (this.nodes.get(element)?.isMember) yield [...prefix, element]
    for (const element of sorted) {
      const below = this.nodes.get(element)?.children
      if (below) yield* below.paths([...prefix, element])
    }
  }
}

/** Adds a node if it says something. */
function put(
  out: Map<PathElement, FieldNode>,
  element: PathElement,
  isMember: boolean,
  children: FieldSet | undefined,
): void {
  const below = children?.isEmpty ? undefined : children
  if (isMember || below) out.set(element, { isMember, children: below })
}

/** The set of one path. The root itself is nobody's: an empty path is the empty set. */
function single(path: FieldPath): FieldSet {
  let below: FieldSet | undefined
  for (let i = path.length - 1; i >= 0; i--)
    below = FieldSet.of(
      new Map([[path[i] as PathElement, { isMember: below === undefined, children: below }]]),
    )
  return below ?? FieldSet.empty
}

/** `.spec.ports[port=80,protocol="TCP"].name` */
export const printPath = (path: FieldPath): string => path.map(printElement).join('')
