import { isObject, isString, type JsonValue, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { fill, within } from '../resources/objectdraft.ts'
import { forbidden, invalid } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import { IMMUTABLE } from '../status/invalid.ts'
import type { SpecialRules } from './specialrules.ts'

const SEALED = 'field is immutable when `immutable` is set'

/** What is sealed stays as it is (kubernetes pkg/apis/core/validation). */
function sealFindings(
  next: KubeObject,
  old: KubeObject | undefined,
  members: readonly string[],
): FieldError[] {
  if (old?.immutable !== true) return []
  const out: FieldError[] = next.immutable === true ? [] : [forbidden('immutable', SEALED)]
  for (const m of members) if (!jsonEqual(next[m], old[m])) out.push(forbidden(m, SEALED))
  return out
}

/** `stringData` is only ever written: it becomes `data`. */
function encodeStringData(o: ObjectDraft): void {
  const given = within(o, 'stringData')
  if (given) {
    const data: ObjectDraft = { ...within(o, 'data') }
    for (const [k, v] of Object.entries(given))
      if (isString(v)) data[k] = Buffer.from(v, 'utf8').toString('base64')
    o.data = data
  }
  delete o.stringData
}

const secret: SpecialRules = {
  defaults(o) {
    fill(o, { type: 'Opaque' })
    encodeStringData(o)
  },
  validate(next, old) {
    const out = sealFindings(next, old, ['data'])
    for (const [k, v] of Object.entries(isObject(next.data) ? next.data : {}))
      if (isString(v) && !isBase64(v)) out.push(invalid(`data[${k}]`, '<binary>', 'must be base64'))
    if (old && next.type !== old.type) out.push(invalid('type', next.type as JsonValue, IMMUTABLE))
    return out
  },
  fields: { type: (o) => String(o.type ?? '') },
}

const isBase64 = (s: string): boolean => s.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(s)

const configMap: SpecialRules = {
  validate: (next, old) => sealFindings(next, old, ['data', 'binaryData']),
}

/** Kinds that hold data. */
export const configRules: Readonly<Record<string, SpecialRules>> = {
  ConfigMap: configMap,
  Secret: secret,
  ServiceAccount: { returnsDeleted: true },
}
