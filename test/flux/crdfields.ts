/** Objects of Flux's kinds with fields as their CRDs have them. */

import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type YamlPath,
} from '../../packages/kube/src/object/index.ts'
import { fluxDefinitions } from '../../packages/simulators/src/flux/fluxdefinitions.ts'

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
}

/** A field without fields below it. Lists have one item, maps one member. */
export interface CrdLeaf {
  readonly path: YamlPath
  /** Some that its schema takes. */
  readonly values: readonly JsonValue[]
}

/** What a pattern does not say, by the name of the field. */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  url: ['https://example.com/fleet'],
  commit: ['9b1c0000'.repeat(5)],
  semver: ['>=1.0.0', '1.x'],
  path: ['./apps', ''],
  apiVersion: ['apps/v1', 'example.com/v1'],
  current: ['true'],
  failed: ['false'],
  inProgress: ['false'],
  key: ['value', 'other'],
  timeout: ['90s', '1500ms', '1h'],
  namespace: ['flux-system', 'elsewhere'],
}

export const leavesOf = (kind: string): CrdLeaf[] => {
  const definition = fluxDefinitions().find((d) => at(d, 'spec', 'names', 'kind') === kind)!
  return below(
    at(definition, 'spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'spec') as Schema,
    ['spec'],
  )
}

function below(s: Schema, path: YamlPath): CrdLeaf[] {
  if (s.properties) return Object.entries(s.properties).flatMap(([name, p]) => below(p, [...path, name]))
  if (s.items?.properties) return below(s.items, [...path, 0])
  if (s.additionalProperties) return below(s.additionalProperties, [...path, 'app.example/of'])
  return [{ path, values: valuesOf(s, String(path.findLast((step) => typeof step === 'string'))) }]
}

function valuesOf(s: Schema, name: string): readonly JsonValue[] {
  if (s['x-kubernetes-preserve-unknown-fields']) return [{ replicas: 2 }]
  if (s.type === 'boolean') return [true, false]
  if (s.type === 'integer') return [3]
  if (s.type === 'array') return [name === 'paths' ? ['/spec/replicas'] : (s.items?.enum ?? ['x-1', 'x-2'])]
  if (s.enum) return s.enum
  const known = BY_NAME[name]
  if (known) return known
  return s.pattern?.includes('ms|s|m') ? ['5m', '20s', '100h'] : name === 'name' ? ['x-1'] : ['x1', 'y1']
}

/** Sets a member, and makes what is missing on the way. */
export function withLeaf(value: JsonValue | undefined, path: YamlPath, to: JsonValue | undefined): JsonValue {
  const [step, ...rest] = path
  if (typeof step === 'number') return [withOrEnd(isArray(value) ? value[step] : undefined, rest, to)!]
  const { [step!]: here, ...others } = isObject(value) ? value : ({} as JsonObject)
  const next = withOrEnd(here, rest, to)
  return next === undefined ? others : { ...others, [step!]: next }
}

const withOrEnd = (value: JsonValue | undefined, rest: YamlPath, to: JsonValue | undefined) =>
  rest.length === 0 ? to : withLeaf(value, rest, to)
