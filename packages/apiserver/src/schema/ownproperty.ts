import type { Resolve, Schema } from './schematypes.ts'

const has = Object.prototype.hasOwnProperty

/** The declared schema of a property; names such as `constructor` are data. References are not followed. */
export function ownProperty(s: Schema, name: string): Schema | undefined {
  const props = s.properties
  return props !== undefined && has.call(props, name) ? props[name] : undefined
}

/** The schema of additional properties, if it is one and not a boolean. */
export function additional(s: Schema): Schema | undefined {
  return typeof s.additionalProperties === 'object' ? s.additionalProperties : undefined
}

/** What a reference stands for; the identity for schemas of CustomResourceDefinitions, which have no references. */
export const noReferences: Resolve = (schema) => schema

/** Property by property whether it has a default: computed once a schema, because every write asks. */
const defaulted = new WeakMap<Schema, readonly string[]>()

export function propertiesWithDefault(s: Schema): readonly string[] {
  let names = defaulted.get(s)
  if (names === undefined) {
    names = Object.keys(s.properties ?? {}).filter((n) => ownProperty(s, n)?.default !== undefined)
    defaulted.set(s, names)
  }
  return names
}
