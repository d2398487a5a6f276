/** Whether the releases of modules that need each other can be compared. */
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { type ModuleEdge, type ModuleRef, moduleEdges } from '../graph/moduleref.ts'
import { moduleWaitRef } from '../graph/waitref.ts'
import type { Observation, PublishedRevision } from './observation.ts'

/**
 * Edges that ask for the same release where one side sets none: such a module may start before the next revision of what it
 * needs is published. A warning, since nothing waits for it.
 */
export function uncomparedReleases(
  module: ModuleRef,
  published: PublishedRevision,
  seen: Observation,
): NewBlocker[] {
  return moduleEdges(published.edges).flatMap((edge) => {
    const without = withoutRelease(edge, module, published, seen)
    if (without === undefined) return []
    const on = [moduleWaitRef({ to: module, set: undefined }), moduleWaitRef(edge)] as const
    const facts = { edge: edge.id, module: module.name, dependency: edge.to.name, without }
    return [blocked('ReleaseNotCompared', on, facts)]
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
