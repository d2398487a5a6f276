/** Paths to one value: the part of JSONPath that can only ever find one, `$.spec.ports[0].port`, `$.metadata.labels["a/b"]`. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { isArray, isObject, type JsonValue } from '@lockstep/kube/object'

export type MutationPath = readonly (string | number)[]

/** A member by name, a member in quotes, an element by number. */
const STEP = /\.([A-Za-z_][\w-]*)|\[(?:'([^']+)'|"([^"]+)"|(0|[1-9]\d{0,8}))\]/y

/** The error says at which character the path stops to be one. */
export function parseMutationPath(text: string): Result<MutationPath, string> {
  const trimmed = text.trim()
  if (!trimmed.startsWith('$')) return err(`"${text}" does not begin with $`)
  const steps: (string | number)[] = []
  let end = 1
  while (end < trimmed.length) {
    STEP.lastIndex = end
    const found = STEP.exec(trimmed)
    if (!found)
      return err(`"${text}" is no path to one value: "${trimmed.slice(end)}" is not .name, ["name"] or [0]`)
    const [whole, name, single, double, index] = found
    steps.push(index === undefined ? (name ?? single ?? double)! : Number(index))
    end += whole.length
  }
  return steps.length > 0 ? ok(steps) : err(`"${text}" names no value`)
}

/** With another value at the path; undefined: nothing is there that could be replaced. */
export function replaceAt(v: JsonValue, path: MutationPath, value: JsonValue): JsonValue | undefined {
  const [step, ...rest] = path
  if (step === undefined) return value
  if (typeof step === 'number') {
    const here = isArray(v) ? v[step] : undefined
    const next = here === undefined ? undefined : replaceAt(here, rest, value)
    return next === undefined ? undefined : (v as readonly JsonValue[]).map((x, i) => (i === step ? next : x))
  }
  const here = isObject(v) && Object.hasOwn(v, step) ? v[step] : undefined
  const next = here === undefined ? undefined : replaceAt(here, rest, value)
  return next === undefined ? undefined : { ...(v as object), [step]: next }
}
