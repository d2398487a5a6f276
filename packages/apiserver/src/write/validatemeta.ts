import type { KubeObject, ObjectMeta, OwnerReference } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'
import { forbidden, invalid, required } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import { IMMUTABLE } from '../status/invalid.ts'
import { dns1123Subdomain, labelValue, qualifiedName } from './dns1123label.ts'

const ANNOTATIONS_MAX = 262_144

/** Metadata of an object that is to be created (apimachinery pkg/api/validation/objectmeta.go). */
export function validateMeta(kind: ServedKind, o: KubeObject): FieldError[] {
  const m = o.metadata
  const out: FieldError[] = []
  if (m.generateName)
    for (const e of kind.rules.name(m.generateName, true))
      out.push(invalid('metadata.generateName', m.generateName, e))
  if (!m.name) out.push(required('metadata.name', 'name or generateName is required'))
  else for (const e of kind.rules.name(m.name, false)) out.push(invalid('metadata.name', m.name, e))
  out.push(...labelFindings(m.labels, 'metadata.labels'), ...annotationFindings(m), ...ownerFindings(m))
  for (const f of m.finalizers ?? [])
    for (const e of qualifiedName(f)) out.push(invalid('metadata.finalizers', f, e))
  const known = new Set(m.finalizers)
  if (known.has('orphan') && known.has('foregroundDeletion'))
    out.push(
      invalid(
        'metadata.finalizers',
        [...known],
        'finalizer orphan and foregroundDeletion cannot be both set',
      ),
    )
  return out
}

/** … and of a change. What only the server sets has been put back before. */
export function validateMetaUpdate(kind: ServedKind, next: KubeObject, old: KubeObject): FieldError[] {
  const out: FieldError[] = []
  for (const name of ['name', 'namespace', 'uid'] as const)
    if (next.metadata[name] !== old.metadata[name])
      out.push(invalid(`metadata.${name}`, next.metadata[name], IMMUTABLE))
  if (out.length > 0) return out
  out.push(...addedFinalizers(next.metadata, old.metadata))
  out.push(...validateMeta({ ...kind, rules: { ...kind.rules, name: () => [] } }, next))
  return out
}

/** The check is made once for metadata and once for the kind, so the finding comes twice in the causes. */
function addedFinalizers(next: ObjectMeta, old: ObjectMeta): FieldError[] {
  if (old.deletionTimestamp === undefined) return []
  const had = new Set(old.finalizers)
  const added = (next.finalizers ?? []).filter((f) => !had.has(f)).sort()
  if (added.length === 0) return []
  const e = forbidden(
    'metadata.finalizers',
    `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(', ')}}`,
  )
  return [e, e]
}

export function labelFindings(labels: ObjectMeta['labels'], path: string): FieldError[] {
  const out: FieldError[] = []
  for (const [k, v] of Object.entries(labels ?? {})) {
    for (const e of qualifiedName(k)) out.push(invalid(path, k, e))
    for (const e of labelValue(v)) out.push(invalid(path, v, e))
  }
  return out
}

function annotationFindings(m: ObjectMeta): FieldError[] {
  const out: FieldError[] = []
  let size = 0
  for (const [k, v] of Object.entries(m.annotations ?? {})) {
    for (const e of qualifiedName(k.toLowerCase())) out.push(invalid('metadata.annotations', k, e))
    size += k.length + v.length
  }
  if (size > ANNOTATIONS_MAX)
    out.push({
      field: 'metadata.annotations',
      type: 'TooLong',
      message: `Too long: may not be more than ${ANNOTATIONS_MAX} bytes`,
    })
  return out
}

function ownerFindings(m: ObjectMeta): FieldError[] {
  const out: FieldError[] = []
  const path = 'metadata.ownerReferences'
  let controller: OwnerReference | undefined
  for (const [i, r] of (m.ownerReferences ?? []).entries()) {
    const at = `${path}[${i}]`
    if (!r.apiVersion) out.push(invalid(`${at}.apiVersion`, r.apiVersion ?? '', 'version must not be empty'))
    if (!r.kind) out.push(invalid(`${at}.kind`, r.kind ?? '', 'must not be empty'))
    if (!r.name) out.push(invalid(`${at}.name`, r.name ?? '', 'must not be empty'))
    if (!r.uid) out.push(invalid(`${at}.uid`, r.uid ?? '', 'must not be empty'))
    if (r.kind === 'Event' && r.apiVersion === 'v1')
      out.push(invalid(at, '', 'Kind=Event is disallowed from being an owner'))
    if (!r.controller) continue
    if (controller)
      out.push(
        invalid(
          path,
          JSON.parse(JSON.stringify(m.ownerReferences)),
          `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${r.kind}/${r.name}`,
        ),
      )
    controller = r
  }
  return out
}

/** Repeated owners are merged with a warning (apiserver `dedupOwnerReferences`). */
export function withoutRepeatedOwners(
  m: ObjectMeta,
  warn: (text: string) => void,
): readonly OwnerReference[] | undefined {
  const refs = m.ownerReferences
  if (!refs || refs.length < 2) return refs
  const seen = new Set<string>()
  const kept = refs.filter((r) => {
    const id = JSON.stringify([r.apiVersion, r.kind, r.name, r.uid, r.controller, r.blockOwnerDeletion])
    return seen.has(id) ? false : seen.add(id)
  })
  if (kept.length === refs.length) return refs
  warn(
    '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests',
  )
  return kept
}

/** A finalizer without a domain is accepted with advice (apiextensions-apiserver `customresource/strategy.go`). */
export const finalizerWarnings = (m: ObjectMeta): string[] =>
  (m.finalizers ?? [])
    .filter((f) => !f.includes('/') && !['orphan', 'foregroundDeletion', 'kubernetes'].includes(f))
    .map(
      (f) =>
        `metadata.finalizers: ${JSON.stringify(f)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    )

/** Names that every kind of the platform shares. */
export const subdomainName = (name: string, prefix: boolean): string[] =>
  dns1123Subdomain(prefix ? name.replace(/-+$/, 'a') : name)
