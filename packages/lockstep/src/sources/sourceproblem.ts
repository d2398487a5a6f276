/** Problems of a source that the spec alone shows: before a document is applied, and before a request is sent. Pure. */

import { encodeJson, isObject } from '@lockstep/kube/object'
import type { ModuleSpec } from '../api/kinds/index.ts'
import type { FactsOf } from '../api/reasons/index.ts'
import { gitSourceProblem } from './git/gitsourceproblem.ts'
import { helmProblem } from './helmrepository/helmproblem.ts'
import { fault, type SourceFailure } from './intake/sourcefailure.ts'

const MAX_INLINE_BYTES = 256 * 1024

type SourceSpec = Pick<ModuleSpec, 'source' | 'render'>

/** The first problem; undefined: only a request can tell more. */
export function sourceProblem(spec: SourceSpec): SourceFailure | undefined {
  const { source } = spec
  const problem =
    renderProblem(spec) ??
    (source.git && gitProblem('spec.source.git', source.git)) ??
    (source.helm && helmProblem(source.helm)) ??
    source.refs
      ?.map(({ git }, i) => gitProblem(`spec.source.refs[${i}].git`, { ...git, path: '.' }))
      .find((found) => found !== undefined)
  if (problem) return fault('InvalidSpec', problem)
  return source.inline && inlineProblem(source.inline.objects)
}

function gitProblem(
  field: string,
  git: Parameters<typeof gitSourceProblem>[0],
): FactsOf<'InvalidSpec'> | undefined {
  const found = gitSourceProblem(git)
  return found && { field: `${field}.${found.field}`, problem: found.problem }
}

/** The schema has these rules too. */
function renderProblem({ source, render = {} }: SourceSpec): FactsOf<'InvalidSpec'> | undefined {
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

function inlineProblem(objects: readonly unknown[]): SourceFailure | undefined {
  const size = encodeJson(objects).length
  if (size > MAX_INLINE_BYTES)
    return fault('BundleTooLarge', {
      field: 'spec.source.inline',
      size: `${Math.ceil(size / 1024)} KiB`,
      limit: '256 KiB',
    })
  const secret = objects.findIndex(
    (o) => isObject(o) && o.kind === 'Secret' && (hasMembers(o.data) || hasMembers(o.stringData)),
  )
  if (secret < 0) return undefined
  return fault('InvalidSpec', {
    field: `spec.source.inline.objects[${secret}]`,
    problem: 'a Secret with data; more users read Modules than Secrets: remove it',
  })
}

const hasMembers = (v: unknown): boolean => isObject(v) && Object.keys(v).length > 0
