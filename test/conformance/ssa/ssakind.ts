import type { JsonObject, JsonValue } from '../../../packages/kube/src/object/index.ts'
import type { ConformanceKind } from '../conformancekind.ts'
import { BadInput } from '../conformancekind.ts'
import { listOf, objectOf, textOf } from '../datashape.ts'
import { readTypes } from './schema.ts'
import type { ApplyStep, Types } from './ssasteps.ts'
import { runSteps } from './ssasteps.ts'

const OPS = ['Apply', 'ForceApply', 'Update', 'ExtractApply', 'ChangeParser'] as const
const STEP = ['op', 'manager', 'version', 'obj', 'schema', 'conflicts', 'error', 'live', 'managers']

/** Server-side apply: sequences of applies and updates, with the object and its owners after each. */
export const ssa: ConformanceKind = {
  files: /(^|[\\/])ssa[\\/][^\\/]*\.jsonl$|(^|[\\/])merge[^\\/]*\.jsonl$/,
  parse(line) {
    const c = objectOf(line, 'case', ['id', 'test', 'schema', 'steps'])
    const id = textOf(c.id, 'id')
    if (c.test !== undefined) textOf(c.test, 'test')
    const types = typesOf(c.schema)
    const steps = listOf(c.steps, 'steps').map(stepOf)
    return { id, run: () => runSteps(types, steps) }
  },
}

function typesOf(v: JsonValue | undefined): Types {
  const s = objectOf(v, 'schema', ['root', 'yaml'])
  const root = s.root === undefined ? undefined : textOf(s.root, 'schema.root')
  return { root, byName: readTypes(textOf(s.yaml, 'schema.yaml')) }
}

function stepOf(v: JsonValue): ApplyStep {
  const s = objectOf(v, 'step', STEP)
  const op = OPS.find((o) => o === s.op)
  if (op === undefined) throw new BadInput(`unknown op ${JSON.stringify(s.op)}`)
  const expected = {
    live: s.live,
    managers: managersOf(s.managers),
    conflicts: s.conflicts === undefined ? undefined : textOf(s.conflicts, 'conflicts'),
    error: s.error === undefined ? undefined : textOf(s.error, 'error'),
  }
  if (op === 'ChangeParser') {
    for (const name of ['manager', 'version', 'obj'])
      if (s[name] !== undefined) throw new BadInput(`ChangeParser: unknown member "${name}"`)
    return { op, schema: typesOf(s.schema), expected }
  }
  if (s.schema !== undefined) throw new BadInput(`${op}: unknown member "schema"`)
  if (s.obj === undefined) throw new BadInput(`${op}: obj is missing`)
  const manager = textOf(s.manager, 'manager')
  return { op, manager, version: textOf(s.version, 'version'), obj: s.obj, expected }
}

function managersOf(v: JsonValue | undefined): JsonObject {
  if (v === undefined) throw new BadInput('managers is missing')
  if (typeof v !== 'object' || v === null || Array.isArray(v))
    throw new BadInput('managers must be an object')
  const managers = v as JsonObject
  for (const name of Object.keys(managers))
    objectOf(managers[name], `manager ${name}`, ['version', 'applied', 'fieldsV1'])
  return managers
}
