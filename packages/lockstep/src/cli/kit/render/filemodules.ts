/** Modules that are written down in files, checked as a hub would check them. */

import type { Result } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import { bootstrapModuleKind, type Module, moduleKind } from '../../../api/kinds/index.ts'
import { faultLines, type SourceFailure } from '../../../sources/intake/index.ts'
import {
  checkAlone,
  type ManifestDocument,
  namespaceOf,
  parseSources,
  readSources,
} from '../documents/index.ts'
import { type CliFailure, type CommandContext, failed } from '../index.ts'

export interface FileModules {
  /** With all defaults. */
  readonly modules: readonly Module[]
  /** What else of ours they hold, with all defaults. */
  readonly others: readonly KubeObject[]
  /** All that the files hold: inputs of modules are taken from there first. */
  readonly beside: readonly KubeObject[]
  /** The same, with their places. */
  readonly documents: readonly ManifestDocument[]
}

/** `orOthers`: files without a module will do, if something else of ours is in them. */
export async function readFileModules(
  c: CommandContext,
  paths: readonly string[],
  orOthers = false,
): Promise<Result<FileModules, CliFailure>> {
  const sources = await readSources(c, paths)
  if (!sources.ok) return sources
  const parsed = parseSources(sources.value, await namespaceOf(c))
  if (parsed.total === 0) return failed('E_NO_INPUT', { path: paths.join(', ') })
  const plan = await checkAlone(c, parsed)
  if (!plan.ok) return plan
  const beside = parsed.documents.map((d) => d.object)
  const modules = plan.value.filter(({ document: { kind } }) => isModule(kind.kind))
  const others = plan.value.filter(
    ({ document: { kind } }) => kind.group === moduleKind.group && !isModule(kind.kind),
  )
  const asStored = (m: (typeof plan.value)[number]): KubeObject => m.dry ?? m.document.object
  if (modules.length === 0 && !(orOthers && others.length > 0))
    return failed('E_USAGE', {
      problem: `no Module in ${paths.join(', ')}`,
      suggestion: 'give the file of a Module with -f',
    })
  return {
    ok: true,
    value: {
      modules: modules.map((m) => asStored(m) as Module),
      others: others.map(asStored),
      beside,
      documents: parsed.documents,
    },
  }
}

const isModule = (kind: string): boolean => kind === moduleKind.kind || kind === bootstrapModuleKind.kind

export const titleOf = (m: KubeObject): string => `${m.kind} ${m.metadata.namespace}/${m.metadata.name}`

/** The module's own problem, with its reason. */
export const moduleRefusal = (
  m: Module,
  failure: Pick<SourceFailure, 'message' | 'others'> & { readonly reason: string },
) =>
  failed('E_REFUSED', {
    ref: titleOf(m),
    problem: `${failure.reason}: ${faultLines(failure)}`,
    suggestion: 'docs/reference/reasons.md says what the reason means.',
  })
