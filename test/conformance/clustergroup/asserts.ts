import {
  at,
  encodeJson,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
} from '../../../packages/kube/src/object/index.ts'
import { BadInput } from '../conformancekind.ts'
import { objectOf, textOf } from '../datashape.ts'
import { stepsOf } from './assertpath.ts'
import { titleOf } from './objects.ts'
import { OPPOSITE, QUESTIONS, SAME } from './questions.ts'
import type { Rendering } from './templates.ts'

/** One assert of a test of helm-unittest. */
export interface Assert {
  /** `asserts[2].notEqual` */
  readonly place: string
  /** What it asks: a name of `QUESTIONS`, `hasDocuments` or `failedTemplate`. */
  readonly asks: string
  readonly isNegated: boolean
  readonly args: JsonObject
  readonly choice: JsonObject
}

/** What an assert may have beside what it asks. */
const BESIDE = ['not', 'template', 'documentIndex', 'documentSelector']
const OTHERS = ['failedTemplate', 'hasDocuments']
const NAMES = [...Object.keys(QUESTIONS), ...Object.keys(SAME), ...Object.keys(OPPOSITE), ...OTHERS]

/**
 * One assert, as it is written.
 * @throws BadInput if it asks what is not known here, or with members that are not
 */
export function readAssert(value: JsonValue, place: string, choice: JsonObject): Assert {
  if (!isObject(value)) throw new BadInput(`${place} must be an object`)
  const [name, ...more] = Object.keys(value).filter((key) => !BESIDE.includes(key))
  if (name === undefined || more.length > 0) throw new BadInput(`${place}: one assertion expected`)
  if (!NAMES.includes(name))
    throw new BadInput(`${place}: unknown assertion "${name}"; there are: ${NAMES.sort().join(', ')}`)
  const asks = SAME[name] ?? OPPOSITE[name] ?? name
  const { not = false, documentIndex, documentSelector } = value
  if (typeof not !== 'boolean') throw new BadInput(`${place}.not must be a boolean`)
  return {
    place: `${place}.${name}`,
    asks,
    isNegated: Object.hasOwn(OPPOSITE, name) !== not,
    args: argsOf(asks, value[name]!, `${place}.${name}`),
    choice: { documentIndex, documentSelector, ...choice },
  }
}

function argsOf(asks: string, value: JsonValue, place: string): JsonObject {
  const question = QUESTIONS[asks]
  const path = question && question.path === undefined ? ['path'] : []
  const needs = [...path, ...(question?.needs ?? (asks === 'hasDocuments' ? ['count'] : []))]
  const args = objectOf(value, place, [...needs, ...(question?.may ?? [])])
  for (const key of needs) if (args[key] === undefined) throw new BadInput(`${place}: ${key} is missing`)
  return args
}

/** What is not as it is asked of these templates, a line each. */
export function answersTo(assert: Assert, templates: readonly string[], rendering: Rendering): string[] {
  const { place, asks, isNegated } = assert
  const isRefused = typeof rendering !== 'function'
  if (asks === 'failedTemplate') {
    if (isRefused !== isNegated) return []
    return isRefused ? refusals(place, rendering.refused) : [`${place}: expected a refusal got objects`]
  }
  if (isRefused) return refusals(place, rendering.refused)
  return templates.flatMap((template) => ofDocuments(assert, rendering(template)))
}

const refusals = (place: string, lines: readonly string[]): string[] =>
  lines.map((line) => `${place}: refused at ${line}`)

function ofDocuments({ place, asks, isNegated, args, choice }: Assert, all: readonly JsonObject[]): string[] {
  const wanted = `expected ${isNegated ? 'not ' : ''}${encodeJson(args)}`
  if (asks === 'hasDocuments')
    return jsonEqual(args.count, all.length) !== isNegated ? [] : [`${place}: ${wanted} got ${all.length}`]
  const docs = chosen(all, choice)
  if ('none' in docs) return [`${place}: ${docs.none}`]
  if (docs.length === 0 && !isNegated) return [`${place}: ${wanted} got no document`]
  const question = QUESTIONS[asks]!
  const steps = stepsOf(question.path ?? textOf(args.path, `${place}.path`))
  return docs.flatMap((doc) => {
    const value = at(doc, ...steps)
    const answer = value === undefined && !question.ofNothing ? false : question.holds(value, args)
    if (answer === !isNegated) return []
    const asked = typeof answer === 'string' ? `${wanted} of ${answer}` : wanted
    return [
      `${place} of ${titleOf(doc)}: ${asked} got ${value === undefined ? 'nothing' : encodeJson(value)}`,
    ]
  })
}

/** The documents that are meant; a choice that fits none, or several, is a failure, whatever is asked. */
function chosen(all: readonly JsonObject[], choice: JsonObject): readonly JsonObject[] | { none: string } {
  const { documentIndex: index, documentSelector: selector } = choice
  if (selector !== undefined) {
    const { path, value, matchMany } = objectOf(selector, 'documentSelector', ['path', 'value', 'matchMany'])
    const steps = stepsOf(textOf(path, 'documentSelector.path'))
    const found = all.filter((doc) => jsonEqual(at(doc, ...steps), value))
    if (found.length === 1 || (matchMany === true && found.length > 1)) return found
    return { none: `documentSelector ${encodeJson(selector)}: expected one document got ${found.length}` }
  }
  if (index === undefined) return all
  const doc = all[Number(index)]
  return doc ? [doc] : { none: `documentIndex ${encodeJson(index)}: there are ${all.length} documents` }
}
