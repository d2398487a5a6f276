/** Numbers of the schemas of our kinds. `npm run generate` raises the number of a definition that has changed. */
import type { OwnKind } from '../kinds/ownkind.ts'
import { SCHEMA_ANNOTATION } from '../labels.ts'
import { ownKinds } from '../registry.ts'
import generated from './schemas.generated.json' with { type: 'json' }

export interface SchemaRecord {
  readonly schema: number
  /** Digest of the definition that has the number. */
  readonly digest: string
}

/** By name of the definition. */
export const recordedSchemas: Readonly<Record<string, SchemaRecord | undefined>> = generated

export const definitionName = ({ plural, group }: Pick<OwnKind, 'plural' | 'group'>): string =>
  `${plural}.${group}`

/** The schema number of a kind in this version; 0 before it was generated once. */
export const schemaNumber = (kind: Pick<OwnKind, 'plural' | 'group'>): number =>
  recordedSchemas[definitionName(kind)]?.schema ?? 0

/** A definition in the hub, as far as it decides whether a controller can work with it. */
export interface FoundDefinition {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
}

/** A text that is not a number is older than every number. */
export const foundSchemaNumber = ({ metadata }: FoundDefinition): number =>
  Number(metadata.annotations?.[SCHEMA_ANNOTATION]) || 0

/**
 * The problem of the definitions in the hub for a controller of this version, or undefined. An absent or older definition
 * would lose fields that the controller writes; a newer one keeps them. `found` gives a definition by name.
 */
export function definitionsProblem(
  found: (name: string) => FoundDefinition | undefined,
  version: string,
): string | undefined {
  const problems = ownKinds.flatMap((kind) => {
    const name = definitionName(kind)
    const definition = found(name)
    if (!definition) return [`${name} does not exist`]
    const number = foundSchemaNumber(definition)
    const needed = schemaNumber(kind)
    return number >= needed ? [] : [`${name} is at ${number}, this version needs ${needed}`]
  })
  const [first] = problems
  if (first === undefined) return undefined
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return `${first}${more}; apply the CRDs of ${version}`
}
