/** Whether the releases of modules that need each other can be compared. */
import { type ModuleEdge, type ModuleRef, moduleEdges } from '../graph/moduleref.ts'
import type { Observation, PublishedRevision } from './observation.ts'

/**
 * Edges that ask for the same release where one side sets none: such a module may start before the next revision of what it
 * needs is published. A warning, since nothing waits for it.
 */
export function uncomparedReleases(
  module: ModuleRef,
  published: PublishedRevision,
  seen: Observation,
): string[] {
  return moduleEdges(published.edges).flatMap((edge) => {
    const who = withoutRelease(edge, module, published, seen)
    if (who === undefined) return []
    const { to } = edge
    const risk = `${module.name} may start before ${to.name}'s next revision is published`
    return [`${edge.id}: ${who} sets no release; ${risk}; set spec.release on both`]
  })
}

function withoutRelease(
  edge: ModuleEdge,
  module: ModuleRef,
  published: PublishedRevision,
  seen: Observation,
): string | undefined {
  const other = seen.module(edge.to)?.published
  if (edge.release === 'Any' || !other) return undefined
  if (other.release === undefined) return edge.to.name
  return published.release === undefined ? module.name : undefined
}
