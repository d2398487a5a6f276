/** Two Modules that list each other in `spec.apply.takeOverFrom`: they would take an object from each other for ever. */
import { moduleWaitRef } from '../../decisions/graph/index.ts'
import { fault, type SourceFailure } from '../../sources/intake/index.ts'
import { findRevisionRecord, type HubCaches, type NewRevision } from '../cache/index.ts'

/** Undefined: none of the listed Modules lists this one and has one of its objects. */
export function claimConflict(
  hub: HubCaches,
  { module, spec, claims = [] }: NewRevision,
): SourceFailure | undefined {
  for (const { kind, name } of spec.apply.takeOverFrom ?? []) {
    const to = { kind, namespace: module.namespace, name }
    const other = findRevisionRecord(hub, to, hub.published(to)?.status?.currentRevision)
    const lists = other?.spec.apply.takeOverFrom?.some(
      (e) => e.kind === module.kind && e.name === module.name,
    )
    const theirs = new Set(lists ? other?.claims : [])
    const object = claims.find((claim) => theirs.has(claim))
    const isSelf = kind === module.kind && name === module.name
    if (object === undefined || isSelf) continue
    const on = moduleWaitRef({ to, set: undefined })
    return fault('ClaimConflict', { module: `${kind} ${name}`, object }, false, [on])
  }
  return undefined
}
