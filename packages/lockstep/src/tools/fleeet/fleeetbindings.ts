/** Bindings of a module of Fleeet, and what its package substitutes. */
import {
  at,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  type YamlPath,
} from '@lockstep/kube/object'
import { BUILT_IN_NAMES, mentionsIn } from '../../decisions/binding/index.ts'
import type { ImportSubject, ModuleDraft } from '../fluximport/moduledraft.ts'

export type FleeetDraft = ModuleDraft<ImportSubject>

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const SUBSTITUTE = ['spec', 'sync', 'package', 'kustomize', 'substitute']
const AFTER = 'then add spec.targets.'

/** Where they are read: control-plane bindings at the hub, those of the sync on the cluster. */
const LISTS: readonly { readonly path: YamlPath; readonly isOfHub: boolean }[] = [
  { path: ['spec', 'controlPlaneBindings'], isOfHub: true },
  { path: ['spec', 'sync', 'bindings'], isOfHub: false },
]

export function readFleeetBindings(draft: FleeetDraft): void {
  const { reading } = draft
  const made = new Map<string, JsonObject>()
  for (const { path, isOfHub } of LISTS) {
    const list = reading.value(path)
    if (list === null || (isArray(list) && list.length === 0)) reading.settle(path)
    for (const [i, item] of (isArray(list) ? list : []).entries()) {
      const from = [...path, i]
      const problem = problemOf(item, made)
      if (problem) reading.lose(from, problem, `Write it as a binding of spec.bindings, ${AFTER}`, true)
      else add(draft, made, String(at(item, 'name')), bindingOf(draft, item, from, isOfHub), from)
    }
  }
  readSubstitute(draft, made)
  if (made.size > 0) draft.imply(['bindings'], [...made.values()])
}

function add(
  draft: FleeetDraft,
  made: Map<string, JsonObject>,
  name: string,
  source: JsonObject,
  from: YamlPath,
): void {
  made.set(name, { name, ...source })
  draft.reading.settle(from)
}

/** Why a binding cannot be one of ours. */
function problemOf(item: JsonValue, made: ReadonlyMap<string, JsonObject>): string | undefined {
  const name = at(item, 'name')
  if (!isString(name) || !NAME.test(name)) return 'its name has other signs than letters, digits and _'
  if (BUILT_IN_NAMES.has(name)) return `${name} is given, and cannot be another value`
  if (made.has(name)) return `${name} is declared twice, for the hub and for the cluster`
  const value = at(item, 'value')
  const ref = at(item, 'objectFieldRef')
  if (isString(value)) return lonelyDollars(value)
  if (!isObject(ref)) return 'it has neither value nor objectFieldRef'
  if (ref.kind === 'Secret') return 'fields of Secrets are not read; secretKeyRef takes a key as text'
  const { apiVersion, kind, name: of, fieldPath } = ref
  if (![apiVersion, kind, of].every((x) => isString(x) && x !== ''))
    return 'its objectFieldRef names no object'
  if (!isString(fieldPath) || !/^(\/([^/~]|~[01])+)+$/.test(fieldPath))
    return 'its fieldPath is not a JSON pointer'
  if (!/^[A-Za-z_]/.test(fieldPathOf(fieldPath))) return 'its fieldPath begins with no name'
  return lonelyDollars(String(of))
}

/** `$$` is a dollar there, and here only before a mention. */
const lonelyDollars = (text: string): string | undefined =>
  /\$\$(?!\()/.test(text) ? 'it has $$, which is a text here where no ( follows' : undefined

function bindingOf(
  { unit, reading }: FleeetDraft,
  item: JsonValue,
  from: YamlPath,
  isOfHub: boolean,
): JsonObject {
  const value = at(item, 'value')
  if (isString(value)) return { value }
  const ref = at(item, 'objectFieldRef') as JsonObject
  const { apiVersion, kind, name } = ref
  const object = { apiVersion, kind, name, fieldPath: fieldPathOf(String(ref.fieldPath)) }
  if (isOfHub) return { objectFieldRef: object }
  const { namespace } = unit
  const why = `the object is looked for in namespace ${namespace || 'of the module'} of the cluster, where Fleeet has its assemblage`
  reading.note(
    [...from, 'objectFieldRef'],
    why,
    'Set spec.bindings[].workloadFieldRef.namespace, or remove it, if that is wrong.',
  )
  return { workloadFieldRef: { ...object, ...(namespace ? { namespace } : {}) } }
}

/** A JSON pointer as a path; numbers are elements. */
const fieldPathOf = (pointer: string): string =>
  pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, step) => {
      if (/^(0|[1-9]\d*)$/.test(step)) return `${path}[${step}]`
      if (!/^[A-Za-z_][\w-]*$/.test(step)) return `${path}["${step}"]`
      return path === '' ? step : `${path}.${step}`
    }, '')

/** They become bindings; manifests mention them in another way. */
function readSubstitute(draft: FleeetDraft, made: Map<string, JsonObject>): void {
  const { reading } = draft
  const all = reading.value(SUBSTITUTE)
  if (!isObject(all)) return
  for (const [name, value] of Object.entries(all)) {
    const path = [...SUBSTITUTE, name]
    if (!isString(value)) continue
    // It passes on what has that name already.
    const isSame = mentionsIn(value).length === 1 && value === `$(${name})`
    const problem = isSame ? undefined : problemOf({ name, value }, made)
    if (problem !== undefined) {
      reading.lose(path, problem, `Write it as a binding of spec.bindings, ${AFTER}`, true)
      continue
    }
    if (!isSame) made.set(name, { name, value })
    const why = `manifests mention it as \${${name}}, which is not replaced`
    reading.lose(path, why, `Write $(${name}) there, ${AFTER}`, true)
  }
}
