import { at, isArray, type JsonValue, jsonEqual, type KubeObject, sha256Hex } from '@lockstep/kube/object'
import { checkCrdSchema } from '../schema/crdschema.ts'
import { invalid, notSupported, required } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import { IMMUTABLE } from '../status/invalid.ts'
import { dns1035Label, dns1123Subdomain } from '../write/dns1123label.ts'
import type { CrdDefinition, DefinedVersion } from './crddefinition.ts'
import { readDefinition } from './crddefinition.ts'
import { isTrue } from './definitioncondition.ts'

/** Everything that is wrong with a definition (apiextensions-apiserver `validation.go`). */
export function validateDefinition(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const d = readDefinition(next)
  const wanted = `${d.names.plural}.${d.group}`
  if (next.metadata.name !== wanted)
    return [invalid('metadata.name', next.metadata.name, 'must be spec.names.plural+"."+spec.group')]
  // What was stored once is not judged again.
  const isSame = old !== undefined && jsonEqual(next.spec, old.spec)
  const out = [
    ...specFindings(d, next),
    ...(isSame ? [] : schemaFindings(d, old && readDefinition(old))),
    ...nameFindings(d),
    ...(old ? changeFindings(next, old) : []),
  ]
  return isSame ? out.filter((e) => !e.field.includes('openAPIV3Schema')) : out
}

function specFindings(d: CrdDefinition, crd: KubeObject): FieldError[] {
  const out: FieldError[] = []
  if (d.group === '') out.push(required('spec.group'))
  else {
    for (const e of dns1123Subdomain(d.group)) out.push(invalid('spec.group', d.group, e))
    if (!d.group.includes('.'))
      out.push(invalid('spec.group', d.group, 'should be a domain with at least one dot'))
  }
  const scope = at(crd, 'spec', 'scope')
  if (scope === undefined || scope === '') out.push(required('spec.scope'))
  else if (scope !== 'Namespaced' && scope !== 'Cluster')
    out.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']))
  out.push(...versionFindings(d))
  return out
}

function versionFindings(d: CrdDefinition): FieldError[] {
  const out: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, v] of d.versions.entries()) {
    for (const e of dns1035Label(v.name)) out.push(invalid(`spec.versions[${i}].name`, v.name, e))
    if (seen.has(v.name)) out.push(invalid('spec.versions', shown(d), 'must contain unique version names'))
    seen.add(v.name)
  }
  if (d.versions.filter((v) => v.storage).length !== 1)
    out.push(invalid('spec.versions', shown(d), 'must have exactly one version marked as storage version'))
  return out
}

const shown = (d: CrdDefinition): JsonValue => d.versions.map((v) => v.name)

/** One schema for all versions is checked, and named, once: it is kept at the top. */
function schemaFindings(d: CrdDefinition, old: CrdDefinition | undefined): FieldError[] {
  const first = d.versions[0]
  const hoisted = first !== undefined && d.versions.every((v) => jsonEqual(v.schema, first.schema))
  const found = (v: DefinedVersion, path: string): FieldError[] => {
    const before = old?.versions.find((o) => o.name === v.name)
    const isStored = before?.schema !== undefined && jsonEqual(before.schema, v.schema)
    return schemaProblems(v.schema!, path, { hasStatus: v.hasStatus, isStored })
  }
  if (hoisted) {
    if (first.schema === undefined)
      return d.versions.map((_, i) => required(schemaPath(i), 'schemas are required'))
    return found(first, 'spec.validation.openAPIV3Schema')
  }
  return d.versions.flatMap((v, i) =>
    v.schema === undefined ? [required(schemaPath(i), 'schemas are required')] : found(v, schemaPath(i)),
  )
}

/** Schemas in which nothing was found: servers of one process are mostly given the same ones. */
const sound = new Set<string>()
const MOST_SOUND = 1000

function schemaProblems(...asked: Parameters<typeof checkCrdSchema>): FieldError[] {
  const id = sha256Hex(JSON.stringify(asked))
  if (sound.has(id)) return []
  const found = checkCrdSchema(...asked)
  if (found.length === 0 && sound.size < MOST_SOUND) sound.add(id)
  return found
}

const schemaPath = (i: number): string => `spec.versions[${i}].schema.openAPIV3Schema`

function nameFindings(d: CrdDefinition): FieldError[] {
  const { names } = d
  const out: FieldError[] = []
  if (names.plural === '') out.push(required('spec.names.plural'))
  for (const e of names.plural === '' ? [] : dns1035Label(names.plural))
    out.push(invalid('spec.names.plural', names.plural, e))
  if (names.singular !== '')
    for (const e of dns1035Label(names.singular)) out.push(invalid('spec.names.singular', names.singular, e))
  for (const [field, value] of [
    ['kind', names.kind],
    ['listKind', names.listKind],
  ] as const) {
    if (value === '') out.push(required(`spec.names.${field}`))
    else
      for (const e of dns1035Label(value.toLowerCase()))
        out.push(
          invalid(`spec.names.${field}`, value, `may have mixed case, but should otherwise match: ${e}`),
        )
  }
  if (names.kind !== '' && names.kind === names.listKind)
    out.push(invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'))
  for (const [i, s] of names.shortNames.entries())
    for (const e of dns1035Label(s)) out.push(invalid(`spec.names.shortNames[${i}]`, s, e))
  return out
}

const STILL_STORED =
  'missing from spec.versions; this version must remain in spec.versions until a storage migration ensures no data remains persisted in it and removes it from status.storedVersions'

/** What no longer changes once the definition serves objects. */
function changeFindings(next: KubeObject, old: KubeObject): FieldError[] {
  const out: FieldError[] = []
  if (isTrue(old, 'Established'))
    for (const path of [['group'], ['scope'], ['names', 'kind'], ['names', 'plural']]) {
      const value = at(next, 'spec', ...path)
      if (value !== at(old, 'spec', ...path)) out.push(invalid(`spec.${path.join('.')}`, value, IMMUTABLE))
    }
  const stored = at(next, 'status', 'storedVersions')
  const names = new Set(readDefinition(next).versions.map((v) => v.name))
  for (const [i, v] of (isArray(stored) ? stored : []).entries())
    if (!names.has(String(v))) out.push(invalid(`status.storedVersions[${i}]`, v, STILL_STORED))
  return out
}
