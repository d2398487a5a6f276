/** What follows from admitting a record. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { Assignment, InventoryObject } from '../../api/kinds/index.ts'
import type { DesiredObject } from '../../deliver/plan/index.ts'
import { entriesOf } from '../../deliver/state/index.ts'
import type { AdmissionInput } from '../../deliver/step/index.ts'
import type { SourceFailure } from '../../sources/intake/index.ts'
import { unknownRevision } from '../cache/index.ts'
import { bindBundle } from './boundbundle.ts'
import { isObserved } from './externalobjects.ts'
import { revisionOfUnit, type UnitDeps, type UnitScope } from './unitscope.ts'

type Effects = Pick<AdmissionInput, 'creates' | 'changes' | 'hasDeleteHooks'>

/** Objects to be created that nothing is known of, those that change, and whether hooks run in the end. */
export async function admissionEffects(
  c: UnitDeps,
  scope: UnitScope,
  record: Assignment,
): Promise<Result<Effects, SourceFailure>> {
  const revision = revisionOfUnit(c, scope.ref, record.revision)
  const bundle = await c.content.bundles.bound(scope.ref.namespace, record)
  if (!bundle.ok) return bundle
  if (!revision) return err(unknownRevision(scope.ref, record.revision))
  const desired = bindBundle(c, scope, revision, bundle.value)
  if (!desired.ok) return desired
  const { preDelete, postDelete } = desired.value
  const objects = desired.value.objects.filter((d) => d !== undefined)
  const entries = entriesOf(scope)
  // What may be there, whoever made it, is announced once it is seen not to be.
  const creates = objects.filter((d) => !isObserved(d) && !entries.has(d.id))
  const changes = new Set(objects.filter((d) => isChange(d, entries.get(d.id))).map((d) => d.id))
  return ok({ creates, changes, hasDeleteHooks: preDelete.length + postDelete.length > 0 })
}

/** Of what values are copied into only the manifest can be compared: the values are not read yet. */
const isChange = (d: DesiredObject, entry: InventoryObject | undefined): boolean =>
  entry !== undefined && (entry.manifest ?? entry.content) !== d.content
