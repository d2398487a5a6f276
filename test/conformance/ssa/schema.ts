import { parse } from 'yaml'
import type {
  Atom,
  ListType,
  MapType,
  StructField,
} from '../../../packages/apiserver/src/apply/typed/index.ts'
import { TypeRef } from '../../../packages/apiserver/src/apply/typed/index.ts'
import type { JsonObject, JsonValue } from '../../../packages/kube/src/object/index.ts'
import { BadInput } from '../conformancekind.ts'
import { listOf, objectOf, textOf } from '../datashape.ts'

const DEDUCED = '__untyped_deduced_'
const ATOM = ['scalar', 'list', 'map', 'elementRelationship']

/** Types by name, from the text of a schema in the language of structured-merge-diff. */
export function readTypes(text: string): ReadonlyMap<string, TypeRef> {
  let document: JsonValue
  try {
    document = parse(text) as JsonValue
  } catch (e) {
    throw new BadInput(`schema.yaml: ${(e as Error).message}`)
  }
  const types = new Map<string, TypeRef>()
  const reader = new Reader(types)
  for (const entry of listOf(objectOf(document, 'schema', ['types']).types, 'types')) {
    const type = objectOf(entry, 'type', ['name', ...ATOM])
    const name = textOf(type.name, 'type name')
    const atom = reader.atom(type)
    types.set(name, new TypeRef(atom, name === DEDUCED ? 'deduced' : 'named'))
  }
  return types
}

class Reader {
  private readonly types: ReadonlyMap<string, TypeRef>
  constructor(types: ReadonlyMap<string, TypeRef>) {
    this.types = types
  }

  /** Shapes are checked at once, names when all types are known. */
  atom(t: JsonObject): () => Atom {
    const list = t.list === undefined ? undefined : this.list(t.list)
    const map = t.map === undefined ? undefined : this.map(t.map)
    const scalar = t.scalar === undefined ? undefined : scalarOf(t.scalar)
    return () => override({ scalar, list, map }, t.elementRelationship)
  }

  private ref(v: JsonValue | undefined): TypeRef {
    const t = objectOf(v, 'type', ['namedType', ...ATOM])
    if (t.namedType === undefined) return new TypeRef(this.atom(t), 'inline')
    const name = textOf(t.namedType, 'namedType')
    const target = (): TypeRef => {
      const type = this.types.get(name)
      if (type === undefined) throw new BadInput(`no type "${name}"`)
      return type
    }
    const kind = name === DEDUCED && t.elementRelationship === undefined ? 'deduced' : 'named'
    return new TypeRef(() => override(target().atom, t.elementRelationship), kind)
  }

  private list(v: JsonValue): ListType {
    const t = objectOf(v, 'list', ['elementType', 'elementRelationship', 'keys'])
    const keys = t.keys === undefined ? [] : listOf(t.keys, 'keys').map((k) => textOf(k, 'key'))
    return { element: this.ref(t.elementType), isAtomic: t.elementRelationship === 'atomic', keys }
  }

  private map(v: JsonValue): MapType {
    const t = objectOf(v, 'map', ['fields', 'elementType', 'elementRelationship'])
    const fields = new Map<string, StructField>()
    for (const entry of t.fields === undefined ? [] : listOf(t.fields, 'fields')) {
      const f = objectOf(entry, 'field', ['name', 'type', 'default'])
      fields.set(textOf(f.name, 'field name'), { type: this.ref(f.type), default: f.default })
    }
    const element = t.elementType === undefined ? undefined : this.ref(t.elementType)
    return { fields, element, isAtomic: t.elementRelationship === 'atomic' }
  }
}

function scalarOf(v: JsonValue): NonNullable<Atom['scalar']> {
  if (v === 'string' || v === 'numeric' || v === 'boolean' || v === 'untyped') return v
  throw new BadInput(`unknown scalar ${JSON.stringify(v)}`)
}

/** A relationship next to a type holds for this place only. */
function override(atom: Atom, relationship: JsonValue | undefined): Atom {
  if (relationship === undefined) return atom
  const isAtomic = relationship === 'atomic'
  if (atom.map) return { ...atom, map: { ...atom.map, isAtomic } }
  return atom.list ? { ...atom, list: { ...atom.list, isAtomic } } : atom
}
