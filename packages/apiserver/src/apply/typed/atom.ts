import { isArray, isObject, type JsonValue } from '@lockstep/kube/object'

/**
 * How values of a type are merged and owned: the one internal form that OpenAPI schemas and the schema language of
 * structured-merge-diff are both turned into.
 */
export interface Atom {
  readonly scalar?: 'string' | 'numeric' | 'boolean' | 'untyped'
  readonly list?: ListType
  readonly map?: MapType
}

/** Atomic lists are owned as a whole; associative ones by item: by keys, or by value if there are none. */
export interface ListType {
  readonly element: TypeRef
  readonly isAtomic: boolean
  readonly keys: readonly string[]
}

export interface MapType {
  readonly fields: ReadonlyMap<string, StructField>
  /** Type of all other members; none: there may be no others. */
  readonly element: TypeRef | undefined
  readonly isAtomic: boolean
}

export interface StructField {
  readonly type: TypeRef
  /** Only matters for fields that are keys of an associative list. */
  readonly default: JsonValue | undefined
}

/** A type that is worked out when it is first needed: types refer to themselves. */
export class TypeRef {
  private made: Atom | undefined
  private readonly make: () => Atom
  /** The deduced type by name, or an untyped scalar in place: maps of these are not reconciled with a schema. */
  readonly isNameDeduced: boolean
  private readonly isInline: boolean
  constructor(make: () => Atom, kind: 'named' | 'inline' | 'deduced' = 'named') {
    this.make = make
    this.isNameDeduced = kind === 'deduced'
    this.isInline = kind === 'inline'
  }

  get atom(): Atom {
    this.made ??= this.make()
    return this.made
  }

  get isUntyped(): boolean {
    return this.isNameDeduced || (this.isInline && this.atom.scalar === 'untyped')
  }
}

const NO_FIELDS: ReadonlyMap<string, StructField> = new Map()

/** Anything, owned as a whole. */
export const untypedAtomic: TypeRef = new TypeRef(() => ({
  scalar: 'untyped',
  list: { element: untypedAtomic, isAtomic: true, keys: [] },
  map: { fields: NO_FIELDS, element: untypedAtomic, isAtomic: true },
}))

/** The type of objects without a schema: maps are separable at every depth, lists are atomic. */
export const deduced: TypeRef = new TypeRef(
  () => ({
    scalar: 'untyped',
    list: { element: untypedAtomic, isAtomic: true, keys: [] },
    map: { fields: NO_FIELDS, element: deduced, isAtomic: false },
  }),
  'deduced',
)

/** The forms an atom may take, as bits. A value picks one; null and misfits leave all of them open. */
export const MAP = 1
export const SCALAR = 2
export const LIST = 4

/** Forms of the atom that go with the value (structured-merge-diff `typed/helpers.go`, deduceAtom). */
export function formsOf(atom: Atom, value: JsonValue | undefined): number {
  const all = (atom.map ? MAP : 0) | (atom.scalar ? SCALAR : 0) | (atom.list ? LIST : 0)
  if (value === null || value === undefined) return all
  const one = isArray(value) ? LIST : isObject(value) ? MAP : SCALAR
  return all & one ? one : all
}

/** The form that is handled if several are open. */
export const leadingForm = (forms: number): number =>
  forms & MAP ? MAP : forms & SCALAR ? SCALAR : forms & LIST

/** The type of a member, undefined if the map may not have it. */
export const memberType = (map: MapType, name: string): TypeRef | undefined =>
  map.fields.get(name)?.type ?? map.element
