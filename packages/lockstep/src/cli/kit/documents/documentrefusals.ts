/** What an API server says of a bad object, as errors that point into the file it came from. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import {
  at,
  encodeJson,
  isArray,
  isObject,
  isSecret,
  type JsonArray,
  type JsonValue,
  keyOf,
  keyText,
  locateYaml,
} from '@lockstep/kube/object'
import { structuralSchema } from '@lockstep/kube/schema'
import type { OwnKind } from '../../../api/kinds/index.ts'
import { ownKinds } from '../../../api/registry.ts'
import { type CliFailure, failed, requestFailure } from '../index.ts'
import { nearest } from '../terminal/index.ts'
import { type ExcerptPosition, excerpt } from './excerpt.ts'
import type { ManifestDocument } from './parsesources.ts'

export interface RefusedField {
  /** `spec.rollout.maxUnavailable`. */
  readonly field: string
  readonly problem: string
  readonly unknown: boolean
}

/** The fields that an error names: causes of a 422, or what a typed patch could not take. */
export function refusedFields(e: RequestError): RefusedField[] {
  if (e.kind === 'Invalid' && e.causes.length > 0)
    return e.causes.map((c) => {
      const field =
        c.field === '<nil>' ? (/^Invalid value: "": "([\w.[\]]+)"/.exec(c.message)?.[1] ?? '') : c.field
      return problemOf(field, plain(c.message, field))
    })
  const message = e.kind === 'Server' || e.kind === 'Invalid' ? e.message : ''
  const strict = [...message.matchAll(/unknown field "([^"]+)"/g)].map((m) => unknownField(m[1]!))
  if (strict.length > 0) return strict
  const typed = /failed to create typed patch object \([^)]*\): ([\s\S]*)$/.exec(message)?.[1]
  if (typed === undefined) return []
  return [...typed.matchAll(/^\s*\.([^:\n]+): (.*)$/gm)].map((m) => problemOf(m[1]!, m[2]!))
}

const problemOf = (field: string, text: string): RefusedField =>
  /^field not declared in schema/.test(text)
    ? unknownField(field)
    : { field, problem: text.replace(/, got &.*$/, ''), unknown: false }

const unknownField = (field: string): RefusedField => ({ field, problem: 'unknown field', unknown: true })

/** Without what the place says already. */
const plain = (message: string, field: string): string =>
  message
    .replace(/^Invalid value: /, '')
    .replace(/^Unsupported value: /, '')
    // Servers before 1.34 show the type where a rule is not satisfied.
    .replace(/^"(?:object|array|string|integer|number|boolean)": (?!.* in body )/, '')
    .replaceAll(`${field} in body `, '')
    .replace(
      /: should match '\^\(\[0-9\]\+\|\[0-9\]\{1,2\}%\|100%\)\$'$/,
      ' is neither a number nor a percentage',
    )

/** One failure for each field that the server refuses; or one for the object as a whole. */
export function documentRefusals(d: ManifestDocument, e: RequestError, server: string): CliFailure[] {
  const problems = refusedFields(e)
  const shown = problems.filter((p) => problems.length === 1 || !NOT_CHECKED.test(p.problem))
  if (shown.length === 0) return [refusedWhole(d, e, server)]
  return shown.map((p) => fieldRefusal(d, p))
}

/** The server names no field: the document is where to look. */
function refusedWhole(d: ManifestDocument, e: RequestError, server: string): CliFailure {
  const other = requestFailure(e, server).error
  if (other.code !== 'E_REFUSED' && other.code !== 'E_SERVER') return other
  const problem = withoutSecrets(d, 'message' in e ? e.message : requestErrorText(e))
  return refusedAt(d, '', problem, 'correct the object as the server requires')
}

/** Its namespace is neither on the hub nor among the documents. */
export function noNamespace(d: ManifestDocument): CliFailure {
  const { namespace = '' } = d.object.metadata
  const problem = `namespace ${namespace} does not exist`
  const suggestion = `add a Namespace to the documents, choose another one with -n, or run: kubectl create namespace ${namespace}`
  return refusedAt(d, 'metadata.namespace', problem, suggestion)
}

function refusedAt(d: ManifestDocument, field: string, problem: string, suggestion: string): CliFailure {
  const place = { ...whereOf(d, field, false), kind: d.kind.kind }
  const ref = `${place.file}:${place.line}:${place.column} ${refOf(d)}`
  return { ...failed('E_REFUSED', { ref, problem, suggestion }, place).error, exit: 2 }
}

/** What stands in a Secret is repeated nowhere. */
const withoutSecrets = (d: ManifestDocument, problem: string): string =>
  isSecret(d.kind) ? problem.replace(/"(?:[^"\\]|\\.)*"/g, '"…"') : problem

const refOf = (d: ManifestDocument): string => `${d.kind.kind}/${keyText(keyOf(d.object)) || ''}`

/** Rules wait until the rest is right; that says nothing of the document. */
const NOT_CHECKED = /^null: some validation rules were not checked because /

/** A field, where it stands in its document. */
export function fieldRefusal(d: ManifestDocument, named: RefusedField): CliFailure {
  const p = atSecond(d, named)
  const kind = ownKinds.find((k) => k.kind === d.kind.kind)
  const ref = refOf(d)
  const note = caretNote(p, d, kind)
  const place = { ...whereOf(d, p.field, p.unknown, note), kind: d.kind.kind, field: p.field }
  const problem = withoutSecrets(d, p.problem)
  if (p.unknown) {
    const parent = pathIn(d, p.field).slice(0, -1)
    const suggestion = note || explained(d, parent)
    return failed('E_FIELD_UNKNOWN', { ref, field: p.field, suggestion }, place).error
  }
  const suggestion = explained(d, pathIn(d, p.field))
  return failed('E_FIELD_INVALID', { ref, field: p.field, problem, suggestion }, place).error
}

