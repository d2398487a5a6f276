/** Inputs of a module: which texts it is made of, and their digest. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { digestOf, encodeJson, isObject, type JsonValue, short10 } from '@lockstep/kube/object'
import type { ModuleSpec } from '../api/kinds/index.ts'
import type { FactsOf } from '../api/reasons/index.ts'
import { resolveConfigMapSource, resolveSecretSource } from './configmap/configmapsource.ts'
import { resolveResourceSource } from './configmap/resourcesource.ts'
import { resolveGitSource } from './git/gitsource.ts'
import { resolveHelmSource } from './helmrepository/helmsource.ts'
import { type SourceManifest, toManifests } from './intake/renderplain.ts'
import type { HubReader, ResolvedSource } from './intake/resolvedsource.ts'
import { fault, type SourceFailure } from './intake/sourcefailure.ts'
import type { SourceFetcher } from './intake/sourcefetcher.ts'

const MAX_INLINE_BYTES = 256 * 1024

export function resolveSource(
  spec: Pick<ModuleSpec, 'source' | 'render'> & { readonly apply?: Pick<ModuleSpec['apply'], 'allowEmpty'> },
  reading: HubReader,
  outside: SourceFetcher,
): Result<ResolvedSource, SourceFailure> {
  const { source, render, apply } = spec
  const problem = renderProblem(spec)
  if (problem) return err(fault('InvalidSpec', problem))
  if (source.git) return resolveGitSource(source.git, spec, reading, outside)
  if (source.helm) return resolveHelmSource(source.helm, spec, reading, outside)
  if (source.configMaps) return resolveConfigMapSource(source.configMaps, reading, render)
  if (source.secrets) return resolveSecretSource(source.secrets, reading)
  if (source.resources) return resolveResourceSource(source, reading, apply?.allowEmpty === true)
  if (source.inline) return resolveInline(source.inline.objects)
  if (source.none) return ok(NOTHING)
  return err(
    fault('InvalidSpec', {
      field: 'spec.source',
      problem: 'exactly one of git, helm, configMaps, secrets, resources, inline, none; found none',
    }),
  )
}

/** What the schema says of it, too. */
function renderProblem({
  source,
  render = {},
}: Pick<ModuleSpec, 'source' | 'render'>): FactsOf<'InvalidSpec'> | undefined {
  const { plain, kustomize, clusterGroup, helm } = render
  if ([plain, kustomize, clusterGroup, helm].filter(Boolean).length > 1)
    return { field: 'spec.render', problem: 'at most one of plain, kustomize, clusterGroup, helm' }
  if (source.refs && !helm) return { field: 'spec.source.refs', problem: 'only for render.helm.valuesFiles' }
  if (helm && !source.git && !source.helm)
    return {
      field: 'spec.render.helm',
      problem: 'requires source.helm or source.git',
    }
  if (source.helm && !helm) return { field: 'spec.source.helm', problem: 'a chart requires render.helm' }
  if (kustomize && !source.git)
    return { field: 'spec.render.kustomize', problem: 'requires the files of source.git' }
  return clusterGroup && !source.git && !source.configMaps
    ? {
        field: 'spec.render.clusterGroup',
        problem: 'requires the files of source.git or the keys of source.configMaps',
      }
    : undefined
}

/** A checkpoint has no content that could change: its spec alone makes a revision. */
const NOTHING: ResolvedSource = { inputs: [], sourceRevision: 'none', manifests: () => ok([]) }

function resolveInline(objects: readonly unknown[]): Result<ResolvedSource, SourceFailure> {
  const size = encodeJson(objects).length
  if (size > MAX_INLINE_BYTES)
    return err(
      fault('BundleTooLarge', {
        field: 'spec.source.inline',
        size: `${Math.ceil(size / 1024)} KiB`,
        limit: '256 KiB',
      }),
    )
  for (const [i, o] of objects.entries()) {
    if (isObject(o) && o.kind === 'Secret' && (hasMembers(o.data) || hasMembers(o.stringData))) {
      return err(
        fault('InvalidSpec', {
          field: `spec.source.inline.objects[${i}]`,
          problem: 'a Secret with data; more users read Modules than Secrets: remove it',
        }),
      )
    }
  }
  const render = (): Result<SourceManifest[], SourceFailure> => {
    const out: SourceManifest[] = []
    for (const [i, o] of objects.entries()) {
      const found = toManifests(o as JsonValue, `spec.source.inline.objects[${i}]`)
      if (!found.ok) return found
      out.push(...found.value)
    }
    return ok(out)
  }
  const digest = digestOf('source/inline', objects)
  return ok({
    inputs: [{ path: 'source.inline', digest }],
    sourceRevision: `inline@sha256:${short10(digest)}`,
    manifests: render,
  })
}

const hasMembers = (v: unknown): boolean => isObject(v) && Object.keys(v).length > 0
