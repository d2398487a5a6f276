import { FieldSet } from '@lockstep/kube/fields'
import type { Converter, Typed } from './converter.ts'
import type { ManagerSets, VersionedSet } from './managersets.ts'
import { collectFields } from './typed/collectfields.ts'
import { removeItems } from './typed/removeitems.ts'
import { withNamedFields } from './typed/withnamedfields.ts'

/**
 * Takes out of the merged object what the manager owned at its last apply and nobody owns now, dangling items included
 * (structured-merge-diff `merge/update.go`, prune). `managers` already has the new set of the manager.
 */
export function pruneUnownedFields(
  merged: Typed,
  managers: ManagerSets,
  manager: string,
  last: VersionedSet | undefined,
  converter: Converter,
): Typed {
  if (last === undefined || last.set.isEmpty) return merged
  if (keepsAll(last, managers.get(manager) as VersionedSet, merged)) return merged
  const inLast = converter.convert(merged, last.version)
  if (inLast === undefined) return merged
  const given = withNamedFields(last.set, inLast.type)
  const pruned = { value: removeItems(inLast.value, given, inLast.type), type: inLast.type }
  const owned = addBackOwned(inLast, pruned, last.version, managers, converter)
  const done = addBackDangling(inLast, owned, last, converter)
  return converter.convert(done, managers.get(manager)?.version ?? last.version) ?? merged
}

/**
 * Most applies mention everything they mentioned before. If in addition every step of the old set is a member, so that
 * nothing between an owned item and an owned field can be taken out, pruning has nothing to do.
 */
function keepsAll(last: VersionedSet, now: VersionedSet, merged: Typed): boolean {
  if (last.version !== now.version) return false
  const given = withNamedFields(last.set, merged.type)
  if (!isClosed(given)) return false
  return given.isSubsetOf(withNamedFields(now.set, merged.type))
}

function isClosed(set: FieldSet): boolean {
  let known = closed.get(set)
  if (known === undefined) {
    known = allMembers(set)
    closed.set(set, known)
  }
  return known
}

const closed = new WeakMap<FieldSet, boolean>()

function allMembers(set: FieldSet): boolean {
  for (const node of set.nodes.values()) {
    if (!node.isMember) return false
    if (node.children && !allMembers(node.children)) return false
  }
  return true
}

/** What anybody owns now stays, per version of the owners; the pruned version comes first. */
function addBackOwned(
  merged: Typed,
  pruned: Typed,
  prunedVersion: string,
  managers: ManagerSets,
  converter: Converter,
): Typed {
  const byVersion = new Map<string, FieldSet>([[prunedVersion, FieldSet.empty]])
  for (const { set, version } of managers.values())
    byVersion.set(version, (byVersion.get(version) ?? FieldSet.empty).union(set))
  let [m, p] = [merged, pruned]
  for (const [version, managed] of byVersion) {
    if (version === prunedVersion && managed.isEmpty) continue
    const mv = converter.convert(m, version)
    const pv = mv && converter.convert(p, version)
    if (!mv || !pv) continue
    const type = mv.type
    const kept = withNamedFields(collectFields(pv.value, type), type).union(withNamedFields(managed, type))
    const gone = withNamedFields(collectFields(mv.value, type), type).difference(kept)
    m = mv
    p = { value: removeItems(mv.value, gone, type), type }
  }
  return p
}

/** Of what went, only what the manager itself had goes: fields that nobody owned stay. */
function addBackDangling(merged: Typed, pruned: Typed, last: VersionedSet, converter: Converter): Typed {
  const p = converter.convert(pruned, last.version)
  if (p === undefined) return merged
  const type = merged.type
  const gone = withNamedFields(collectFields(merged.value, type), type)
    .difference(withNamedFields(collectFields(p.value, type), type))
    .intersection(withNamedFields(last.set, type))
  return { value: removeItems(merged.value, gone, type), type }
}
