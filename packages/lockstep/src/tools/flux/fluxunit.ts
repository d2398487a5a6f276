/** What Flux reconciles as one, and what it waits for: Kustomizations and HelmReleases. */
import { at, isArray, isObject, type JsonObject, type YamlPath } from '@lockstep/kube/object'
import { type FluxManifest, textAt } from './fluxmanifest.ts'

export type FluxUnitType = 'Kustomization' | 'HelmRelease'

export interface FluxUnit {
  readonly kind: FluxUnitType
  /** In which it lives; empty where nothing says it. */
  readonly namespace: string
  readonly name: string
  readonly manifest: FluxManifest
  readonly spec: JsonObject
  /** As written, in order. */
  readonly edges: readonly FluxEdge[]
  readonly source: FluxSourceRef | undefined
}

/** An item of `spec.dependsOn`: always to a unit of the same kind, Flux has no field for another. */
export interface FluxEdge {
  readonly path: YamlPath
  readonly kind: FluxUnitType
  /** Where Flux looks for it: the unit's own namespace, if none is written. */
  readonly namespace: string
  readonly name: string
  readonly readyExpr: string | undefined
}

/** What a unit takes its content from. */
export interface FluxSourceRef {
  /** Of the object that has `kind` and `name`. */
  readonly path: YamlPath
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

const KUSTOMIZE = 'kustomize.toolkit.fluxcd.io'
const HELM = 'helm.toolkit.fluxcd.io'

/** Versions with the fields that we read. Older ones differ in more than their name. */
const VERSIONS: Readonly<
  Record<string, { readonly kind: FluxUnitType; readonly versions: readonly string[] }>
> = {
  [KUSTOMIZE]: { kind: 'Kustomization', versions: ['v1', 'v1beta2'] },
  [HELM]: { kind: 'HelmRelease', versions: ['v2', 'v2beta2'] },
}

/** The unit that a manifest is; `namespace`: where it lives if it does not say so. */
export function unitOf(m: FluxManifest, namespace: string): FluxUnit | undefined {
  const known = VERSIONS[m.group]
  if (known?.kind !== m.kind || !known.versions.includes(m.version) || m.name === '') return undefined
  const found = at(m.value, 'spec')
  const spec = isObject(found) ? found : {}
  const own = m.namespace || namespace
  const { kind } = known
  return {
    kind,
    namespace: own,
    name: m.name,
    manifest: m,
    spec,
    edges: edgesOf(kind, spec, own),
    source: sourceOf(kind, spec, own),
  }
}

/** A unit of Flux in a version that we do not read. */
export const isOtherVersion = (m: FluxManifest): boolean => {
  const known = VERSIONS[m.group]
  return known?.kind === m.kind && !known.versions.includes(m.version)
}

function edgesOf(kind: FluxUnitType, spec: JsonObject, own: string): FluxEdge[] {
  const list = at(spec, 'dependsOn')
  if (!isArray(list)) return []
  return list.flatMap((item, i) => {
    const name = textAt(item, 'name')
    if (name === undefined) return []
    const namespace = textAt(item, 'namespace') ?? own
    return [{ path: ['spec', 'dependsOn', i], kind, namespace, name, readyExpr: textAt(item, 'readyExpr') }]
  })
}

function sourceOf(kind: FluxUnitType, spec: JsonObject, own: string): FluxSourceRef | undefined {
  const paths = kind === 'Kustomization' ? [['sourceRef']] : [['chartRef'], ['chart', 'spec', 'sourceRef']]
  for (const path of paths) {
    const found = sourceRefAt(spec, path, ['spec'], own)
    if (found) return found
  }
  return undefined
}

/** `{kind, name, namespace?}` at a path of a value, if it is one. */
export function sourceRefAt(
  value: unknown,
  path: YamlPath,
  above: YamlPath,
  own: string,
): FluxSourceRef | undefined {
  const here = at(value, ...path)
  const [kind, name] = [textAt(here, 'kind'), textAt(here, 'name')]
  if (kind === undefined || name === undefined) return undefined
  return { path: [...above, ...path], kind, name, namespace: textAt(here, 'namespace') ?? own }
}

/** `Kustomization apps/front`: one form in all messages. */
export const unitText = (u: {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}): string => `${u.kind} ${u.namespace ? `${u.namespace}/` : ''}${u.name}`
