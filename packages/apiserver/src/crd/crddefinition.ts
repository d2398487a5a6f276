import {
  at,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  member,
} from '@lockstep/kube/object'
import type { ColumnSpec, ScalePaths } from '../resources/servedkind.ts'

/** A CustomResourceDefinition, read once: what the rest of the server asks of it. */
export interface CrdDefinition {
  readonly group: string
  readonly namespaced: boolean
  readonly names: DefinedNames
  readonly versions: readonly DefinedVersion[]
  readonly storageVersion: string
  /** Objects of other versions are made by a webhook, which this version of the server does not call. */
  readonly needsWebhook: boolean
}

export interface DefinedNames {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
}

export interface DefinedVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly schema: JsonValue | undefined
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
  readonly columns: readonly ColumnSpec[] | undefined
  readonly selectable: readonly string[]
  readonly deprecation: string | undefined
}

const text = (v: JsonValue | undefined): string => (isString(v) ? v : '')
const texts = (v: JsonValue | undefined): string[] => (isArray(v) ? v.filter(isString) : [])

export const namesOf = (v: JsonValue | undefined): DefinedNames => ({
  plural: text(member(v, 'plural')),
  singular: text(member(v, 'singular')),
  kind: text(member(v, 'kind')),
  listKind: text(member(v, 'listKind')),
  shortNames: texts(member(v, 'shortNames')),
  categories: texts(member(v, 'categories')),
})

export function readDefinition(crd: KubeObject): CrdDefinition {
  const spec = crd.spec as JsonValue | undefined
  const group = text(member(spec, 'group'))
  const names = namesOf(member(spec, 'names'))
  const list = member(spec, 'versions')
  const versions = (isArray(list) ? list : []).filter(isObject).map((v) => readVersion(v, group, names))
  return {
    group,
    namespaced: member(spec, 'scope') === 'Namespaced',
    names,
    versions,
    storageVersion: versions.find((v) => v.storage)?.name ?? '',
    needsWebhook: at(spec, 'conversion', 'strategy') === 'Webhook',
  }
}

function readVersion(v: JsonObject, group: string, names: DefinedNames): DefinedVersion {
  const subresources = member(v, 'subresources')
  const columns = member(v, 'additionalPrinterColumns')
  const fields = member(v, 'selectableFields')
  const name = text(v.name)
  return {
    name,
    served: v.served === true,
    storage: v.storage === true,
    schema: at(v, 'schema', 'openAPIV3Schema'),
    hasStatus: isObject(member(subresources, 'status')),
    scale: scaleOf(member(subresources, 'scale')),
    columns: isArray(columns) && columns.length > 0 ? (columns as unknown as ColumnSpec[]) : undefined,
    selectable: (isArray(fields) ? fields : []).map((f) => text(member(f, 'jsonPath'))),
    deprecation:
      v.deprecated === true
        ? text(v.deprecationWarning) || `${group}/${name} ${names.kind} is deprecated`
        : undefined,
  }
}

function scaleOf(v: JsonValue | undefined): ScalePaths | undefined {
  if (!isObject(v)) return undefined
  return {
    specReplicas: text(v.specReplicasPath),
    statusReplicas: text(v.statusReplicasPath),
    selector: text(v.labelSelectorPath) || undefined,
  }
}
