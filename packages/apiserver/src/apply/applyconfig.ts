import { FieldSet } from '@lockstep/kube/fields'
import { jsonEqual } from '@lockstep/kube/object'
import { ConflictError, conflictsOf } from './conflict.ts'
import type { Converter, Typed } from './converter.ts'
import type { ManagerSets, VersionedSet } from './managersets.ts'
import { pruneUnownedFields } from './pruneunownedfields.ts'
import { collectFields } from './typed/collectfields.ts'
import { type Comparison, compareTypedValues } from './typed/comparetypedvalues.ts'
import { mergeTypedValues } from './typed/mergetypedvalues.ts'
import { reconcileFieldSet } from './typed/reconcilefieldset.ts'

/** Fields that an endpoint never owns, such as `status` on the main path. */
export interface UpdaterRules {
  readonly converter: Converter
  readonly ignored: FieldSet
}

export interface UpdaterChange {
  readonly version: string
  readonly manager: string
}

/**
 * Server-side apply (structured-merge-diff `merge/update.go`): merges the configuration over the live object, takes out
 * what the manager gave up, and settles who owns what. The live value itself comes back if nothing changed.
 * @throws ConflictError, TypedError
 */
export function applyConfig(
  live: Typed,
  config: Typed,
  managers: ManagerSets,
  change: UpdaterChange & { readonly force: boolean },
  rules: UpdaterRules,
): { object: Typed; managers: ManagerSets; isPruned: boolean } {
  const known = reconcileAll(live, managers, rules.converter)
  const merged = mergeTypedValues(live.value, config.value, live.type) ?? null
  const last = known.get(change.manager)
  const set = collectFields(config.value, config.type).recursiveDifference(rules.ignored)
  const now = new Map(known).set(change.manager, { set, version: change.version, applied: true })
  const pruned = pruneUnownedFields(
    { value: merged, type: live.type },
    now,
    change.manager,
    last,
    rules.converter,
  )
  const settled = settle(live, pruned, now, change, change.force, rules)
  const isPruned = pruned.value !== merged
  // Merging gives the live value itself back if nothing changed; only pruning has to be compared.
  const isSame = pruned.value === live.value || (isPruned && jsonEqual(pruned.value, live.value))
  return { object: isSame ? live : pruned, managers: settled.managers, isPruned }
}

/**
 * Any other write: changed and added fields go to the manager, removed ones leave every set
 * (structured-merge-diff `merge/update.go`).
 * @throws TypedError
 */
export function trackUpdate(
  live: Typed,
  next: Typed,
  managers: ManagerSets,
  change: UpdaterChange,
  rules: UpdaterRules,
): ManagerSets {
  const known = reconcileAll(live, managers, rules.converter)
  const settled = settle(live, next, known, change, true, rules)
  const { added, modified, removed } = settled.comparison
  const before = settled.managers.get(change.manager)?.set ?? FieldSet.empty
  const set = before.difference(removed).union(modified).union(added).recursiveDifference(rules.ignored)
  const out = new Map(settled.managers)
  if (set.isEmpty) out.delete(change.manager)
  else out.set(change.manager, { set, version: change.version, applied: false })
  return out
}

/** Takes conflicting and removed fields from everybody else; without force, conflicts are an error. */
function settle(
  live: Typed,
  next: Typed,
  managers: ManagerSets,
  change: UpdaterChange,
  force: boolean,
  rules: UpdaterRules,
): { managers: ManagerSets; comparison: Comparison } {
  const comparison = without(compareTypedValues(live.value, next.value, live.type), rules.ignored)
  const byVersion = new Map<string, Comparison | undefined>([[change.version, comparison]])
  const conflicts = new Map<string, FieldSet>()
  const out = new Map<string, VersionedSet>()
  for (const [manager, owned] of managers) {
    if (manager === change.manager) {
      if (!owned.set.isEmpty) out.set(manager, owned)
      continue
    }
    if (!byVersion.has(owned.version))
      byVersion.set(owned.version, compareIn(owned.version, live, next, rules))
    const here = byVersion.get(owned.version)
    // Nobody can own fields in a version that is not served any more.
    if (here === undefined) continue
    const conflict = owned.set.intersection(here.modified.union(here.added))
    if (!conflict.isEmpty) conflicts.set(manager, conflict)
    const kept = owned.set.difference(conflict).difference(here.removed)
    if (!kept.isEmpty) out.set(manager, kept === owned.set ? owned : { ...owned, set: kept })
  }
  if (!force && conflicts.size > 0) throw new ConflictError(conflictsOf(conflicts))
  return { managers: out, comparison }
}

function compareIn(version: string, live: Typed, next: Typed, rules: UpdaterRules): Comparison | undefined {
  const before = rules.converter.convert(live, version)
  const after = before && rules.converter.convert(next, version)
  return before && after && without(compareTypedValues(before.value, after.value, before.type), rules.ignored)
}

const without = (c: Comparison, ignored: FieldSet): Comparison =>
  ignored.isEmpty
    ? c
    : {
        added: c.added.recursiveDifference(ignored),
        modified: c.modified.recursiveDifference(ignored),
        removed: c.removed.recursiveDifference(ignored),
      }

/** Sets recorded under an older schema, read with the present one; sets of versions that are gone are dropped. */
function reconcileAll(live: Typed, managers: ManagerSets, converter: Converter): ManagerSets {
  const out = new Map<string, VersionedSet>()
  for (const [manager, owned] of managers) {
    const object = converter.convert(live, owned.version)
    if (object === undefined) continue
    const set = reconcileFieldSet(owned.set, object.type)
    out.set(manager, set === owned.set ? owned : { ...owned, set })
  }
  return out
}
