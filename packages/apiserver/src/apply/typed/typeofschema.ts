import { objectMetaSchema } from '../../schema/objectmeta.ts'
import type { Resolve, Schema } from '../../schema/schematypes.ts'
import type { Atom, ListType, MapType, StructField } from './atom.ts'
import { deduced, TypeRef, untypedAtomic } from './atom.ts'

/** Types are kept with their schema: a process has one of each, however many clusters it serves. */
const kept = new WeakMap<Schema, TypeRef>()

/**
 * The type of the objects of an OpenAPI schema (kube-openapi `schemaconv/openapi.go`). Metadata is typed even where the
 * schema leaves it out, as kube-apiserver does for custom resources.
 */
export function typeOfSchema(schema: Schema | undefined, resolve: Resolve): TypeRef {
  if (schema === undefined) return deduced
  let type = kept.get(schema)
  if (type === undefined) {
    type = new SchemaConversion(resolve).root(schema)
    kept.set(schema, type)
  }
  return type
}

const STRING: Schema = { type: 'string' }

/** What every object has, unless the schema itself refers to a definition of it. */
function withTypeMeta(s: Schema): Schema {
  const own = s.properties ?? {}
  const metadata = own.metadata?.$ref ? own.metadata : objectMetaSchema
  return { ...s, properties: { ...own, apiVersion: STRING, kind: STRING, metadata } }
}

class SchemaConversion {
  private readonly resolve: Resolve
  /** Definitions by identity: they refer to themselves. */
  private readonly named = new Map<Schema, TypeRef>()
  constructor(resolve: Resolve) {
    this.resolve = resolve
  }

  root(schema: Schema): TypeRef {
    return new TypeRef(() => this.atom(withTypeMeta(this.resolve(schema)), false))
  }

  /** What is below a schema that preserves unknown fields may have unknown fields at any depth. */
  private ref(s: Schema, isOpen: boolean): TypeRef {
    if (s.$ref === undefined) return new TypeRef(() => this.atom(s, isOpen), 'inline')
    const target = this.resolve(s)
    const mapType = s['x-kubernetes-map-type']
    if (mapType !== undefined && mapType !== target['x-kubernetes-map-type'])
      return new TypeRef(() => this.atom({ ...target, 'x-kubernetes-map-type': mapType }, false))
    let type = this.named.get(target)
    if (type === undefined) {
      type = new TypeRef(() => this.atom(target, false))
      this.named.set(target, type)
    }
    return type
  }

  private atom(given: Schema, isOpenAbove: boolean): Atom {
    const s = given['x-kubernetes-embedded-resource'] ? withTypeMeta(given) : given
    const isOpen = isOpenAbove || s['x-kubernetes-preserve-unknown-fields'] === true
    if (s['x-kubernetes-int-or-string']) return { scalar: 'untyped' }
    switch (s.type) {
      case 'object':
        return { map: this.map(s, isOpen) }
      case 'array':
        return { list: this.list(s, isOpen) }
      case 'integer':
      case 'number':
        return { scalar: 'numeric' }
      case 'boolean':
        return { scalar: 'boolean' }
      case 'string':
        return { scalar: !s.format || s.format === 'byte' ? 'string' : 'untyped' }
      default:
        return { scalar: 'untyped', list: this.list(s, isOpen), map: this.map(s, isOpen) }
    }
  }

  private map(s: Schema, isOpen: boolean): MapType {
    const fields = new Map<string, StructField>()
    for (const [name, p] of Object.entries(s.properties ?? {}))
      fields.set(name, { type: this.ref(p, isOpen), default: p.default })
    return {
      fields,
      element: this.others(s, isOpen),
      isAtomic: s['x-kubernetes-map-type'] === 'atomic',
    }
  }

  private others(s: Schema, isOpen: boolean): TypeRef | undefined {
    const others = s.additionalProperties
    if (typeof others === 'object') return this.ref(others, isOpen)
    if (others === undefined)
      return isOpen || Object.keys(s.properties ?? {}).length === 0 ? deduced : undefined
    return others ? deduced : undefined
  }

  private list(s: Schema, isOpen: boolean): ListType {
    const type = s['x-kubernetes-list-type'] ?? 'atomic'
    return {
      element: s.items ? this.ref(s.items, isOpen) : untypedAtomic,
      isAtomic: type === 'atomic',
      keys: type === 'map' ? (s['x-kubernetes-list-map-keys'] ?? []) : [],
    }
  }
}
