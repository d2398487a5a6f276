import type { JsonValue, KubeObject } from '../../object/object.ts'
import type { Kind } from '../resources/kind.ts'
import type { FieldError } from '../schema/types.ts'
import { validateMeta, validateMetaUpdate } from './metadata.ts'

/** All that is wrong with a new object, in the order in which kube-apiserver tells it. */
export const newFindings = (kind: Kind, next: KubeObject): FieldError[] => [
  ...validateMeta(kind, next),
  ...contentFindings(kind, next, undefined),
]

/** … with a changed one. What was wrong before and is as it was does not stop a change elsewhere. */
export const changeFindings = (kind: Kind, next: KubeObject, live: KubeObject): FieldError[] => [
  ...validateMetaUpdate(kind, next, live),
  ...contentFindings(kind, next, live),
]

function contentFindings(kind: Kind, next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const value = next as unknown as JsonValue
  return [
    ...kind.schema.validateSchema(content(kind, next), old && content(kind, old)),
    ...(kind.rules.afterSchema?.(next) ?? []),
    ...kind.schema.validateInvariants(value),
    ...(kind.rules.validate?.(next, old) ?? []),
  ]
}

/** Metadata of built-in kinds has been checked already; a definition may say more about that of its own. */
const content = (kind: Kind, o: KubeObject): JsonValue =>
  (kind.custom ? o : { ...o, metadata: {} }) as unknown as JsonValue
