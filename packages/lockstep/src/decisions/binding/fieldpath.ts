/** Paths to fields of an object: `status.endpoint`, `metadata.labels["a/b"]`, `spec.ports[*].port`. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { encodeJson, isArray, isString, type JsonValue, member } from '@lockstep/kube/object'

/** A member, an element, or all elements. */
type FieldStep = string | number | { readonly all: true }
type FieldSteps = readonly FieldStep[]

const STEP = /\.([A-Za-z_][\w-]*)|\[(?:'([^']+)'|"([^"]+)"|(0|[1-9]\d{0,8})|(\*))\]/y

/** The error says where the path stops to be one. */
export function fieldPathOf(text: string): Result<FieldSteps, string> {
  const path = text.replace(/^\$?\.?/, '.')
  const steps: FieldStep[] = []
  let end = 0
  while (end < path.length) {
    STEP.lastIndex = end
    const found = STEP.exec(path)
    if (!found) return err(`${encodeJson(path.slice(end))} is not .name, ["name"], [0] or [*]`)
    const [whole, name, single, double, index, all] = found
    if (all !== undefined) steps.push({ all: true })
    else steps.push(index === undefined ? (name ?? single ?? double)! : Number(index))
    end += whole.length
  }
  return ok(steps)
}

/** As text: a text is itself, anything else JSON; of several values a list. Undefined: there is none. */
export function fieldText(object: unknown, path: FieldSteps): string | undefined {
  const isMany = path.some((s) => typeof s === 'object')
  const found = valuesAt(object, path)
  if (isMany) return found.length === 0 ? undefined : encodeJson(found)
  const [value] = found
  return value === undefined || value === null ? undefined : isString(value) ? value : encodeJson(value)
}

function valuesAt(here: unknown, [step, ...rest]: FieldSteps): JsonValue[] {
  if (step === undefined) return here === undefined ? [] : [here as JsonValue]
  if (typeof step === 'object') return isArray(here) ? here.flatMap((v) => valuesAt(v, rest)) : []
  const next = typeof step === 'number' ? (isArray(here) ? here[step] : undefined) : member(here, step)
  return next === undefined ? [] : valuesAt(next, rest)
}
