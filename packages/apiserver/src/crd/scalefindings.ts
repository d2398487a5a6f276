import { type JsonValue, jsonPath, type KubeObject } from '@lockstep/kube/object'
import type { ScalePaths } from '../resources/servedkind.ts'
import { invalid } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'

const INT32_MAX = 2 ** 31 - 1

/** Replicas of a kind with `/scale` (apiextensions-apiserver `customresource/validator.go` ValidateScaleSpec). */
export function scaleFindings(o: KubeObject, paths: ScalePaths): FieldError[] {
  return [
    ...replicas(o, paths.specReplicas),
    ...replicas(o, paths.statusReplicas),
    ...selector(o, paths.selector),
  ]
}

function replicas(o: KubeObject, path: string): FieldError[] {
  const v = jsonPath(o as unknown as JsonValue, path)[0]
  if (v === undefined) return []
  if (typeof v !== 'number' || !Number.isInteger(v))
    return [
      invalid(path, 0, `${path} accessor error: ${shown(v)} is of the type ${typeOf(v)}, expected int64`),
    ]
  if (v < 0) return [invalid(path, v, 'should be a non-negative integer')]
  return v > INT32_MAX ? [invalid(path, v, `should be less than or equal to ${INT32_MAX}`)] : []
}

function selector(o: KubeObject, path: string | undefined): FieldError[] {
  const v = path === undefined ? undefined : jsonPath(o as unknown as JsonValue, path)[0]
  if (path === undefined || v === undefined || typeof v === 'string') return []
  return [
    invalid(path, v, `${path} accessor error: ${shown(v)} is of the type ${typeOf(v)}, expected string`),
  ]
}

const shown = (v: JsonValue): string => (typeof v === 'object' ? JSON.stringify(v) : String(v))

/** Go's name of what JSON decoding made of it. */
function typeOf(v: JsonValue): string {
  if (v === null) return '<nil>'
  if (Array.isArray(v)) return '[]interface {}'
  if (typeof v === 'object') return 'map[string]interface {}'
  return { boolean: 'bool', number: 'float64', bigint: 'int64' }[typeof v as 'boolean'] ?? typeof v
}
