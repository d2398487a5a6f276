import { type JsonValue, member } from '@lockstep/kube/object'
import { applyDefaults } from './applydefaults.ts'
import { checkEmbeddedObject } from './checks/checkembeddedobject.ts'
import { checkLists } from './checks/checklists.ts'
import { checkValue } from './checkvalue.ts'
import { Correlated } from './correlate.ts'
import { invalid } from './invalidfield.ts'
import { noReferences, ownProperty } from './ownproperty.ts'
import { pruner } from './pruner.ts'
import { evaluateRules } from './rules/evaluaterules.ts'
import { rulesOf } from './rules/rulenode.ts'
import type { FieldError, Resolve, RuleContext, Schema, SchemaOps } from './schematypes.ts'

/**
 * The operations on values of one schema. Make them once a schema and share them: what is derived from a schema is kept
 * with it. Without a schema everything is kept and everything is valid.
 */
export function compileSchema(schema: Schema | undefined, resolve: Resolve = noReferences): SchemaOps {
  if (schema === undefined) return KEEP_ALL
  const prune = pruner(schema, resolve)
  const validateSchema = (value: JsonValue, old?: JsonValue, part?: string): FieldError[] => {
    const before = old === undefined ? undefined : new Correlated(schema, resolve, value, old)
    return part === undefined
      ? checkValue(schema, value, resolve, before)
      : checkPart(schema, value, resolve, before, part)
  }
  const validateInvariants = (value: JsonValue, old?: JsonValue, part?: string): FieldError[] => [
    ...(part === undefined ? checkEmbeddedObject(schema, value, resolve) : []),
    ...(old !== undefined && checkLists(schema, old, resolve).length > 0
      ? []
      : checkLists(schema, value, resolve)),
  ]
  return {
    schema,
    resolve,
    prune,
    defaults: (value) => applyDefaults(value, schema, resolve),
    validateSchema,
    validateInvariants,
    // Built-in kinds, whose schemas have references, have no rules.
    validateRules: (value, context) => (resolve === noReferences ? checkRuled(schema, value, context) : []),
    validate: (value, old) => [...validateSchema(value, old), ...validateInvariants(value)],
  }
}

const KEEP_ALL: SchemaOps = {
  schema: undefined,
  resolve: noReferences,
  prune: (value) => ({ value, dropped: [] }),
  defaults: (value) => value,
  validate: () => [],
  validateSchema: () => [],
  validateInvariants: () => [],
  validateRules: () => [],
}

/** A part is checked as if it were all there is, and its findings are put below its name. */
function checkPart(
  schema: Schema,
  value: JsonValue,
  resolve: Resolve,
  before: Correlated | undefined,
  part: string,
): FieldError[] {
  const [own, v] = [ownProperty(schema, part), member(value, part)]
  if (!own || v === undefined) return []
  const below = (field: string): string => (field === '<nil>' ? part : `${part}.${field}`)
  return checkValue(own, v, resolve, before?.key(part)).map((e) => ({ ...e, field: below(e.field) }))
}

/** Findings after which rules are not looked at: the value may not be what they expect. */
const BLOCKING: ReadonlySet<FieldError['type']> = new Set([
  'Unsupported',
  'Required',
  'TooLong',
  'TooMany',
  'TypeInvalid',
])
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

function checkRuled(schema: Schema, value: JsonValue, context: RuleContext): readonly FieldError[] {
  const rules = rulesOf(schema)
  if (!rules) return []
  if (context.found.some((e) => BLOCKING.has(e.type))) return [invalid('<nil>', null, NOT_CHECKED)]
  const { old, warn } = context
  const before = old === undefined ? undefined : new Correlated(schema, noReferences, value, old)
  return evaluateRules(rules, value, { old, before, warn })
}
