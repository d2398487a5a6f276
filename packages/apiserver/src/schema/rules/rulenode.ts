import {
  type CelProgram,
  type CelSchema,
  compile,
  type Declared,
  declared,
  escapedName,
  optionally,
  type ValidationRule,
} from '@lockstep/cel/program'
import { detailOf } from '@lockstep/cel/syntax'
import { canonicalJson, sha256Hex } from '@lockstep/kube/object'
import { additional } from '../ownproperty.ts'
import type { Schema } from '../schematypes.ts'
import { namedField } from './namedfield.ts'

/** The compiled rules of a part of a schema, and of the parts below it that have any. */
export interface RuleNode {
  readonly schema: Schema
  readonly self: Declared
  readonly rules: readonly CompiledRule[]
  readonly items?: RuleNode
  readonly values?: RuleNode
  readonly fields: ReadonlyMap<string, RuleNode>
}

export interface CompiledRule {
  readonly rule: ValidationRule
  /** A text: what is wrong with it. A definition with such a rule is not accepted in the first place. */
  readonly program: CelProgram | string
  readonly message?: CelProgram
  readonly usesOld: boolean
  /** Of its `fieldPath`, as messages write it. */
  readonly field?: string
}

/** Kept by schema, and by what is in it: the same definition on several clusters is compiled once. */
const bySchema = new WeakMap<Schema, { readonly node: RuleNode | undefined }>()
const byContent = new Map<string, { readonly node: RuleNode | undefined }>()
const MOST_KEPT = 512

/** The rules of a schema for objects, compiled when first asked for; undefined if it has none. */
export function rulesOf(schema: Schema): RuleNode | undefined {
  let known = bySchema.get(schema)
  if (!known) {
    const key = hasRules(schema) ? sha256Hex(canonicalJson(schema)) : ''
    known = byContent.get(key) ?? { node: key === '' ? undefined : nodeOf(schema, rootOf(schema)) }
    byContent.delete(key)
    byContent.set(key, known)
    if (byContent.size > MOST_KEPT) byContent.delete(byContent.keys().next().value!)
    bySchema.set(schema, known)
  }
  return known.node
}

/** The rules of a part of a schema, taken for itself: what a default has to satisfy. */
export const rulesOfPart = (s: Schema): RuleNode | undefined =>
  hasRules(s) ? nodeOf(s, declared(s as CelSchema, 'self', isEmbedded(s))) : undefined

const rootOf = (s: Schema): Declared | undefined => declared(s as CelSchema, 'self', true)
const isEmbedded = (s: Schema): boolean => s['x-kubernetes-embedded-resource'] === true

function hasRules(s: Schema): boolean {
  const values = additional(s)
  return (
    (s['x-kubernetes-validations'] ?? []).length > 0 ||
    (s.items !== undefined && hasRules(s.items)) ||
    (values !== undefined && hasRules(values)) ||
    Object.values(s.properties ?? {}).some(hasRules)
  )
}

/** What CEL has no type for has no rules either, and nothing below it. */
function nodeOf(schema: Schema, self: Declared | undefined): RuleNode | undefined {
  if (!self) return undefined
  const rules = ((schema['x-kubernetes-validations'] ?? []) as unknown as readonly ValidationRule[])
    .filter((r) => r.rule.trim() !== '')
    .map((r) => compiled(r, schema, self))
  const others = additional(schema)
  const items = schema.items && nodeOf(schema.items, self.element)
  const values = others && nodeOf(others, self.element)
  const fields = new Map<string, RuleNode>()
  for (const [name, s] of Object.entries(schema.properties ?? {})) {
    const escaped = escapedName(name)
    const type =
      escaped === undefined ? declared(s as CelSchema, 'self', isEmbedded(s)) : self.fields?.get(escaped)
    const node = nodeOf(s, type)
    if (node) fields.set(name, node)
  }
  if (rules.length === 0 && !items && !values && fields.size === 0) return undefined
  return { schema, self, rules, items, values, fields }
}

function compiled(rule: ValidationRule, schema: Schema, self: Declared): CompiledRule {
  const declarations = { self, oldSelf: rule.optionalOldSelf ? optionally(self) : self }
  const program = compile(rule.rule, declarations)
  const message = rule.messageExpression ? compile(rule.messageExpression, declarations) : undefined
  return {
    rule,
    program: program.ok ? program.value : detailOf(rule.rule, program.error),
    message: message?.ok && message.value.type === 'string' ? message.value : undefined,
    usesOld: program.ok && program.value.reads.has('oldSelf'),
    field: rule.fieldPath ? namedField(rule.fieldPath, schema) : undefined,
  }
}
