import type { JsonValue, KubeObject } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'
import type { FieldError } from '../schema/schematypes.ts'
import { validateMeta, validateMetaUpdate } from './validatemeta.ts'
import type { ServerWriteOptions } from './writeoptions.ts'

type FindingOptions = Pick<ServerWriteOptions, 'subresource' | 'warn'>

/** All that is wrong with a new object, in the order in which kube-apiserver tells it. */
export const newFindings = (
  kind: ServedKind,
  next: KubeObject,
  options: FindingOptions,
): readonly FieldError[] => contentFindings(kind, next, undefined, validateMeta(kind, next), options)

/** … with a changed one. What was wrong before and is as it was does not stop a change elsewhere. */
export const changeFindings = (
  kind: ServedKind,
  next: KubeObject,
  live: KubeObject,
  options: FindingOptions,
): readonly FieldError[] => contentFindings(kind, next, live, validateMetaUpdate(kind, next, live), options)

function contentFindings(
  kind: ServedKind,
  next: KubeObject,
  old: KubeObject | undefined,
  ofMeta: readonly FieldError[],
  { subresource, warn }: FindingOptions,
): readonly FieldError[] {
  const value = next as unknown as JsonValue
  const before = old as unknown as JsonValue | undefined
  const part = kind.custom && subresource === 'status' ? 'status' : undefined
  const found = [
    ...ofMeta,
    ...kind.schema.validateSchema(content(kind, next), old && content(kind, old), part),
    ...(kind.rules.afterSchema?.(next) ?? []),
    ...kind.schema.validateInvariants(value, before, part),
    ...(kind.rules.validate?.(next, old) ?? []),
  ]
  return [...found, ...kind.schema.validateRules(value, { old: before, found, warn })]
}

/** Metadata of built-in kinds has been checked already; a definition may say more about that of its own. */
const content = (kind: ServedKind, o: KubeObject): JsonValue =>
  (kind.custom ? o : { ...o, metadata: {} }) as unknown as JsonValue
