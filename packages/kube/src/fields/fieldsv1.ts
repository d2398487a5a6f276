import { isObject, type JsonObject, type JsonValue, setMember } from '../object/json.ts'
import type { FieldNode } from './fieldset.ts'
import { FieldSet } from './fieldset.ts'
import type { PathElement } from './pathelement.ts'
import { parseElement, sortElements } from './pathelement.ts'

/** Sets read from or written to objects. Objects are shared and frozen, so each is read once. */
const parsed = new WeakMap<JsonObject, FieldSet>()
const written = new WeakMap<FieldSet, JsonObject>()

/**
 * Reads `fieldsV1`. An object without anything below is a member; `.` makes a parent a member of its own.
 * @throws Error on a step that is malformed
 */
export function parseFieldsV1(fields: JsonValue | undefined): FieldSet {
  if (fields === undefined || fields === null) return FieldSet.empty
  if (!isObject(fields)) throw new Error('fieldsV1 must be an object')
  let set = parsed.get(fields)
  if (set === undefined) {
    set = parse(fields)
    parsed.set(fields, set)
  }
  return set
}

function parse(fields: JsonObject): FieldSet {
  const nodes = new Map<PathElement, FieldNode>()
  for (const key of Object.keys(fields)) {
    if (key === '.') continue
    const element = parseElement(key)
    if (element === undefined) continue
    const value = fields[key]
    if (!isObject(value)) throw new Error(`expected an object below ${key}`)
    const children = parse(value)
    const isMember = children.isEmpty || Object.hasOwn(value, '.')
    nodes.set(element, { isMember, children: children.isEmpty ? undefined : children })
  }
  return FieldSet.of(nodes)
}

/** Writes `fieldsV1`, members in the order of Kubernetes. */
export function toFieldsV1(set: FieldSet): JsonObject {
  let out = written.get(set)
  if (out === undefined) {
    out = write(set, false)
    written.set(set, out)
    parsed.set(out, set)
  }
  return out
}

const LEAF: JsonObject = Object.freeze({})

function write(set: FieldSet, isMember: boolean): JsonObject {
  const out: { [key: string]: JsonValue | undefined } = {}
  if (isMember) out['.'] = LEAF
  for (const element of sortElements(set.nodes.keys())) {
    const node = set.nodes.get(element) as FieldNode
    setMember(out, element, node.children ? write(node.children, node.isMember) : LEAF)
  }
  return Object.freeze(out)
}
