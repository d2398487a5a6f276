/** Inputs of a module: which texts it is made of, and their digest. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { digestOf, type JsonValue, short10 } from '@lockstep/kube/object'
import type { ModuleSpec } from '../api/kinds/index.ts'
import { resolveConfigMapSource, resolveSecretSource } from './configmap/configmapsource.ts'
import { resolveResourceSource } from './configmap/resourcesource.ts'
import { resolveGitSource } from './git/gitsource.ts'
import { resolveHelmSource } from './helmrepository/helmsource.ts'
import { type SourceManifest, toManifests } from './intake/renderplain.ts'
import type { HubReader, ResolvedSource } from './intake/resolvedsource.ts'
import { fault, type SourceFailure } from './intake/sourcefailure.ts'
import type { SourceFetcher } from './intake/sourcefetcher.ts'
import { sourceProblem } from './sourceproblem.ts'

export function resolveSource(
  spec: Pick<ModuleSpec, 'source' | 'render'> & { readonly apply?: Pick<ModuleSpec['apply'], 'allowEmpty'> },
  reading: HubReader,
  outside: SourceFetcher,
): Result<ResolvedSource, SourceFailure> {
  const { source, render, apply } = spec
  const problem = sourceProblem(spec)
  if (problem) return err(problem)
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

/** A checkpoint has no content that could change: its spec alone makes a revision. */
const NOTHING: ResolvedSource = { inputs: [], sourceRevision: 'none', manifests: () => ok([]) }

function resolveInline(objects: readonly unknown[]): Result<ResolvedSource, SourceFailure> {
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
