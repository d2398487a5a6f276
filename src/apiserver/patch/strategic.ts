import type { Result } from '../../env/result.ts'
import { err } from '../../env/result.ts'
import type { JsonObject, JsonValue } from '../../object/object.ts'
import type { SchemaOps } from '../schema/types.ts'
import type { ApiFailure } from '../status/failure.ts'

/** Strategic merge patch needs the patch metadata of the built-in types, which this version does not have. */
export function applyStrategicPatch(
  _schema: SchemaOps,
  _base: JsonValue,
  _patch: JsonObject,
): Result<JsonValue, ApiFailure> {
  return err({
    code: 415,
    reason: 'UnsupportedMediaType',
    message:
      'strategic merge patch is not served by this version of the embedded API; use application/merge-patch+json or application/apply-patch+yaml',
  })
}
