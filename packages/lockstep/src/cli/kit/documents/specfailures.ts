/** What of a document no server refuses, and no controller would follow: said where it is written, before anything is. */

import { ok, type Result } from '@lockstep/kube/env'
import { isNamed, jsonEqual, type KubeObject, type Stored, short10 } from '@lockstep/kube/object'
import { renderedText } from '../../../api/blocker.ts'
import { bootstrapModuleKind, holdKind, type Module, moduleKind } from '../../../api/kinds/index.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { specProblems } from '../../../decisions/revision/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import { sourceProblem } from '../../../sources/sourceproblem.ts'
import type { HubConnection } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import { revisionsOf } from '../units/index.ts'
import { fieldRefusal } from './documentrefusals.ts'
import type { ManifestDocument } from './parsesources.ts'

export const isModule = ({ kind }: ManifestDocument): boolean =>
  kind === moduleKind || kind === bootstrapModuleKind

const at = (d: ManifestDocument, field: string, problem: string): CliFailure =>
  fieldRefusal(d, { field, problem, unknown: false })

/** By the spec alone; `o`: with all defaults. */
export function specFailures(c: CommandContext, d: ManifestDocument, o: KubeObject): CliFailure[] {
  if (!isModule(d)) return []
  const { clock, calendar } = c.env
  const { spec } = o as Module
  const found = specProblems(spec, { calendar, nowMs: clock.now() })
  return [...found, ...sourceProblems(spec)].map((p) => at(d, p.field, p.problem))
}

/** A source whose text is enough to refuse it. */
function sourceProblems(spec: Module['spec']): { readonly field: string; readonly problem: string }[] {
  const found = sourceProblem(spec)
  if (!found) return []
  const { field, ...facts } = found.facts as { readonly field?: string; readonly problem?: string }
  const { problem } = facts
  return [{ field: field ?? 'spec.source', problem: problem ?? renderedText({ ...found, facts }) }]
}

/**
 * Revisions that a document names, and that the hub's history has not. What the hub has been told already is not refused
 * again: files outlive revisions.
 */
export async function historyFailures(
  c: CommandContext,
  hub: HubConnection,
  d: ManifestDocument,
  before: Stored | undefined,
): Promise<Result<CliFailure[], CliFailure>> {
  if (isModule(d)) return undoFailures(c, hub, d, before as Stored<Module> | undefined)
  return d.kind === holdKind ? pinFailures(c, hub, d, before) : ok([])
}

/** It says where something is to go back to. */
export const namesRevision = (d: ManifestDocument): boolean =>
  isModule(d)
    ? (d.object as Module).spec.rollout?.undo !== undefined
    : d.kind === holdKind && (d.object as HoldObject).spec.revision !== undefined

/** An undo of what is not published any more is over, and may name whatever it likes. */
async function undoFailures(
  c: CommandContext,
  hub: HubConnection,
  d: ManifestDocument,
  before: Stored<Module> | undefined,
): Promise<Result<CliFailure[], CliFailure>> {
  const { undo } = (d.object as Module).spec.rollout ?? {}
  const published = before?.status?.currentRevision
  const isOver = undo !== undefined && published !== undefined && !isNamed(published, undo.from)
  if (!undo || isOver || jsonEqual(undo, before?.spec.rollout.undo)) return ok([])
  const problem = await unknownRevision(c, hub, moduleRefOf(d.object as Stored<Module>), undo.to)
  if (!problem.ok) return problem
  return ok(problem.value === undefined ? [] : [at(d, 'spec.rollout.undo.to', problem.value)])
}

type HoldObject = KubeObject & {
  readonly spec: { readonly targetRef: Pick<ModuleRef, 'kind' | 'name'>; readonly revision?: string }
}

async function pinFailures(
  c: CommandContext,
  hub: HubConnection,
  d: ManifestDocument,
  before: Stored | undefined,
): Promise<Result<CliFailure[], CliFailure>> {
  const { metadata, spec } = d.object as HoldObject
  const known = (before as HoldObject | undefined)?.spec
  const isSame = jsonEqual(
    [known?.targetRef ?? null, known?.revision ?? null],
    [spec.targetRef, spec.revision ?? null],
  )
  if (spec.revision === undefined || isSame) return ok([])
  const ref = { ...spec.targetRef, namespace: metadata.namespace! }
  const problem = await unknownRevision(c, hub, ref, spec.revision)
  if (!problem.ok) return problem
  return ok(problem.value === undefined ? [] : [at(d, 'spec.revision', problem.value)])
}

/** Undefined: the history has it. */
async function unknownRevision(
  c: CommandContext,
  hub: HubConnection,
  ref: ModuleRef,
  wanted: string,
): Promise<Result<string | undefined, CliFailure>> {
  const known = await revisionsOf(c, hub, ref)
  if (!known.ok) return known
  if (known.value.some((r) => isNamed(r.revision, wanted))) return ok(undefined)
  const there = [...known.value].sort((a, b) => b.number - a.number).map((r) => short10(r.revision))
  const has = there.length === 0 ? 'nothing is published' : `it has ${there.join(', ')}`
  return ok(`the history of ${ref.name} has no revision ${short10(wanted)}; ${has}`)
}
