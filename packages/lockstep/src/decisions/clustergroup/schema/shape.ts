/** Shapes of values: a few words of JSON Schema (draft 7), and what is not so, by place. */
import {
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  nearest,
  type YamlPath,
} from '@lockstep/kube/object'
import { type Notes, shownValue } from '../values/notes.ts'
import type { TrapDetails } from '../values/trap.ts'

export type ShapeType = 'text' | 'flag' | 'whole' | 'list' | 'map' | 'null'

export interface ValuesShape {
  /** What it may be; absent: anything. What follows is for those that it is. */
  readonly is?: readonly ShapeType[]
  readonly oneOf?: readonly string[]
  readonly members?: Readonly<Record<string, ValuesShape>>
  /** No other members. */
  readonly closed?: true
  readonly needs?: readonly string[]
  readonly items?: ValuesShape
  /** What else is wrong with a map. */
  readonly problem?: (value: JsonObject) => ShapeProblem | undefined
  /** What the chart refuses although its templates want it. */
  readonly trapped?: TrapDetails & { readonly is: ShapeType }
}

/** `what` without what comes before it, and what to do. */
interface ShapeProblem extends TrapDetails {
  readonly what: string
}

const WORDS: Readonly<Record<ShapeType, string>> = {
  text: 'text',
  flag: 'true or false',
  whole: 'a whole number',
  list: 'a list',
  map: 'a map',
  null: 'null',
}

const isOf = (v: JsonValue, type: ShapeType): boolean => {
  if (type === 'text') return isString(v)
  if (type === 'flag') return typeof v === 'boolean'
  if (type === 'whole') return typeof v === 'number' && Number.isInteger(v)
  if (type === 'list') return isArray(v)
  return type === 'map' ? isObject(v) : v === null
}

/** Everything that is not so, into `notes`. */
export function checkShape(notes: Notes, shape: ValuesShape, path: YamlPath, value: JsonValue): void {
  if (notes.isFull) return
  if (shape.is && !shape.is.some((type) => isOf(value, type))) {
    const { is: trap, ...trapped } = shape.trapped ?? {}
    const { what, ...more } = wrongType(notes, path, value, shape.is)
    const isTrap = trap !== undefined && isOf(value, trap)
    notes.refuse('values', { path, what: `: ${what}`, ...(isTrap ? trapped : more) })
    return
  }
  if (shape.oneOf && isString(value) && !shape.oneOf.includes(value))
    notes.refuse('values', {
      path,
      what: `: ${shownValue(value)} is none of ${shape.oneOf.map(quoted).join(', ')}`,
    })
  if (isArray(value) && shape.items)
    for (const [i, item] of value.entries()) checkShape(notes, shape.items, [...path, i], item)
  if (isObject(value)) checkMap(notes, shape, path, value)
}

function checkMap(notes: Notes, shape: ValuesShape, path: YamlPath, value: JsonObject): void {
  const { members = {}, needs = [] } = shape
  for (const key of needs) {
    if (value[key] !== undefined) continue
    const nulled = notes.layers.hasNull([...path, key])
    const todo = nulled ? `null in ${nulled.file} takes its default away` : 'give it'
    notes.refuse('values', { path: [...path, key], what: ' is required', todo }, path)
  }
  const problem = shape.problem?.(value)
  if (problem) notes.refuse('values', { ...problem, path, what: `: ${problem.what}` })
  for (const key of Object.keys(value).sort()) {
    if (notes.isFull) return
    const found = Object.hasOwn(members, key) ? members[key] : undefined
    if (found) checkShape(notes, found, [...path, key], value[key]!)
    else if (shape.closed)
      notes.refuse(
        'values',
        { path: [...path, key], what: ': unknown key', todo: suggestKey(key, Object.keys(members)) },
        path,
      )
  }
}

/** So many keys fit into a message. */
const FEW = 10

/** What an unknown key may have been meant to be. */
export function suggestKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known)
  if (near !== undefined) return `did you mean ${near}?`
  return known.length > FEW ? 'take it out' : `there are: ${[...known].sort().join(', ')}`
}

const quoted = (text: string): string => JSON.stringify(text)

function wrongType(notes: Notes, path: YamlPath, value: JsonValue, is: readonly ShapeType[]): ShapeProblem {
  const expected = is.filter((type) => type !== 'null').map((type) => WORDS[type])
  if (value === null) return { what: 'null is not expected', todo: `give it ${expected.join(' or ')}` }
  if (is.includes('text') && (typeof value === 'number' || typeof value === 'boolean')) {
    const written = notes.layers.written(path) ?? String(value)
    return { what: `${written} is a ${typeof value}`, todo: `quote it (${quoted(written)})` }
  }
  if (isString(value) && is.includes('flag') && /^(?:true|false)$/i.test(value))
    return { what: `${shownValue(value)} is text`, todo: `write ${value.toLowerCase()} without quotes` }
  const found = isString(value) ? 'text' : isArray(value) ? 'a list' : isObject(value) ? 'a map' : undefined
  return {
    what: `${shownValue(value)} is ${found ?? `a ${typeof value}`}`,
    todo: `write ${expected.join(' or ')}`,
  }
}
