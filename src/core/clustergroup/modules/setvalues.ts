/**
 * Parameters of Helm as members of values: what `--set` and `--set-string` make of them (helm `pkg/strvals`), after Argo CD has
 * escaped the commas of a value that is no list (argo-cd `util/helm`, `cleanSetParameters`). Pure.
 */
import { err, ok, type Result } from '../../../env/result.ts'
import { isArray, isObject, type JsonObject, type JsonValue, setMember } from '../../../object/object.ts'

export interface Parameter {
  readonly name: string
  readonly value: string
  /** Never a number, `true` or nothing. */
  readonly forceString?: boolean
}

type Step = string | number
/** `strvals.MaxIndex`. */
const MAX_INDEX = 65_536

/** Values with one parameter more; what was there gives way. An error: what is wrong with its name. */
export function withParameter(values: JsonObject, p: Parameter): Result<JsonObject, string> {
  const steps = stepsOf(p.name)
  return steps.ok ? ok(put(values, steps.value, parameterValue(p)) as JsonObject) : steps
}

/** `a.b[0].c`: keys, and places in lists; a backslash makes the next character one of the key. */
function stepsOf(name: string): Result<Step[], string> {
  const steps: Step[] = []
  let key = ''
  let isKey = true
  for (let i = 0; i < name.length; i++) {
    const c = name[i]!
    if (c === '\\' && i + 1 < name.length) key += name[++i]
    else if (c === '[') {
      const end = name.indexOf(']', i)
      const index = Number(name.slice(i + 1, end))
      if (end < 0 || !/^\d+$/.test(name.slice(i + 1, end)) || index > MAX_INDEX)
        return err(`"${name}" has no place of a list at character ${i + 1}; write [0]`)
      if (isKey) steps.push(key)
      steps.push(index)
      key = ''
      isKey = false
      i = end
    } else if (c === '.') {
      if (isKey) steps.push(key)
      key = ''
      isKey = true
    } else if (c === '=' || c === ',') return err(`"${name}" has a ${c}; write \\${c}`)
    else key += c
  }
  if (isKey) steps.push(key)
  return steps.includes('') ? err(`"${name}" has a part without a name`) : ok(steps)
}

function put(at: JsonValue | undefined, [step, ...rest]: readonly Step[], value: JsonValue): JsonValue {
  if (step === undefined) return value
  if (typeof step === 'number') {
    const list: JsonValue[] = isArray(at) ? [...at] : []
    // What is passed over is nothing, as there.
    while (list.length < step) list.push(null)
    list[step] = put(list[step], rest, value)
    return list
  }
  const map: { [key: string]: JsonValue } = {}
  if (isObject(at)) for (const [key, v] of Object.entries(at)) setMember(map, key, v as JsonValue)
  setMember(map, step, put(map[step], rest, value))
  return map
}

function parameterValue({ value, forceString = false }: Parameter): JsonValue {
  const typed = (text: string): JsonValue => (forceString ? unescaped(text) : typedOf(unescaped(text)))
  if (!value.startsWith('{') || !value.endsWith('}')) return typed(value)
  const inner = value.slice(1, -1)
  return inner === '' ? [] : splitAtCommas(inner).map(typed)
}

const unescaped = (text: string): string => text.replace(/\\(.)/gs, '$1')

function splitAtCommas(text: string): string[] {
  const parts = ['']
  for (let i = 0; i < text.length; i++) {
    if (text[i] === ',') parts.push('')
    else parts.push(parts.pop()! + (text[i] === '\\' ? text[i]! + (text[++i] ?? '') : text[i]))
  }
  return parts
}

const LARGEST = 2n ** 63n - 1n

/** `strvals.typedVal`: a number has no zero in front, and fits into 64 bits. */
function typedOf(text: string): JsonValue {
  if (/^true$/i.test(text)) return true
  if (/^false$/i.test(text)) return false
  if (/^null$/i.test(text)) return null
  if (text === '0') return 0
  if (text.startsWith('0') || !/^[+-]?\d+$/.test(text)) return text
  const n = BigInt(text.replace('+', ''))
  // What no double holds stays a text: YAML would round it.
  return n > LARGEST || n < -LARGEST - 1n || !Number.isSafeInteger(Number(n)) ? text : Number(n)
}