/** A server names the list in which an entry is there twice: the second one is to be changed. */
function atSecond(d: ManifestDocument, p: RefusedField): RefusedField {
  const keys = /^duplicate entries for key \[(.+)\]$/.exec(p.problem)?.[1]
  const list = at(d.object as unknown as JsonValue, ...pathIn(d, p.field))
  if (keys === undefined || !isArray(list)) return p
  const first = indexOf(list, keys)
  const second = list.findIndex((item, i) => i > first && isNamed(item, keys))
  return second < 0 ? p : { ...p, field: `${p.field}[${second}]` }
}

/** Where to read on. Items have the documentation of their list. */
function explained(d: ManifestDocument, path: readonly (string | number)[]): string {
  const program = ownKinds.some((k) => k.kind === d.kind.kind) ? 'lockstep' : 'kubectl'
  const field = [d.kind.kind.toLowerCase(), ...path.filter((step) => typeof step === 'string')]
  return `${program} explain ${field.join('.')}`
}

function whereOf(d: ManifestDocument, field: string, isKey: boolean, note = '') {
  const { source } = d
  const path = [...d.path, ...pathIn(d, field)]
  const value = locateYaml(source.text, d.index, path) ?? { line: 1, column: 1 }
  const place = isKey ? keyPlace(source.text, value, String(path[path.length - 1])) : value
  const { name, namespace } = d.object.metadata
  return {
    file: source.file,
    ...place,
    ...(isSecret(d.kind) ? {} : { excerpt: excerpt(source.text, place, note) }),
    ...(namespace ? { namespace } : {}),
    name: name ?? '',
  }
}

/** The path of a field in the document; an item that is named by its keys is found by them. */
function pathIn(d: ManifestDocument, field: string): (string | number)[] {
  const out: (string | number)[] = []
  for (const step of pathOf(field)) {
    const list = at(d.object as unknown as JsonValue, ...out)
    out.push(isArray(list) && typeof step === 'string' ? indexOf(list, step) : step)
  }
  return out
}

/** `id="a"`, `port=80,protocol="TCP"`: the item that has these. */
function indexOf(list: JsonArray, keys: string): number {
  return Math.max(
    0,
    list.findIndex((item) => isNamed(item, keys)),
  )
}

function isNamed(item: JsonValue, keys: string): boolean {
  const wanted = [...keys.matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)]
  return wanted.every((m) => encodeJson(at(item, m[1]!) ?? null) === m[2])
}

/** `spec.dependsOn[0].id` as a path. */
export function pathOf(field: string): (string | number)[] {
  const out: (string | number)[] = []
  for (const m of field.matchAll(
    /\[(\d+)\]|\[([^"\]]*=(?:"[^"]*"|[^"\]])*)\]|\["?([^\]"]+)"?\]|([^.[\]]+)/g,
  )) {
    if (m[1] !== undefined) out.push(Number(m[1]))
    else out.push(m[2] ?? m[3] ?? m[4]!)
  }
  return out
}

/** Where the key of a value stands: on its line, or above. */
function keyPlace(text: string, value: ExcerptPosition, key: string): ExcerptPosition {
  const lines = text.split('\n')
  for (let i = value.line - 1; i >= 0; i--) {
    const column = (lines[i] ?? '').search(new RegExp(`(?<![\\w-])"?${key.replace(/[^\w]/g, '\\$&')}"?\\s*:`))
    if (column >= 0) return { line: i + 1, column: column + 1 }
  }
  return value
}

/** Fields that existed before, and their replacement. */
const FORMER_FIELDS: Readonly<Record<string, string>> = {
  'Hold spec.scope': 'use action: Pause or Suspend',
}

/** What to write instead, where that can be said. */
function caretNote(p: RefusedField, d: ManifestDocument, kind: OwnKind | undefined): string {
  if (p.unknown) {
    const former = FORMER_FIELDS[`${d.kind.kind} ${p.field}`]
    if (former !== undefined) return former
    const path = pathIn(d, p.field)
    const known = kind ? siblings(kind, path.slice(0, -1)) : []
    const meant = nearest(String(path[path.length - 1]), known)
    return meant ? `did you mean ${meant}?` : ''
  }
  if (p.problem.endsWith('nor a percentage')) return 'write 10 or 10%'
  const supported = /supported values: (.*)$/.exec(p.problem)?.[1]
  return supported ? `write ${supported.replaceAll(', ', ' or ').replaceAll('"', '')}` : ''
}

/** Names of the fields beside an unknown one, by our own schema. */
function siblings(kind: OwnKind, path: readonly (string | number)[]): string[] {
  if (path.length === 0) return ['apiVersion', 'kind', 'metadata', 'spec']
  if (path[0] !== 'spec') return []
  let here: JsonValue | undefined = structuralSchema(kind.spec)
  for (const step of path.slice(1))
    here = typeof step === 'number' ? at(here, 'items') : at(here, 'properties', step)
  const properties = at(here, 'properties')
  return isObject(properties) ? Object.keys(properties) : []
}
