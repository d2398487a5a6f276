/** What an edit writes: the revision, or what its `valueExpr` makes of it. */

import {
  anything,
  type CelProgram,
  type CelSchema,
  compile,
  type Declarations,
  declared,
  fromJson,
  PER_CALL_LIMIT,
} from '@lockstep/cel/program'
import type { CelProblem } from '@lockstep/cel/syntax'
import { err, ok, type Result } from '@lockstep/kube/env'
import type { JsonValue } from '@lockstep/kube/object'
import { blocked } from '../../../api/blocker.ts'
import type { PromotionEdit } from '../../../api/kinds/index.ts'
import { externalRef } from '../promotionref.ts'
import { type EditInput, type EditRefusal, refusal } from './editresult.ts'
import { unwritableScalar } from './scalar.ts'

const SCHEMAS: Readonly<Record<string, CelSchema>> = {
  revision: { type: 'string' },
  identity: { type: 'string' },
  environment: { type: 'string' },
  epoch: { type: 'integer' },
}

const DECLARATIONS: Declarations = Object.fromEntries(
  Object.entries(SCHEMAS).map(([name, schema]) => [name, declared(schema, name)!]),
)

/** A program that gives a text; problems have the line and column of the text. `others`: names of whatever type. */
export function compileValueExpr(
  text: string,
  others: readonly string[] = [],
): Result<CelProgram, readonly CelProblem[]> {
  const program = compile(text, {
    ...Object.fromEntries(others.map((name) => [name, anything])),
    ...DECLARATIONS,
  })
  if (!program.ok || ['string', 'dyn'].includes(program.value.type)) return program
  return err([{ line: 0, column: 0, message: `must give a string, not ${program.value.type}` }])
}

/** `index`: of the edit, for messages. */
export function promotedValue(
  edit: PromotionEdit,
  index: number,
  input: EditInput,
): Result<string, EditRefusal> {
  const made = edit.valueExpr === undefined ? ok(input.revision) : evaluated(edit.valueExpr, input)
  const field = `edits[${index}].valueExpr`
  if (!made.ok) return err(invalidExpression(input.where, field, made.error))
  const why = unwritableScalar(made.value)
  if (why === undefined) return made
  const name =
    edit.valueExpr === undefined ? `revision ${JSON.stringify(made.value.slice(0, 80))}` : 'the value'
  return err(refusal('EditRefused', input.where, { because: 'NotWritable', at: field, name, error: why }))
}

/** Modules and bundles have this reason too. */
const invalidExpression = (where: string, field: string, problem: string): EditRefusal => ({
  ...blocked('InvalidExpression', [externalRef(where)], { field, problem }),
  reason: 'InvalidExpression',
})

function evaluated(text: string, { revision, facts }: EditInput): Result<string, string> {
  const program = compileValueExpr(text, Object.keys(facts))
  if (!program.ok) return err(program.error.map(problemText).join('; '))
  const values: Readonly<Record<string, JsonValue | undefined>> = { ...facts, revision }
  const bindings = Object.fromEntries(Object.entries(values).map(([k, v]) => [k, fromJson(v)]))
  const result = program.value.evaluate(bindings, { left: PER_CALL_LIMIT })
  if (!result.ok) return err(result.error.message)
  return typeof result.value === 'string' ? ok(result.value) : err('its value is not a string')
}

const problemText = (p: CelProblem): string =>
  p.line === 0 ? p.message : `${p.line}:${p.column}: ${p.message}`
