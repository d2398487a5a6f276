import { isArray, isObject, isString, type JsonObject, type JsonValue, member } from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'

type MetaCheck = (value: JsonValue) => boolean

const text: MetaCheck = isString
const whole: MetaCheck = (v) => (typeof v === 'number' && Number.isInteger(v)) || typeof v === 'bigint'
const texts: MetaCheck = (v) => isArray(v) && v.every(isString)
const textMap: MetaCheck = (v) => isObject(v) && Object.values(v).every((x) => isString(x) || x === null)
const objects: MetaCheck = (v) => isArray(v) && v.every(isObject)

const MEMBERS: Readonly<Record<string, { check: MetaCheck; go: string }>> = {
  name: { check: text, go: 'string' },
  generateName: { check: text, go: 'string' },
  namespace: { check: text, go: 'string' },
  selfLink: { check: text, go: 'string' },
  uid: { check: text, go: 'types.UID' },
  resourceVersion: { check: text, go: 'string' },
  generation: { check: whole, go: 'int64' },
  creationTimestamp: { check: text, go: 'Time' },
  deletionTimestamp: { check: text, go: 'Time' },
  deletionGracePeriodSeconds: { check: whole, go: 'int64' },
  labels: { check: textMap, go: 'map[string]string' },
  annotations: { check: textMap, go: 'map[string]string' },
  ownerReferences: { check: objects, go: '[]OwnerReference' },
  finalizers: { check: texts, go: '[]string' },
  managedFields: { check: objects, go: '[]ManagedFieldsEntry' },
}

export interface DecodedMeta {
  readonly clean: ObjectDraft
  /** Paths that ObjectMeta does not have. */
  readonly unknown: string[]
  readonly failure?: string
}

/**
 * Metadata as every kind has it. Nulls and empty strings, lists and maps are as good as absent, as in Go's ObjectMeta;
 * `selfLink` is never kept. An explicit empty `managedFields` is: it resets ownership.
 */
export function metadataProblems(value: JsonValue): DecodedMeta {
  const given = member(value, 'metadata')
  if (given === undefined || given === null) return { clean: {}, unknown: [] }
  if (!isObject(given))
    return {
      clean: {},
      unknown: [],
      failure: 'json: cannot unmarshal metadata into Go struct field .metadata of type v1.ObjectMeta',
    }
  const clean: ObjectDraft = {}
  const unknown: string[] = []
  for (const name of Object.keys(given)) {
    const v = given[name]
    const known = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined
    if (!known) unknown.push(`metadata.${name}`)
    else if (v !== undefined && v !== null && !known.check(v))
      return {
        clean,
        unknown,
        failure: `json: cannot unmarshal ${typeof v} into Go struct field ObjectMeta.metadata.${name} of type ${known.go}`,
      }
    else if (v !== undefined && name !== 'selfLink' && (name === 'managedFields' ? v !== null : !isEmpty(v)))
      clean[name] = name === 'labels' || name === 'annotations' ? withoutNulls(v as JsonObject) : v
  }
  return { clean, unknown }
}

function withoutNulls(map: JsonObject): JsonObject {
  const entries = Object.entries(map)
  return entries.some(([, v]) => v === null) ? Object.fromEntries(entries.map(([k, v]) => [k, v ?? ''])) : map
}

const isEmpty = (v: JsonValue): boolean =>
  v === null || v === '' || (isArray(v) && v.length === 0) || (isObject(v) && Object.keys(v).length === 0)
