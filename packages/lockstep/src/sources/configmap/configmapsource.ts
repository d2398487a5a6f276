/** Manifests in ConfigMaps and Secrets of the module's namespace. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { base64ToBytes, type Digest, digestOf, kidOf, member, short10 } from '@lockstep/kube/object'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import { clusterGroupManifestsOfTexts, ignoreWarning } from '../clustergroup/clustergroupmanifests.ts'
import { missingResource } from '../intake/missingresource.ts'
import { type ManifestText, renderPlain } from '../intake/renderplain.ts'
import type { HubReader, NamedInput, ResolvedSource } from '../intake/resolvedsource.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'

type Items = NonNullable<ModuleSpec['source']['configMaps']>

/** Which objects of its namespace a module is made of. */
export function namedInputs({ source, render }: Pick<ModuleSpec, 'source' | 'render'>): NamedInput[] {
  const { configMaps, secrets, resources = [] } = source
  const of = (kind: NamedInput['kind'], items: Items = []) => items.map(({ name }) => ({ kind, name }))
  const values = (render?.helm?.valuesFrom ?? []).map(({ kind, name }) => ({ kind, name }))
  return [...of('ConfigMap', configMaps), ...of('Secret', secrets), ...resources, ...values]
}

export function resolveConfigMapSource(
  items: Items,
  reading: HubReader,
  render?: ModuleSpec['render'],
): Result<ResolvedSource, SourceFailure> {
  const texts = textsOf('ConfigMap', 'configMaps', items, reading, ok)
  if (!texts.ok) return texts
  const digest = digestOf('source/configMaps', contentsOf(texts.value))
  const group = render?.clusterGroup
  return ok({
    inputs: [{ path: 'source.configMaps', digest }],
    sourceRevision: `configMaps@sha256:${short10(digest)}`,
    manifests: (warn = ignoreWarning) =>
      group ? clusterGroupManifestsOfTexts(group, texts.value, warn) : renderPlain(texts.value),
  })
}

/** Its digest is keyed: the revision, which everybody reads, says nothing about what is in them. */
export function resolveSecretSource(items: Items, reading: HubReader): Result<ResolvedSource, SourceFailure> {
  const texts = textsOf('Secret', 'secrets', items, reading, decoded)
  if (!texts.ok) return texts
  const keyed = reading.keyed()
  if (!keyed.ok) return keyed
  const digest = keyed.value('source/secrets', contentsOf(texts.value))
  return ok({
    inputs: [{ path: 'source.secrets', digest }],
    sourceRevision: `secrets@${nameOf(digest)}`,
    sensitive: true,
    manifests: () => renderPlain(texts.value),
  })
}

const contentsOf = (texts: readonly ManifestText[]): string[] => texts.map((t) => t.text)

const nameOf = (digest: Digest): string => `v1:${kidOf(digest)}:${short10(digest)}`

/** In the order of the list, then of the keys by bytes. */
function textsOf(
  kind: NamedInput['kind'],
  field: 'configMaps' | 'secrets',
  items: Items,
  { namespace, find }: HubReader,
  decode: (value: string) => Result<string, undefined>,
): Result<ManifestText[], SourceFailure> {
  const texts: ManifestText[] = []
  const secret = kind === 'Secret' ? ({ secret: true } as const) : {}
  for (const [i, { name, key }] of items.entries()) {
    const where = `spec.source.${field}[${i}]`
    const what = `${kind} ${namespace}/${name}`
    const found = find({ kind, name })
    if (!found.ok) return found
    if (!found.value) return err(missingResource(where, { kind, namespace, name }))
    const data = found.value.data ?? {}
    if (key !== undefined && member(data, key) === undefined) {
      return err(missingResource(where, { kind, namespace, name }, { key, known: Object.keys(data) }))
    }
    for (const k of key !== undefined ? [key] : Object.keys(data).sort()) {
      const origin = `${what} key ${k}`
      const text = decode(data[k]!)
      if (!text.ok)
        return err(fault('RenderFailed', { field: where, place: origin, because: 'Encoding' }, true))
      texts.push({ origin, text: text.value, ...secret })
    }
  }
  return ok(texts)
}

function decoded(value: string): Result<string, undefined> {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(base64ToBytes(value)))
  } catch {
    return err(undefined)
  }
}
