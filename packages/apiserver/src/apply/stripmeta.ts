import { FieldSet, fieldElement } from '@lockstep/kube/fields'
import type { ManagerSets } from './managersets.ts'

const META =
  'name namespace creationTimestamp selfLink uid clusterName generation managedFields resourceVersion'

/** Fields that nobody owns: identity and what the server writes (apimachinery `managedfields/internal/stripmeta.go`). */
const stripped = FieldSet.fromPaths([
  [fieldElement('apiVersion')],
  [fieldElement('kind')],
  [fieldElement('metadata')],
  ...META.split(' ').map((name) => [fieldElement('metadata'), fieldElement(name)]),
])

/**
 * The managers, one of them without those fields. What it owned before is used again if it still owns the same: that is
 * known in its written form.
 */
export function stripMeta(managers: ManagerSets, manager: string, before?: ManagerSets): ManagerSets {
  const owned = managers.get(manager)
  if (owned === undefined) return managers
  const set = owned.set.difference(stripped)
  const out = new Map(managers)
  const known = before?.get(manager)
  const isKnown = known?.version === owned.version && known.applied === owned.applied && known.set.equals(set)
  if (set.isEmpty) out.delete(manager)
  else out.set(manager, isKnown ? known : { ...owned, set })
  return out
}
