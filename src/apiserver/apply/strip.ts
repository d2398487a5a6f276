import { FieldSet, fieldElement } from '../../object/fields/fields.ts'
import type { Managers } from './managers.ts'

const META =
  'name namespace creationTimestamp selfLink uid clusterName generation managedFields resourceVersion'

/** Fields that nobody owns: identity and what the server writes (apimachinery `managedfields/internal/stripmeta.go`). */
const stripped = FieldSet.fromPaths([
  [fieldElement('apiVersion')],
  [fieldElement('kind')],
  [fieldElement('metadata')],
  ...META.split(' ').map((name) => [fieldElement('metadata'), fieldElement(name)]),
])

/** The managers, one of them without those fields. */
export function stripMeta(managers: Managers, manager: string): Managers {
  const owned = managers.get(manager)
  if (owned === undefined) return managers
  const set = owned.set.difference(stripped)
  if (set === owned.set) return managers
  const out = new Map(managers)
  if (set.isEmpty) out.delete(manager)
  else out.set(manager, { ...owned, set })
  return out
}
