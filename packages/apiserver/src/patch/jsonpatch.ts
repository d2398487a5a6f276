import { err, ok, type Result } from '@lockstep/kube/env'
import {
  deepCopy,
  isArray,
  isObject,
  isString,
  type JsonValue,
  jsonEqual,
  setMember,
} from '@lockstep/kube/object'

/** `malformed`: it is no JSON Patch. `failed`: it does not fit the document. */
export interface JsonPatchFailure {
  readonly kind: 'malformed' | 'failed' | 'too-many'
  readonly message: string
}

const MOST_OPERATIONS = 10_000
type PatchNode = JsonValue | undefined
interface PatchOperation {
  readonly op: string
  readonly path: readonly string[]
  readonly from: readonly string[] | undefined
  readonly value: PatchNode
}

/** RFC 6902: all operations or none. */
export function applyJsonPatch(document: JsonValue, patch: JsonValue): Result<JsonValue, JsonPatchFailure> {
  if (!isArray(patch))
    return err({
      kind: 'malformed',
      message: 'json: cannot unmarshal object into Go value of type jsonpatch.Patch',
    })
  if (patch.length > MOST_OPERATIONS)
    return err({
      kind: 'too-many',
      message: `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${patch.length}`,
    })
  let root: JsonValue = deepCopy(document)
  for (const raw of patch) {
    const op = parseOperation(raw)
    if (!op) return err({ kind: 'malformed', message: 'invalid JSON patch operation' })
    const next = perform(root, op)
    if (!next.ok) return next
    root = next.value
  }
  return ok(root)
}

function parseOperation(raw: JsonValue): PatchOperation | undefined {
  if (!isObject(raw) || !isString(raw.op)) return undefined
  const path = parsePointer(raw.path)
  const from = raw.from === undefined ? undefined : parsePointer(raw.from)
  return path ? { op: raw.op, path, from, value: raw.value } : undefined
}

function parsePointer(text: PatchNode): string[] | undefined {
  if (!isString(text) || (text !== '' && !text.startsWith('/'))) return undefined
  return text
    .split('/')
    .slice(1)
    .map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const failed = (message: string): Result<never, JsonPatchFailure> => err({ kind: 'failed', message })

function perform(root: JsonValue, o: PatchOperation): Result<JsonValue, JsonPatchFailure> {
  switch (o.op) {
    case 'add':
      return insert(root, o.path, o.value ?? null)
    case 'remove':
      return take(root, o.path)
    case 'replace': {
      if (find(root, o.path) === undefined)
        return failed(`replace operation does not apply: doc is missing key: ${o.path.join('/')}`)
      return overwrite(root, o.path, o.value ?? null)
    }
    case 'move':
    case 'copy': {
      const value = o.from && find(root, o.from)
      if (value === undefined || !o.from) return failed(`${o.op} operation does not apply: missing from`)
      const copied = deepCopy(value)
      const base = o.op === 'move' ? take(root, o.from) : ok(root)
      return base.ok ? insert(base.value, o.path, copied) : base
    }
    case 'test':
      return jsonEqual(find(root, o.path) ?? null, o.value ?? null)
        ? ok(root)
        : failed(`testing path ${o.path.join('/')} failed`)
    default:
      return err({ kind: 'malformed', message: `Unexpected kind: ${o.op}` })
  }
}

function find(root: JsonValue, path: readonly string[]): PatchNode {
  let here: PatchNode = root
  for (const step of path) {
    if (isArray(here)) here = here[indexIn(here, step, 0) ?? -1]
    else if (isObject(here) && Object.hasOwn(here, step)) here = here[step]
    else return undefined
  }
  return here
}

/** The index that `step` means; `room` 1 also allows the place behind the last element. */
function indexIn(list: readonly JsonValue[], step: string, room: 0 | 1): number | undefined {
  if (room === 1 && step === '-') return list.length
  if (!/^(0|[1-9]\d*)$/.test(step)) return undefined
  const i = Number(step)
  return i < list.length + room ? i : undefined
}

type PatchLocation = { list: JsonValue[]; step: string } | { map: { [k: string]: PatchNode }; step: string }

function placeOf(root: JsonValue, path: readonly string[]): PatchLocation | undefined {
  const parent = find(root, path.slice(0, -1))
  const step = path[path.length - 1] ?? ''
  if (isArray(parent)) return { list: parent as JsonValue[], step }
  return isObject(parent) ? { map: parent as { [k: string]: PatchNode }, step } : undefined
}

function insert(
  root: JsonValue,
  path: readonly string[],
  value: JsonValue,
): Result<JsonValue, JsonPatchFailure> {
  if (path.length === 0) return ok(value)
  const place = placeOf(root, path)
  if (!place) return failed(`add operation does not apply: doc is missing path: /${path.join('/')}`)
  if ('map' in place) setMember(place.map, place.step, value)
  else {
    const i = indexIn(place.list, place.step, 1)
    if (i === undefined) return failed(`add operation does not apply: index out of bounds: ${place.step}`)
    place.list.splice(i, 0, value)
  }
  return ok(root)
}

function overwrite(
  root: JsonValue,
  path: readonly string[],
  value: JsonValue,
): Result<JsonValue, JsonPatchFailure> {
  if (path.length === 0) return ok(value)
  const place = placeOf(root, path)
  if (!place) return failed('replace operation does not apply')
  if ('map' in place) setMember(place.map, place.step, value)
  else place.list[Number(place.step)] = value
  return ok(root)
}

function take(root: JsonValue, path: readonly string[]): Result<JsonValue, JsonPatchFailure> {
  const place = path.length === 0 ? undefined : placeOf(root, path)
  if (!place || find(root, path) === undefined)
    return failed(`remove operation does not apply: doc is missing path: /${path.join('/')}`)
  if ('map' in place) delete place.map[place.step]
  else place.list.splice(Number(place.step), 1)
  return ok(root)
}
