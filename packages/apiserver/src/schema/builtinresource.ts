import { apiVersionOf, deepFreeze, type GroupVersionKind, type JsonObject } from '@lockstep/kube/object'
import type { ResourceInfo, SubresourceInfo } from '../resources/resourceinfo.ts'
import generated from './builtin.generated.json' with { type: 'json' }
import { compileSchema } from './compileschema.ts'
import type { Resolve, Schema, SchemaOps } from './schematypes.ts'

/** A resource that a default server has: what discovery says of it, and where its schema is. */
export interface BuiltinResource extends ResourceInfo {
  /** As a server of this version tells it in discovery. */
  readonly storageVersionHash?: string
  readonly subresources?: Readonly<Record<string, BuiltinSubresource>>
  /** Name of its definition: `apps.v1.Deployment`. */
  readonly type: string
}

interface BuiltinSubresource extends SubresourceInfo {
  /** Name of its definition, if that is another one. */
  readonly type?: string
}

interface Generated {
  readonly resources: readonly BuiltinResource[]
  readonly definitions: Readonly<Record<string, Schema>>
}

const { resources, definitions } = generated as unknown as Generated

/** All built-in resources, sorted by group, version and plural. */
export const builtinResources = (): readonly BuiltinResource[] => resources

/** All definitions by name, for documents made of them. References are names, too: `{ "$ref": "core.v1.PodSpec" }`. */
export const builtinDefinitions = (): Readonly<Record<string, Schema>> => definitions

/** What a reference between built-in definitions stands for. */
export const resolveBuiltin: Resolve = (schema) =>
  schema.$ref === undefined ? schema : (definitions[schema.$ref] ?? schema)

const compiled = new Map<string, SchemaOps>()

/** The schema of a built-in kind, kinds of subresources included; made when first asked for, shared by everybody. */
export function builtinSchema(gvk: GroupVersionKind): SchemaOps | undefined {
  const key = `${gvk.group}/${gvk.version}/${gvk.kind}`
  let ops = compiled.get(key)
  if (ops === undefined) {
    const type = typeOf(gvk)
    const schema = type === undefined ? undefined : definitions[type]
    if (schema === undefined) return undefined
    ops = withZero(compileSchema(deepFreeze(schema), resolveBuiltin), gvk)
    compiled.set(key, ops)
  }
  return ops
}

function withZero(ops: SchemaOps, gvk: GroupVersionKind): SchemaOps {
  const zero = ops.defaults({ apiVersion: apiVersionOf(gvk), kind: gvk.kind })
  return { ...ops, zero: deepFreeze(zero) as JsonObject }
}

/** Name of the definition of a kind. */
function typeOf(gvk: GroupVersionKind): string | undefined {
  for (const r of resources) {
    if (r.group === gvk.group && r.version === gvk.version && r.kind === gvk.kind) return r.type
    for (const s of Object.values(r.subresources ?? {})) {
      const [group, version] = [s.group ?? r.group, s.version ?? r.version]
      if (s.type && s.kind === gvk.kind && group === gvk.group && version === gvk.version) return s.type
    }
  }
  return undefined
}
