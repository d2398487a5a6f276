import { err, ok, type Result, type ServerRequest } from '@lockstep/kube/env'
import { JsonSyntaxError, type JsonValue, parseJson } from '@lockstep/kube/object'
import yaml from 'js-yaml'
import { decodeProtobuf } from '../protobuf/decodeprotobuf.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest, tooLarge, unsupportedMedia } from '../status/apifailure.ts'
import { duplicateFields } from './duplicatefields.ts'

const LIMIT = 3 * 1024 * 1024

export interface Body {
  readonly value: JsonValue
  /** Paths of repeated keys. */
  readonly duplicates: readonly string[]
}

export async function readBody(request: ServerRequest): Promise<Result<Uint8Array, ApiFailure>> {
  const bytes = await request.body(LIMIT)
  if (bytes.ok) return bytes
  if (bytes.error === 'too-large') return err(tooLarge(`Request entity too large: limit is ${LIMIT}`))
  return err(badRequest('the body of the request could not be read'))
}

export type BodyFormat = 'json' | 'yaml' | 'protobuf'

/** JSON, YAML or protobuf as a value; integers are exact. */
export function parseBody(bytes: Uint8Array, format: BodyFormat): Result<Body, ApiFailure> {
  if (format !== 'protobuf') return parseText(new TextDecoder().decode(bytes), format)
  const value = decodeProtobuf(bytes)
  if (value.ok) return ok({ value: value.value, duplicates: [] })
  if (value.error.kind === 'malformed') return err(badRequest(value.error.message))
  return err({
    ...unsupportedMedia(['application/json', 'application/yaml']),
    message: `protobuf bodies of ${value.error.message} are not read by this version of the embedded API; send application/json`,
  })
}

function parseText(text: string, format: 'json' | 'yaml'): Result<Body, ApiFailure> {
  const isJson = format === 'json' || /^\s*[{[]/.test(text)
  try {
    if (isJson) return ok({ value: parseJson(text), duplicates: duplicateFields(text) })
  } catch (e) {
    if (!(e instanceof JsonSyntaxError)) throw e
    if (format === 'json') return err(notJson(text, e.message))
  }
  try {
    const value = yaml.load(text, { schema: yaml.CORE_SCHEMA, json: true })
    return ok({ value: (value ?? null) as JsonValue, duplicates: [] })
  } catch (e) {
    return err(badRequest(`error decoding YAML: ${(e as Error).message.split('\n')[0]}`))
  }
}

/** As the universal decoder words it; who knows the kind puts it in front (apiserver `transformDecodeError`). */
const notJson = (text: string, why: string): ApiFailure => {
  const reason = why === 'Unexpected end of JSON input' ? 'unexpected end of JSON input' : why
  return badRequest(
    `couldn't get version/kind; json parse error: ${reason} (${text.slice(0, 30)}${text.length > 30 ? ' ...' : ''})`,
  )
}
