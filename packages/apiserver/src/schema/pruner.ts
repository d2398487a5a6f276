import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setMember,
} from '@lockstep/kube/object'
import { additional, ownProperty } from './ownproperty.ts'
import type { Resolve, Schema } from './schematypes.ts'

const META: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/**
 * Drops what a structural schema does not specify (apiextensions-apiserver `schema/pruning`). Metadata of the root and
 * of embedded resources stays as it is. A value that loses nothing is returned itself.
 */
export function pruner(
  schema: Schema,
  resolve: Resolve,
): (value: JsonValue) => { value: JsonValue; dropped: string[] } {
  const own = resolve(schema)
  // Built-in kinds have a definition of metadata, which is pruned like everything else.
  const root: Schema = own.properties?.metadata?.$ref
    ? own
    : { ...own, 'x-kubernetes-embedded-resource': true }
  return (value) => {
    const run = new Pruner(resolve)
    const out = run.prune(value, root, '')
    return { value: out, dropped: run.dropped.sort() }
  }
}

class Pruner {
  readonly dropped: string[] = []
  private readonly resolve: Resolve
  constructor(resolve: Resolve) {
    this.resolve = resolve
  }

  prune(value: JsonValue, reference: Schema | undefined, path: string): JsonValue {
    if (isArray(value)) return this.list(value, reference && this.resolve(reference), path)
    if (!isObject(value)) return value
    return this.members(value, reference && this.resolve(reference), path)
  }

  private list(value: JsonArray, schema: Schema | undefined, path: string): JsonValue {
    // Below preserved fields only what is specified is looked at; an item without a schema is preserved too.
    if (schema?.['x-kubernetes-preserve-unknown-fields'] && schema.items === undefined) return value
    let out: JsonValue[] | undefined
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as JsonValue
      const kept = this.prune(item, preservedItem(schema), `${path}[${i}]`)
      if (kept !== item) {
        out ??= [...value]
        out[i] = kept
      }
    }
    return out ?? value
  }

  private members(value: JsonObject, schema: Schema | undefined, path: string): JsonValue {
    const keepUnknown = schema?.['x-kubernetes-preserve-unknown-fields'] === true
    let out: { [key: string]: JsonValue | undefined } | undefined
    for (const key of Object.keys(value)) {
      const member = value[key]
      if (member === undefined) continue
      if (schema?.['x-kubernetes-embedded-resource'] && META.has(key)) continue
      const known = schema && (ownProperty(schema, key) ?? additional(schema))
      const declared = known !== undefined || schema?.additionalProperties !== undefined
      if (!declared && keepUnknown) continue
      const where = path === '' ? key : `${path}.${key}`
      if (!declared) {
        this.dropped.push(where)
        out ??= shallow(value)
        delete out[key]
        continue
      }
      const kept = this.prune(member, known, where)
      if (kept === member) continue
      out ??= shallow(value)
      setMember(out, key, kept)
    }
    return out ?? value
  }
}

/** Preservation reaches through lists to their items, which then keep their unknown members as well. */
function preservedItem(schema: Schema | undefined): Schema | undefined {
  const items = schema?.items
  if (!items || !schema?.['x-kubernetes-preserve-unknown-fields']) return items
  return items['x-kubernetes-preserve-unknown-fields'] || items.$ref
    ? items
    : { ...items, 'x-kubernetes-preserve-unknown-fields': true }
}

function shallow(value: JsonObject): { [key: string]: JsonValue | undefined } {
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const key of Object.keys(value)) setMember(out, key, value[key])
  return out
}
