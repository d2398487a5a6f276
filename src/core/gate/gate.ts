import type { NewBlocker } from '../../api/blocker.ts'
import { type Digest, short10 } from '../../object/object.ts'
import { type Edge, type ModuleRef, moduleId, moduleText } from '../graph/module.ts'
import { type EdgeDigest, gateDigestOf } from '../revision/revision.ts'

/** A published revision of a module, as everybody but its author sees it. */
export interface Published {
  readonly revision: Digest
  readonly release: string | undefined
  readonly attempt: number
  readonly edges: readonly Edge[]
}

/** What is observed of one unit: its Inventory. */
export interface UnitSeen {
  readonly uid: string
  readonly resourceVersion: string
  readonly admittedRevision: Digest | undefined
  readonly admittedGateDigest: Digest | undefined
  readonly admittedRelease: string | undefined
  /** Where health was read after the last write and after the last edge opened. */
  readonly verifiedGateDigest: Digest | undefined
  readonly healthy: boolean
  /** What keeps it from being healthy, for people. */
  readonly detail: string
}

/** Everything that a gate looks at. `undefined` from `module` means that it does not exist. */
export interface Observation {
  module(ref: ModuleRef): { readonly published: Published | undefined } | undefined
  selects(ref: ModuleRef, cluster: string): boolean
  unit(ref: ModuleRef, cluster: string): UnitSeen | undefined
}

export interface EdgeEvidence {
  readonly edge: string
  readonly uid: string
  readonly resourceVersion: string
  readonly gateDigest: Digest
  readonly release: string | undefined
}

export type GateResult =
  | {
      readonly outcome: 'Open'
      readonly evidence: readonly EdgeEvidence[]
    }
  | { readonly outcome: 'Closed'; readonly blockers: readonly NewBlocker[] }

/** A unit that wants to act on `published` on `cluster`. */
export interface Wanting {
  readonly module: ModuleRef
  readonly cluster: string
  readonly published: Published
}

/**
 * The conjunction of a unit's edges. Open means that each was *observed* satisfied, at the right release and gate
 * digest; the evidence says by what.
 */
export function gate(unit: Wanting, seen: Observation): GateResult {
  const blockers: NewBlocker[] = []
  const evidence: EdgeEvidence[] = []
  for (const edge of unit.published.edges) {
    const found = lookAt(edge, unit, seen)
    if (found.blocker) blockers.push(found.blocker)
    if (found.evidence) evidence.push(found.evidence)
  }
  return blockers.length > 0 ? { outcome: 'Closed', blockers } : { outcome: 'Open', evidence }
}

interface EdgeLook {
  readonly blocker?: NewBlocker
  readonly evidence?: EdgeEvidence
}

/** What one edge comes to: the first that applies, from what does not exist to what is not verified. */
function lookAt(edge: Edge, unit: Wanting, seen: Observation): EdgeLook {
  const { to } = edge
  const subject = moduleText(to)
  const closed = (reason: NewBlocker['reason'], text: string): EdgeLook => ({
    blocker: { reason, message: `${edge.id}: ${text}`, subject: `${subject}@${unit.cluster}` },
  })
  const module = seen.module(to)
  if (!module) {
    if (edge.optional) return {}
    return closed('DependencyMissing', `${to.kind} ${to.namespace}/${to.name} does not exist`)
  }
  if (!seen.selects(to, unit.cluster)) {
    if (edge.optional) return {}
    const hint = 'set optional: true if that is meant'
    return closed(
      'DependencyNotSelected',
      `${to.kind} ${to.namespace}/${to.name} does not select cluster ${unit.cluster}; ${hint}`,
    )
  }
  const { published } = module
  const there = seen.unit(to, unit.cluster)
  if (!published) return closed('DependencyNotStarted', `${to.name} has no published revision`)
  const named = nameOf(to, published)
  if (there?.admittedRevision !== published.revision) {
    return closed(
      'DependencyNotStarted',
      `${named} (${short10(published.revision)}) is not admitted on ${unit.cluster}`,
    )
  }
  if (edge.release === 'Same' && differ(published.release, unit.published.release)) {
    const wants = `${unit.module.name} wants ${unit.published.release}`
    return closed('ReleaseMismatch', `${to.name} is published at ${published.release}, ${wants}`)
  }
  const wanted = wantedGateDigest({ module: to, cluster: unit.cluster, published }, seen)
  if (!there.healthy)
    return closed(
      'DependencyNotReady',
      `${named} is admitted on ${unit.cluster}, not healthy: ${there.detail}`,
    )
  if (there.verifiedGateDigest !== wanted) {
    return closed(
      'DependencyNotReady',
      `${named} on ${unit.cluster} is not verified since ${changedBelow(published, unit.cluster, seen)}`,
    )
  }
  return {
    evidence: {
      edge: edge.id,
      uid: there.uid,
      resourceVersion: there.resourceVersion,
      gateDigest: wanted,
      release: there.admittedRelease,
    },
  }
}

const nameOf = (m: ModuleRef, p: Published): string => (p.release ? `${m.name} ${p.release}` : m.name)

const differ = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b

/** Names what moved below a dependency, for the message; the digest alone says only that something did. */
function changedBelow(published: Published, cluster: string, seen: Observation): string {
  const moved = published.edges.filter((e) => {
    const below = seen.module(e.to)?.published
    if (!below || e.release === 'Any') return false
    const unit = seen.unit(e.to, cluster)
    return (
      unit === undefined ||
      unit.verifiedGateDigest !== wantedGateDigest({ module: e.to, cluster, published: below }, seen)
    )
  })
  const names = (moved.length > 0 ? moved : published.edges).map((e) => e.to.name)
  return names.length > 0 ? `${names.join(', ')} changed` : 'it changed'
}

/**
 * The gate digest that a unit has once everything below it is at what is published. Chained: it contains those of its
 * dependencies. A cycle (refused when published) is cut, so that this ends on any input.
 */
export function wantedGateDigest(unit: Wanting, seen: Observation): Digest {
  return digestOfUnit(unit, seen, new Map(), new Set())
}

function digestOfUnit(
  unit: Wanting,
  seen: Observation,
  memo: Map<string, Digest>,
  open: Set<string>,
): Digest {
  const id = moduleId(unit.module)
  const known = memo.get(id)
  if (known) return known
  open.add(id)
  // By id: where a cycle is cut depends on the way, and must not depend on how somebody has written the list.
  const inOrder = [...unit.published.edges].sort((a, b) => (a.id < b.id ? -1 : 1))
  const edges = inOrder.map((e) => ({ id: e.id, digest: edgeDigest(e, unit.cluster, seen, memo, open) }))
  open.delete(id)
  const digest = gateDigestOf(unit.published.revision, unit.published.attempt, edges)
  memo.set(id, digest)
  return digest
}

function edgeDigest(
  e: Edge,
  cluster: string,
  seen: Observation,
  memo: Map<string, Digest>,
  open: Set<string>,
): EdgeDigest['digest'] {
  if (e.release === 'Any') return 'any'
  const published = seen.module(e.to)?.published
  if (!published || !seen.selects(e.to, cluster) || open.has(moduleId(e.to))) return 'absent'
  return digestOfUnit({ module: e.to, cluster, published }, seen, memo, open)
}
