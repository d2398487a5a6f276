import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  setMember,
} from '../../../packages/kube/src/object/index.ts'
import { mergeValues } from '../../../packages/lockstep/src/decisions/clustergroup/values/merge.ts'
import { BadInput } from '../conformancekind.ts'

type Steps = readonly (string | number)[]

/** An index, a name in quotes, a name with dots (of `set`), a name behind a dot. */
const STEP =
  /\.?\[(?:(\d+)|"([^"]*)"|'([^']*)'|([^\]\d"'*?][^\]"'*?]*))\]|(?:^|\.)((?:\\.|[^.[\]\\*?$@()])+)/y

/**
 * Paths of helm-unittest: `spec.list[0].name`, `metadata.labels["a.b/c"]`, `labels.a\.b`, `labels.[a.b]`.
 * @throws BadInput for other things of JSONPath, which no test of the chart uses
 */
export function stepsOf(path: string): Steps {
  const steps: (string | number)[] = []
  STEP.lastIndex = 0
  for (let end = 0; end < path.length; end = STEP.lastIndex) {
    const found = STEP.exec(path)
    if (!found) throw new BadInput(`path "${path}": not read from "${path.slice(end)}" on`)
    const [, index, double, single, dotted, name] = found
    steps.push(
      index === undefined ? (double ?? single ?? dotted ?? name!.replaceAll(/\\(.)/g, '$1')) : Number(index),
    )
  }
  if (steps.length === 0) throw new BadInput('path: is empty')
  return steps
}

/** Values with one more that is set: maps come together, everything else replaces. */
export const withSet = (values: JsonObject, path: string, value: JsonValue): JsonObject =>
  setAt(values, stepsOf(path), value) as JsonObject

function setAt(here: JsonValue | undefined, steps: Steps, value: JsonValue): JsonValue {
  const [step, ...rest] = steps
  if (step === undefined) return isObject(here) && isObject(value) ? mergeValues(here, value) : value
  if (typeof step === 'number') {
    const list: JsonValue[] = isArray(here) ? [...here] : []
    while (list.length < step) list.push(null)
    list[step] = setAt(list[step], rest, value)
    return list
  }
  const out = { ...(isObject(here) ? here : {}) }
  setMember(out, step, setAt(member(here, step), rest, value))
  return out
}
