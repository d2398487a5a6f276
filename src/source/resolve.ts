/** Inputs of a module: which texts it is made of, and their digest. */
import type { ConfigMap } from '../api/kinds/foreign.ts'
import type { ModuleSpec } from '../api/kinds/module.ts'
import { err, ok, type Result } from '../env/result.ts'
import { digestOf, encodeJson, isObject, type JsonValue, member, short10 } from '../object/object.ts'
import { fault, type SourceFailure } from './failure.ts'
import { resolveGit } from './gitsource.ts'
import type { Outside } from './outside.ts'
import { type Manifest, renderPlain, type SourceText, toManifests } from './render.ts'
import type { Resolved } from './resolved.ts'

const MAX_INLINE_BYTES = 256 * 1024

/** Looks up a ConfigMap of the module's namespace. */
export type FindConfigMap = (name: string) => ConfigMap | undefined

export function resolveSource(
  spec: Pick<ModuleSpec, 'source' | 'render'>,
  namespace: string,
  find: FindConfigMap,
  outside: Outside,
): Result<Resolved, SourceFailure> {
  const { source, render } = spec
  if (render?.kustomize && render.plain)
    return err(fault('InvalidSpec', 'spec.render: at most one of plain, kustomize; found both'))
  if (render?.kustomize && !source.git)
    return err(fault('InvalidSpec', 'spec.render.kustomize: needs the files of source.git'))
  if (source.git) return resolveGit(source.git, source.ignore, render, outside)
  if (source.configMaps) return resolveConfigMaps(source.configMaps, namespace, find)
  if (source.inline) return resolveInline(source.inline.objects)
  if (source.none) return ok(NOTHING)
  return err(fault('InvalidSpec', 'spec.source: exactly one of git, configMaps, inline, none; found none'))
}

/** A checkpoint has no content that could change: its spec alone makes a revision. */
const NOTHING: Resolved = { inputs: [], sourceRevision: 'none', manifests: () => ok([]) }

function resolveConfigMaps(
  items: NonNullable<ModuleSpec['source']['configMaps']>,
  namespace: string,
  find: FindConfigMap,
): Result<Resolved, SourceFailure> {
  const texts: SourceText[] = []
  for (const [i, item] of items.entries()) {
    const where = `spec.source.configMaps[${i}]`
    const map = find(item.name)
    if (!map)
      return err(
        fault('ResourceNotFound', `${where}: ConfigMap ${namespace}/${item.name} does not exist`, true),
      )
    if (item.key !== undefined && member(map.data, item.key) === undefined) {
      const keys = Object.keys(map.data ?? {}).join(', ') || 'none'
      return err(
        fault(
          'ResourceNotFound',
          `${where}: ConfigMap ${namespace}/${item.name} has no key ${item.key}; there are: ${keys}`,
          true,
        ),
      )
    }
    const keys = item.key !== undefined ? [item.key] : Object.keys(map.data ?? {}).sort()
    for (const key of keys)
      texts.push({ origin: `ConfigMap ${namespace}/${item.name} key ${key}`, text: map.data![key]! })
  }
  const digest = digestOf(
    'source/configMaps',
    texts.map((t) => t.text),
  )
  return ok(resolved('configMaps', digest, () => renderPlain(texts)))
}

function resolveInline(objects: readonly unknown[]): Result<Resolved, SourceFailure> {
  const size = encodeJson(objects).length
  if (size > MAX_INLINE_BYTES)
    return err(
      fault(
        'BundleTooLarge',
        `spec.source.inline: ${Math.ceil(size / 1024)} KiB, the limit is 256 KiB; use source.configMaps`,
      ),
    )
  for (const [i, o] of objects.entries()) {
    if (isObject(o) && o.kind === 'Secret' && (hasMembers(o.data) || hasMembers(o.stringData))) {
      return err(
        fault(
          'InvalidSpec',
          `spec.source.inline.objects[${i}]: is a Secret with data; more people read Modules than Secrets: take it out`,
        ),
      )
    }
  }
  const render = (): Result<Manifest[], SourceFailure> => {
    const out: Manifest[] = []
    for (const [i, o] of objects.entries()) {
      const found = toManifests(o as JsonValue, `spec.source.inline.objects[${i}]`)
      if (!found.ok) return found
      out.push(...found.value)
    }
    return ok(out)
  }
  return ok(resolved('inline', digestOf('source/inline', objects), render))
}

const hasMembers = (v: unknown): boolean => isObject(v) && Object.keys(v).length > 0

function resolved(kind: string, digest: string, manifests: Resolved['manifests']): Resolved {
  return {
    inputs: [{ path: `source.${kind}`, digest }],
    sourceRevision: `${kind}@sha256:${short10(digest)}`,
    manifests,
  }
}
