import { err, ok, type Result } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest } from '../status/apifailure.ts'

export type FieldTest = (o: KubeObject) => boolean
type SelectorRead = (o: KubeObject) => string

/** A field selector (apimachinery pkg/fields/selector.go); only fields that the kind offers. */
export function parseFieldSelector(kind: ServedKind, text: string): Result<FieldTest, ApiFailure> {
  const tests: FieldTest[] = []
  for (const part of splitTerms(text)) {
    if (part === '') continue
    const term = parseTerm(part)
    if (!term) return err(badRequest(`invalid selector: '${text}'; can't understand '${part}'`))
    const read = readerOf(kind, term.name)
    if (!read) return err(badRequest(unsupported(kind, term.name)))
    const { isEqual, value } = term
    tests.push((o) => (read(o) === value) === isEqual)
  }
  return ok((o) => tests.every((t) => t(o)))
}

/** The one name that a selector asks for; undefined if it may match others. */
export function exactName(text: string): string | undefined {
  const term = splitTerms(text)
    .map(parseTerm)
    .find((t) => t?.name === 'metadata.name' && t.isEqual)
  return term?.value
}

interface SelectorTerm {
  readonly name: string
  readonly isEqual: boolean
  readonly value: string
}

function parseTerm(part: string): SelectorTerm | undefined {
  const m = /^((?:\\.|[^\\=!])*?)(!=|==|=)(.*)$/s.exec(part)
  if (!m) return undefined
  const [, name = '', operator, raw = ''] = m
  return { name, isEqual: operator !== '!=', value: raw.replaceAll(/\\([\\,=])/g, '$1') }
}

function splitTerms(text: string): string[] {
  const out: string[] = []
  let term = ''
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') term += text[i++]! + (text[i] ?? '')
    else if (text[i] === ',') {
      out.push(term)
      term = ''
    } else term += text[i]
  }
  return [...out, term]
}

function readerOf(kind: ServedKind, name: string): SelectorRead | undefined {
  if (name === 'metadata.name') return (o) => o.metadata.name ?? ''
  if (name === 'metadata.namespace') return (o) => o.metadata.namespace ?? ''
  const own = kind.rules.fields
  return own !== undefined && Object.hasOwn(own, name) ? own[name] : undefined
}

/** Kinds with fields of their own word it differently (kubernetes `pkg/apis/core/v1/conversion.go`). */
const unsupported = (kind: ServedKind, name: string): string =>
  kind.custom || kind.rules.fields === undefined
    ? kind.custom
      ? `field label not supported: ${name}`
      : `"${name}" is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${name}`
