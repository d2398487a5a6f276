/** Where objects of Flux name a source: whoever renames one follows all of these. */
import { at, isArray, type JsonObject, type YamlPath } from '@lockstep/kube/object'
import { type FluxManifest, textAt } from './fluxmanifest.ts'

export interface SourceReference {
  /** Of the name. */
  readonly path: YamlPath
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** A list is written `*`; `kind` where the reference does not say one. */
interface ReferenceField {
  readonly path: readonly string[]
  readonly kind?: string
}

const SLOTS: Readonly<Record<string, readonly ReferenceField[]>> = {
  'kustomize.toolkit.fluxcd.io/Kustomization': [{ path: ['spec', 'sourceRef'] }],
  'helm.toolkit.fluxcd.io/HelmRelease': [
    { path: ['spec', 'chartRef'] },
    { path: ['spec', 'chart', 'spec', 'sourceRef'] },
  ],
  'source.toolkit.fluxcd.io/HelmChart': [{ path: ['spec', 'sourceRef'] }],
  'source.toolkit.fluxcd.io/GitRepository': [
    { path: ['spec', 'include', '*', 'repository'], kind: 'GitRepository' },
  ],
  'source.extensions.fluxcd.io/ArtifactGenerator': [{ path: ['spec', 'sources', '*'] }],
  'image.toolkit.fluxcd.io/ImageUpdateAutomation': [{ path: ['spec', 'sourceRef'] }],
  'notification.toolkit.fluxcd.io/Receiver': [{ path: ['spec', 'resources', '*'] }],
  'notification.toolkit.fluxcd.io/Alert': [{ path: ['spec', 'eventSources', '*'] }],
}

/** All references to sources of one object; `value`: as it is by now. */
export function sourceReferencesOf(
  m: FluxManifest,
  namespace: string,
  value: JsonObject = m.value,
): SourceReference[] {
  const own = m.namespace || namespace
  return (SLOTS[`${m.group}/${m.kind}`] ?? []).flatMap((slot) =>
    expand(value, slot.path, []).flatMap((path) => {
      const here = at(value, ...path)
      const [kind, name] = [textAt(here, 'kind') ?? slot.kind, textAt(here, 'name')]
      if (kind === undefined || name === undefined) return []
      return [{ path: [...path, 'name'], kind, name, namespace: textAt(here, 'namespace') ?? own }]
    }),
  )
}

/** The paths that are there. */
function expand(value: JsonObject, path: readonly string[], above: YamlPath): YamlPath[] {
  const star = path.indexOf('*')
  if (star < 0) return [[...above, ...path]]
  const list = [...above, ...path.slice(0, star)]
  const items = at(value, ...list)
  return isArray(items) ? items.flatMap((_, i) => expand(value, path.slice(star + 1), [...list, i])) : []
}
