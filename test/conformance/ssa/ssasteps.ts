import { applyConfig, trackUpdate } from '../../../packages/apiserver/src/apply/applyconfig.ts'
import { ConflictError } from '../../../packages/apiserver/src/apply/conflict.ts'
import type { Typed } from '../../../packages/apiserver/src/apply/converter.ts'
import { sameForAllVersions } from '../../../packages/apiserver/src/apply/converter.ts'
import type { ManagerSets } from '../../../packages/apiserver/src/apply/managersets.ts'
import type { TypeRef } from '../../../packages/apiserver/src/apply/typed/index.ts'
import {
  checkTypedValue,
  extractItems,
  mergeTypedValues,
  TypedError,
} from '../../../packages/apiserver/src/apply/typed/index.ts'
import { FieldSet, parseFieldsV1, toFieldsV1 } from '../../../packages/kube/src/fields/index.ts'
import type { JsonObject, JsonValue } from '../../../packages/kube/src/object/index.ts'
import { at, deepFreeze } from '../../../packages/kube/src/object/index.ts'
import { BadInput } from '../conformancekind.ts'
import { differences } from '../difference.ts'

/** The types of a schema; without a root they are named like the versions. */
export interface Types {
  readonly root: string | undefined
  readonly byName: ReadonlyMap<string, TypeRef>
}

interface Expected {
  readonly live: JsonValue | undefined
  readonly managers: JsonObject
  readonly conflicts: string | undefined
  readonly error: string | undefined
}

export type ApplyStep =
  | {
      readonly op: 'Apply' | 'ForceApply' | 'Update' | 'ExtractApply'
      readonly manager: string
      readonly version: string
      readonly obj: JsonValue
      readonly expected: Expected
    }
  | { readonly op: 'ChangeParser'; readonly schema: Types; readonly expected: Expected }

interface ApplyState {
  readonly types: Types
  readonly live: JsonValue | undefined
  readonly managers: ManagerSets
}

const RULES = { converter: sameForAllVersions, ignored: FieldSet.empty }

/** Runs the steps one after the other; what differs after a step is listed under its number. */
export function runSteps(types: Types, steps: readonly ApplyStep[]): string[] {
  let state: ApplyState = { types, live: undefined, managers: new Map() }
  const out: string[] = []
  for (const [i, step] of steps.entries()) {
    const { next, failure } = attempt(state, step)
    state = next
    out.push(...check(`step ${i + 1} ${step.op}`, state, step.expected, failure))
  }
  return out
}

function attempt(state: ApplyState, step: ApplyStep): { next: ApplyState; failure: Error | undefined } {
  try {
    return { next: perform(state, step), failure: undefined }
  } catch (e) {
    if (e instanceof ConflictError || e instanceof TypedError) return { next: state, failure: e }
    throw e
  }
}

function perform(state: ApplyState, step: ApplyStep): ApplyState {
  if (step.op === 'ChangeParser') {
    const next = { ...state, types: step.schema }
    if (state.live !== undefined) checkTypedValue(state.live, typeIn(next, 'v1'), false)
    return next
  }
  const type = typeIn(state, step.version)
  const obj = deepFreeze(step.obj)
  checkTypedValue(obj, type, step.op === 'Update')
  const live: Typed = { value: state.live ?? null, type }
  const { manager, version } = step
  if (step.op === 'Update') {
    const managers = trackUpdate(live, { value: obj, type }, state.managers, { manager, version }, RULES)
    return { ...state, live: obj, managers }
  }
  const force = step.op !== 'Apply'
  const config =
    step.op === 'ExtractApply' && state.live !== undefined ? overOwn(state, manager, obj, type) : obj
  const done = applyConfig(live, { value: config, type }, state.managers, { manager, version, force }, RULES)
  return { ...state, live: done.object.value, managers: done.managers }
}

/** The configuration over what the manager owns of the live object. */
function overOwn(state: ApplyState, manager: string, obj: JsonValue, type: TypeRef): JsonValue {
  const own = state.managers.get(manager)?.set.leaves() ?? FieldSet.empty
  return mergeTypedValues(extractItems(state.live ?? null, own, type), obj, type) ?? null
}

function typeIn(state: ApplyState, version: string): TypeRef {
  const name = state.types.root ?? version
  const type = state.types.byName.get(name)
  if (type === undefined) throw new BadInput(`no type "${name}"`)
  return type
}

function check(where: string, state: ApplyState, expected: Expected, failure: Error | undefined): string[] {
  const conflicts = failure instanceof ConflictError ? failure.message : undefined
  const error = failure instanceof TypedError ? failure.message : undefined
  return [
    ...differences(`${where} conflicts`, lines(expected.conflicts), lines(conflicts)),
    ...differences(`${where} error`, expected.error, error),
    ...differences(`${where} live`, expected.live, state.live),
    ...managerDifferences(`${where} managers`, expected.managers, state.managers),
  ]
}

/** A conflict message as the set of its managers and paths. */
function lines(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined
  const out: string[] = []
  let manager = ''
  for (const line of text.split('\n')) {
    const one = /^conflict with ("(?:[^"\\]|\\.)*"): (.*)$/.exec(line)
    const many = /^conflicts with ("(?:[^"\\]|\\.)*"):$/.exec(line)
    if (one) out.push(`${one[1]}: ${one[2]}`)
    else if (many) manager = many[1] ?? ''
    else out.push(`${manager}: ${line.replace(/^- /, '')}`)
  }
  return out.sort()
}

function managerDifferences(where: string, expected: JsonObject, got: ManagerSets): string[] {
  const names = new Set([...Object.keys(expected), ...got.keys()])
  return [...names].flatMap((name) => {
    const owned = got.get(name)
    const path = `${where}.${name}`
    if (!Object.hasOwn(expected, name) || owned === undefined)
      return differences(path, expected[name], owned && toFieldsV1(owned.set))
    return [
      ...differences(`${path}.version`, at(expected, name, 'version'), owned.version),
      ...differences(`${path}.applied`, at(expected, name, 'applied'), owned.applied),
      // Both as sets: how a set is written is nothing.
      ...differences(
        `${path}.fieldsV1`,
        toFieldsV1(parseFieldsV1(at(expected, name, 'fieldsV1'))),
        toFieldsV1(owned.set),
      ),
    ]
  })
}
