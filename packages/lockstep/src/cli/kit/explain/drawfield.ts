/** What a field is, as lines: laid out as kubectl explain does. */
import { encodeJson, isArray, type JsonValue } from '@lockstep/kube/object'
import { type Terminal, wrap } from '../terminal/index.ts'
import { allBelow, fieldFacts, fieldsOf, type SchemaNode } from './schemafield.ts'

export function drawField(t: Terminal, f: SchemaNode, recursive: boolean): string[] {
  const { kind } = f
  const facts = fieldFacts(f)
  const name = f.path[f.path.length - 1]
  const below = recursive ? allBelow(f) : fieldsOf(f)
  const lines = [
    `GROUP:    ${kind.group}`,
    `KIND:     ${kind.kind}`,
    `VERSION:  ${kind.version}`,
    '',
    ...(name === undefined ? [] : [`FIELD: ${headline(t, f, name)}`, '']),
    ...(facts.description === undefined ? [] : ['DESCRIPTION:', ...indented(t, facts.description, 4), '']),
    ...rules(t, f, 0),
    ...(below.length === 0 ? [] : ['FIELDS:']),
    ...below.flatMap((x) => (recursive ? [recursiveLine(t, f, x)] : oneField(t, x))),
  ]
  return lines[lines.length - 1] === '' ? lines.slice(0, -1) : lines
}

function headline(t: Terminal, f: SchemaNode, name: string): string {
  const { type, required } = fieldFacts(f)
  return `${t.paint('bold', name)} <${type}>${required ? ' -required-' : ''}`
}

const lastOf = (f: SchemaNode): string => f.path[f.path.length - 1] ?? ''

function oneField(t: Terminal, f: SchemaNode): string[] {
  const { description = '' } = fieldFacts(f)
  return [`  ${headline(t, f, lastOf(f))}`, ...rules(t, f, 4), ...indented(t, description, 4), '']
}

function recursiveLine(t: Terminal, top: SchemaNode, f: SchemaNode): string {
  return `${'  '.repeat(f.path.length - top.path.length)}${headline(t, f, lastOf(f))}`
}

/** What its value has to be, and what it is without one. */
function rules(t: Terminal, f: SchemaNode, indent: number): string[] {
  const facts = fieldFacts(f)
  const standard = standardText(facts.default)
  const lines = [...(standard === '{}' ? [] : [`default: ${standard}`]), ...facts.limits]
  if (lines.length === 0) return []
  const drawn = lines.flatMap((l) => indented(t, l, indent))
  return indent === 0 ? ['RULES:', ...lines.flatMap((l) => indented(t, l, 4)), ''] : drawn
}

function standardText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  return isArray(value) ? value.map(standardText).join(', ') : encodeJson(value ?? {})
}

/** A pattern is one word, and may be wider than the terminal. */
const broken = (text: string, width: number): string =>
  text
    .split(' ')
    .flatMap((word) => (word.length <= width ? [word] : (word.match(new RegExp(`.{1,${width}}`, 'g')) ?? [])))
    .join(' ')

/** In a pipe a sentence stays one line. */
function indented(t: Terminal, text: string, indent: number): string[] {
  if (text === '') return []
  const space = ' '.repeat(indent)
  const width = t.look.wraps ? t.look.width - indent : Number.POSITIVE_INFINITY
  return wrap(broken(text, width), width, indent)
    .split('\n')
    .map((l, i) => (i === 0 ? `${space}${l}` : l))
}
