import { err, ok, type Result } from '@lockstep/kube/env'
import { deepCopy, isObject, isString, type JsonValue, parseApiVersion } from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { within } from '../resources/objectdraft.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { kindOf } from '../resources/servedkind.ts'
import { invalid as invalidValue } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest } from '../status/apifailure.ts'
import { invalid } from '../status/invalid.ts'
import { metadataProblems } from './metadataproblems.ts'
import { omitEmpty } from './omitempty.ts'
import type { ServerWriteOptions } from './writeoptions.ts'

/**
 * Takes a decoded body for an object of the kind: checks what it says it is, drops unknown fields, fills defaults.
 * The result is a draft that nobody else has.
 */
export function decodeBody(
  kind: ServedKind,
  body: JsonValue,
  options: ServerWriteOptions,
  duplicates: readonly string[] = [],
): Result<ObjectDraft, ApiFailure> {
  const wrong = checkType(kind, body)
  if (wrong) return err(wrong)
  const { value, dropped } = kind.schema.prune(body)
  const meta = metadataProblems(value)
  if (meta.failure) return err(unfit(kind, meta.failure))
  const problems = [
    ...[...dropped, ...meta.unknown].sort().map((p) => `unknown field "${p}"`),
    ...duplicates.map((p) => `duplicate field "${p}"`),
  ]
  if (problems.length > 0 && options.validation === 'Strict')
    return err(unfit(kind, `strict decoding error: ${problems.join(', ')}`))
  if (options.validation === 'Warn') for (const p of problems) options.warn(p)
  const draft = deepCopy(kind.schema.defaults(value)) as ObjectDraft
  draft.metadata = meta.clean
  const misfit = kind.custom ? undefined : typeMismatch(kind, draft as JsonValue)
  if (misfit) return err(misfit)
  if (!kind.custom) omitEmpty(draft as JsonValue, kind.schema.schema, kind.schema.resolve)
  kind.rules.canonical?.(draft)
  kind.rules.defaults?.(draft)
  return ok(draft)
}

/** A null is nothing to Go. */
const isMisfit = (e: FieldError): boolean => e.type === 'TypeInvalid' && !e.message.endsWith(': "null"')

/** Built-in kinds are decoded into Go types: a value of a wrong type is no object at all. */
function typeMismatch(kind: ServedKind, body: JsonValue): ApiFailure | undefined {
  const found = kind.schema.validateSchema({ ...(body as ObjectDraft), metadata: {} }).find(isMisfit)
  if (!found) return undefined
  const [, want = 'object', given = ''] = /must be of type ([\w,]+): "(\w+)"/.exec(found.message) ?? []
  return unfit(
    kind,
    `json: cannot unmarshal ${given} into Go struct field ${kind.info.kind}.${found.field} of type ${want}`,
  )
}

/** `Widget in version "v1" cannot be handled as a Widget: …` (apiserver `transformDecodeError`). */
export const unfit = (kind: ServedKind, why: string): ApiFailure =>
  badRequest(
    `${kind.info.kind} in version "${kind.info.version}" cannot be handled as a ${kind.info.kind}: ${why}`,
  )

/** Whether the body says to be of this kind and version. Built-in kinds may leave both out. */
function checkType(kind: ServedKind, body: JsonValue): ApiFailure | undefined {
  if (!isObject(body))
    return unfit(kind, `json: cannot unmarshal ${jsonTypeOf(body)} into Go value of type ${kind.info.kind}`)
  const said = body as ObjectDraft
  if (!kind.custom) {
    said.kind ??= kind.info.kind
    said.apiVersion ??= versionOf(kind)
  }
  if (!isString(said.kind) || said.kind === '')
    return badRequest(
      `the object provided is unrecognized (must be of type ${kind.info.kind}): Object 'Kind' is missing in '${brief(body)}' (${brief(body)})`,
    )
  if (!isString(said.apiVersion) || said.apiVersion === '')
    return badRequest(
      `the object provided is unrecognized (must be of type ${kind.info.kind}): Object 'apiVersion' is missing in '${brief(body)}' (${brief(body)})`,
    )
  return wrongVersion(kind, said.apiVersion) ?? wrongKind(kind, said.kind, said)
}

function wrongVersion(kind: ServedKind, apiVersion: string): ApiFailure | undefined {
  const { group, version } = parseApiVersion(apiVersion)
  if (group === kind.info.group && version === kind.info.version) return undefined
  return badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${versionOf(kind)})`,
  )
}

function wrongKind(kind: ServedKind, said: string, body: ObjectDraft): ApiFailure | undefined {
  if (said === kind.info.kind) return undefined
  if (!kind.custom)
    return badRequest(
      `${said} in version "${kind.info.version}" cannot be handled as a ${kind.info.kind}: no conversion between the kinds`,
    )
  const name = within(body, 'metadata')?.name
  return invalid({ ...kindOf(kind), name: said }, isString(name) ? name : '', [
    invalidValue('kind', said, `must be ${kind.info.kind}`),
  ])
}

export const versionOf = (kind: ServedKind): string =>
  kind.info.group === '' ? kind.info.version : `${kind.info.group}/${kind.info.version}`

function brief(body: JsonValue): string {
  const text = JSON.stringify(body, (_, v: unknown) => (typeof v === 'bigint' ? v.toString() : v))
  return text.length > 30 ? `${text.slice(0, 30)} ...` : text
}

const jsonTypeOf = (v: JsonValue): string => {
  if (Array.isArray(v)) return 'array'
  return typeof v === 'boolean' ? 'bool' : typeof v === 'bigint' ? 'number' : String(typeof v)
}
