/** Modules that are written down in files, checked as a hub would check them. */

import type { Result } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import { bootstrapModuleKind, type Module, moduleKind } from '../../../api/kinds/index.ts'
import { CLUSTER_LABEL } from '../../../api/labels.ts'
import { faultLines, type SourceFailure } from '../../../sources/intake/index.ts'
import {
  type CheckedDocument,
  checkAlone,
  type ManifestDocument,
  namespaceOf,
  type ParsedSources,
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

/** `orOthers`: files without a module will do, if something else of ours or a cluster is in them. */
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
  const written = fileModulesOf(plan.value, parsed)
  const { modules, others, beside } = written
  const isOther = others.length > 0 || beside.some((o) => o.metadata.labels?.[CLUSTER_LABEL] !== undefined)
  if (modules.length === 0 && !(orOthers && isOther))
    return failed('E_USAGE', {
      problem: `no Module in ${paths.join(', ')}`,
      suggestion: 'give the file of a Module with -f',
    })
  return { ok: true, value: written }
}

/** Documents that were checked, as a server would store them. */
export function fileModulesOf(
  checked: readonly CheckedDocument[],
  { documents }: Pick<ParsedSources, 'documents'>,
): FileModules {
  const asStored = (d: CheckedDocument): KubeObject => d.dry ?? d.document.object
  const own = checked.filter(({ document: { kind } }) => kind.group === moduleKind.group)
  return {
    modules: own.filter((d) => isModule(d.document.kind.kind)).map((d) => asStored(d) as Module),
    others: own.filter((d) => !isModule(d.document.kind.kind)).map(asStored),
    beside: documents.map((d) => d.object),
    documents,
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
