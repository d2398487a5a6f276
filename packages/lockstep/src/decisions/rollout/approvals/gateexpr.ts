/** `gateExpr` of a stage: CEL over the stage, its units and the module. */

import {
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
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import { namedModule } from '../../graph/index.ts'
import { type StageRun, totalOf } from '../stagerun.ts'
import type { ScheduleInput } from '../types.ts'

const TEXT: CelSchema = { type: 'string' }
const COUNT: CelSchema = { type: 'integer' }
const LABELS: CelSchema = { type: 'object', additionalProperties: TEXT }
const object = (properties: Readonly<Record<string, CelSchema>>): CelSchema => ({
  type: 'object',
  properties,
})

const SCHEMAS: Readonly<Record<string, CelSchema>> = {
  stage: object({ name: TEXT, total: COUNT, done: COUNT, failed: COUNT, unreachable: COUNT }),
  module: object({ kind: TEXT, name: TEXT, revision: TEXT }),
  units: {
    type: 'array',
    items: object({ name: TEXT, labels: LABELS, state: TEXT, revision: TEXT }),
  },
}

const DECLARATIONS: Declarations = Object.fromEntries(
  Object.entries(SCHEMAS).map(([name, schema]) => [name, declared(schema, name)!]),
)

const compiled = new Map<string, Result<CelProgram, readonly CelProblem[]>>()
/** Texts that are kept compiled: more than any hub has in use. */
const KEPT = 1000

/** A program that gives a bool; problems have the line and column of the text. */
export function compileGateExpr(text: string): Result<CelProgram, readonly CelProblem[]> {
  const known = compiled.get(text)
  if (known) return known
  const program = compile(text, DECLARATIONS)
  const made: typeof program =
    program.ok && program.value.type !== 'bool'
      ? err([{ line: 0, column: 0, message: `must give a bool, not ${program.value.type}` }])
      : program
  if (compiled.size >= KEPT) compiled.clear()
  compiled.set(text, made)
  return made
}

/** What keeps the gate of a stage closed: it is false, or it has no value. */
export function gateExprBlocker(
  input: ScheduleInput,
  run: Pick<StageRun, 'name' | 'policy' | 'members' | 'classes'>,
): NewBlocker[] {
  const text = run.policy.gateExpr
  if (text === undefined) return []
  const said = evaluated(text, () => variables(input, run))
  if (said.ok && said.value) return []
  const state = said.ok ? ({ state: 'False' } as const) : ({ state: 'Error', detail: said.error } as const)
  const facts = { stage: run.name, expression: text, ...state }
  return [blocked('StageGate', [namedModule(input.module)], facts)]
}

function evaluated(text: string, values: () => Readonly<Record<string, JsonValue>>): Result<boolean, string> {
  const program = compileGateExpr(text)
  if (!program.ok) return err(program.error.map((p) => p.message).join('; '))
  const bindings = Object.fromEntries(Object.entries(values()).map(([k, v]) => [k, fromJson(v)]))
  const result = program.value.evaluate(bindings, { left: PER_CALL_LIMIT })
  return result.ok ? ok(result.value === true) : err(result.error.message)
}

function variables(
  { module, target }: ScheduleInput,
  { name, members, classes }: Pick<StageRun, 'name' | 'members' | 'classes'>,
): Readonly<Record<string, JsonValue>> {
  const [kind = '', moduleName = ''] = module.split('/')
  return {
    stage: {
      name,
      total: totalOf(classes),
      done: classes.Done,
      failed: classes.Failed,
      unreachable: classes.Unreachable,
    },
    module: { kind, name: moduleName, revision: target?.revision ?? '' },
    units: members.map((c) => ({
      name: c.unit.cluster,
      labels: { ...c.unit.labels },
      state: c.class,
      revision: c.unit.admittedRevision ?? '',
    })),
  }
}
