import { type FieldPath, FieldSet, fieldElement } from '@lockstep/kube/fields'
import type { JsonObject, JsonValue, KubeObject } from '@lockstep/kube/object'
import type { SchemaOps } from '../schema/schematypes.ts'
import type { UpdaterRules } from './applyconfig.ts'
import type { Converter, Typed } from './converter.ts'
import type { VersionConverter } from './fieldmanagertypes.ts'
import { typeOfSchema } from './typed/typeofschema.ts'

/** Objects are JSON values; the types differ only in what they promise. */
const jsonOf = (object: KubeObject): JsonValue => object as unknown as JsonValue

export const typedObject = (object: KubeObject, schema: SchemaOps): Typed => ({
  value: jsonOf(object),
  type: typeOfSchema(schema.schema, schema.resolve),
})

/** What an object is before anything is said about it. */
export const emptyOf = (object: KubeObject, schema: SchemaOps): Typed =>
  typedObject(
    { ...(schema.zero as unknown as KubeObject), apiVersion: object.apiVersion, kind: object.kind },
    schema,
  )

/** `default/b; ex.io/v1, Kind=Widget`: how errors name an object. */
export function nameOf(o: KubeObject): string {
  return `${o.metadata?.namespace ?? ''}/${o.metadata?.name ?? ''}; ${kindText(o)}`
}

/** Group, version and kind as Go prints them; the core group is empty. */
export function kindText(o: { readonly apiVersion: string; readonly kind: string }): string {
  const version = o.apiVersion.includes('/') ? o.apiVersion : `/${o.apiVersion}`
  return `${version}, Kind=${o.kind}`
}

/** Sets of paths, made once per list: endpoints are few. */
const ignoredSets = new WeakMap<readonly (readonly string[])[], FieldSet>()

export function rulesOf(
  reset: readonly (readonly string[])[],
  apiVersion: string,
  versions: VersionConverter | undefined,
): UpdaterRules {
  let ignored = ignoredSets.get(reset)
  if (ignored === undefined) {
    ignored = FieldSet.fromPaths(reset.map((p): FieldPath => p.map(fieldElement)))
    ignoredSets.set(reset, ignored)
  }
  return { ignored, converter: converterOf(apiVersion, versions) }
}

/** Conversions of one request, each made once: a webhook may be behind them. */
function converterOf(apiVersion: string, versions: VersionConverter | undefined): Converter {
  if (versions === undefined) return { convert: (object) => object }
  const done = new Map<JsonValue, Map<string, Typed | undefined>>()
  return {
    convert(object, version) {
      const from = (object.value as JsonObject | null)?.apiVersion ?? apiVersion
      if (from === version) return object
      const made = done.get(object.value) ?? new Map<string, Typed | undefined>()
      done.set(object.value, made)
      if (!made.has(version)) {
        const result = versions.convert(object.value as unknown as KubeObject, version)
        made.set(version, result && typedObject(result.object, result.schema))
      }
      return made.get(version)
    },
  }
}
