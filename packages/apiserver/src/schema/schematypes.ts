import type { JsonObject, JsonValue } from '@lockstep/kube/object'

/**
 * A schema as CustomResourceDefinitions write it (OpenAPI v3 with Kubernetes' extensions). The built-in kinds have
 * the same form, generated from their OpenAPI documents, plus `$ref` to a named definition: they are recursive.
 * Values are frozen and shared by all clusters of a process.
 */
export interface Schema {
  readonly $ref?: string
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly format?: string
  readonly nullable?: boolean
  readonly default?: JsonValue
  readonly description?: string
  readonly title?: string
  readonly enum?: readonly JsonValue[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic'
  /** Metadata of strategic merge patch, on built-in kinds only. */
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-validations'?: readonly JsonValue[]
}

/** Finds the schema behind a `$ref`; a schema without one is returned as it is. */
export type Resolve = (schema: Schema) => Schema

/** One finding about a value, in the words of Kubernetes' field errors. */
export interface FieldError {
  /** `spec.ports[0].port` */
  readonly field: string
  readonly type:
    | 'Required'
    | 'Invalid'
    | 'Unsupported'
    | 'Duplicate'
    | 'Forbidden'
    | 'TooLong'
    | 'TooMany'
    | 'TypeInvalid'
    | 'NotFound'
    | 'Internal'
  /** The complete text behind the path: `Invalid value: "x": must be …` */
  readonly message: string
}

/**
 * The operations on values of one version of one kind. `schema` undefined in `SchemaOps` makers means: no schema,
 * everything is kept (as for an object whose type is deduced).
 */
export interface SchemaOps {
  readonly schema: Schema | undefined
  readonly resolve: Resolve
  /**
   * An object of this kind that nothing was said about, as Go has it: `spec: {}`, `status: {}`. What it has is owned by
   * nobody when an object is created. Absent for custom resources.
   */
  readonly zero?: JsonObject
  /** Drops fields that the schema does not know; `dropped` lists their paths (`spec.foo`, `spec.items[2].bar`). */
  prune(value: JsonValue): { value: JsonValue; dropped: string[] }
  /** Adds schema defaults where a field is absent (a null for a non-nullable field with a default counts as absent). */
  defaults(value: JsonValue): JsonValue
  /**
   * All findings: `validateSchema`, then `validateInvariants`. Metadata is looked at only as far as the schema says
   * something about it. With `old`, findings in parts that are as they were are left out (ratcheting).
   */
  validate(value: JsonValue, old?: JsonValue): FieldError[]
  /**
   * Types, ranges, enumerations, required fields. kube-apiserver reports these before the scale check. With `part`, only
   * that member is looked at: `status`, where nothing else is written.
   */
  validateSchema(value: JsonValue, old?: JsonValue, part?: string): FieldError[]
  /**
   * Embedded resources, and no duplicates in sets and in lists of type `map`; reported after the scale check. Lists of an
   * object that had duplicates before are not looked at.
   */
  validateInvariants(value: JsonValue, old?: JsonValue, part?: string): FieldError[]
  /** Rules in CEL: after everything else, and not where something else is seriously wrong. */
  validateRules(value: JsonValue, context: RuleContext): readonly FieldError[]
}

/** What rules are told besides the value. */
export interface RuleContext {
  readonly old?: JsonValue
  /** What was found before. */
  readonly found: readonly FieldError[]
  /** Told of findings in what did not change. */
  readonly warn: (text: string) => void
}
