/** Pipelines of a namespace and what there is beside them, read once or kept current by watches. */

import { ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import {
  type Approval,
  approvalKind,
  type EnvironmentStatus,
  type Hold,
  holdKind,
  type Pipeline,
  type Promotion,
  pipelineKind,
  promotionKind,
} from '../../../api/kinds/index.ts'
import { isEnded } from '../../../decisions/promotion/index.ts'
import { type HubConnection, listAll, openHub } from '../hub/index.ts'
import { type CliFailure, type CommandContext, type CommandResult, failed } from '../index.ts'
import type { Following } from '../snapshot/index.ts'
import { nearest } from '../terminal/index.ts'

export interface PipelineSnapshot {
  readonly pipelines: readonly Stored<Pipeline>[]
  readonly promotions: readonly Stored<Promotion>[]
  readonly holds: readonly Stored<Hold>[]
  readonly approvals: readonly Stored<Approval>[]
  readonly nowMs: number
}

/** Lists of one namespace. */
export async function readPipelines(
  c: CommandContext,
  hub: HubConnection,
): Promise<Result<PipelineSnapshot, CliFailure>> {
  const scope = { namespace: hub.namespace }
  const pipelines = await listAll<Pipeline>(c, hub, pipelineKind, scope)
  if (!pipelines.ok) return pipelines
  const promotions = await listAll<Promotion>(c, hub, promotionKind, scope)
  if (!promotions.ok) return promotions
  const holds = await listAll<Hold>(c, hub, holdKind, scope)
  if (!holds.ok) return holds
  const approvals = await listAll<Approval>(c, hub, approvalKind, scope)
  if (!approvals.ok) return approvals
  return ok({
    pipelines: pipelines.value,
    promotions: promotions.value,
    holds: holds.value,
    approvals: approvals.value,
    nowMs: c.env.clock.now(),
  })
}

/** The same, kept current. */
export function pipelinesIn(c: CommandContext, follow: Following): () => PipelineSnapshot {
  const pipelines = follow.kind<Pipeline, Stored<Pipeline>>(pipelineKind, (o) => o)
  const promotions = follow.kind<Promotion, Stored<Promotion>>(promotionKind, (o) => o)
  const holds = follow.kind<Hold, Stored<Hold>>(holdKind, (o) => o)
  const approvals = follow.kind<Approval, Stored<Approval>>(approvalKind, (o) => o)
  return () => ({
    pipelines: [...pipelines.all()],
    promotions: [...promotions.all()],
    holds: [...holds.all()],
    approvals: [...approvals.all()],
    nowMs: c.env.clock.now(),
  })
}

/** `pipeline/web` and `pl/web`: its name. Undefined: the word is about something else. */
export const pipelineWord = (word: string): string | undefined => /^(?:pipelines?|pl)\/(.+)$/i.exec(word)?.[1]

/** `promotion/web-prod-3-1f2e3d4c` and `promo/…`. */
export const promotionWord = (word: string): string | undefined =>
  /^(?:promotions?|promo)\/(.+)$/i.exec(word)?.[1]

export function pipelineNamed(
  s: PipelineSnapshot,
  hub: HubConnection,
  name: string,
): Result<Stored<Pipeline>, CliFailure> {
  const found = s.pipelines.find((p) => p.metadata.name === name)
  return found ? ok(found) : missing('Pipeline', name, hub, s.pipelines)
}

export function promotionNamed(
  s: PipelineSnapshot,
  hub: HubConnection,
  name: string,
): Result<Stored<Promotion>, CliFailure> {
  const found = s.promotions.find((p) => p.metadata.name === name)
  return found ? ok(found) : missing('Promotion', name, hub, s.promotions)
}

function missing(kind: string, name: string, { namespace }: HubConnection, there: readonly Stored[]) {
  const meant = nearest(
    name,
    there.map((o) => o.metadata.name),
  )
  const suggestion = meant ? `did you mean ${meant}?` : 'to search another namespace, use -n'
  return failed('E_NOT_FOUND', { kind, name, namespace, suggestion })
}

/** One of its environments, as a command names it in an option. */
export function environmentNamed(
  { metadata, spec }: Stored<Pipeline>,
  option: string,
  name: string | undefined,
): Result<Pipeline['spec']['environments'][number], CliFailure> {
  const names = spec.environments.map((e) => e.name)
  const there = `Environments: ${names.join(', ')}.`
  if (name === undefined)
    return failed('E_USAGE', { problem: `which environment? give ${option}`, suggestion: there })
  const found = spec.environments.find((e) => e.name === name)
  if (found) return ok(found)
  const meant = nearest(name, names)
  return failed('E_USAGE', {
    problem: `${metadata.name} has no environment "${name}"`,
    suggestion: meant ? `did you mean ${meant}?` : there,
  })
}

export interface MeantPipeline {
  readonly hub: HubConnection
  readonly seen: PipelineSnapshot
  readonly pipeline: Stored<Pipeline>
}

/** Finds the pipeline of a name, and closes the connection after the work. */
export async function withPipeline(
  c: CommandContext,
  name: string,
  work: (m: MeantPipeline) => Promise<CommandResult>,
): Promise<CommandResult> {
  const opened = await openHub(c)
  if (!opened.ok) return opened
  const hub = opened.value
  const seen = await readPipelines(c, hub)
  if (!seen.ok) return seen
  const pipeline = pipelineNamed(seen.value, hub, name)
  const outcome = pipeline.ok ? await work({ hub, seen: seen.value, pipeline: pipeline.value }) : pipeline
  await hub.client.close()
  return outcome
}

export const environmentStatusOf = (pipeline: Pipeline, environment: string): EnvironmentStatus | undefined =>
  pipeline.status?.environments?.find((e) => e.name === environment) as EnvironmentStatus | undefined

/** The promotion of what is wanted in an environment. */
export function currentPromotion(
  s: PipelineSnapshot,
  pipeline: Stored<Pipeline>,
  environment: string,
): Stored<Promotion> | undefined {
  const name = environmentStatusOf(pipeline, environment)?.promotion
  return name === undefined ? undefined : s.promotions.find((p) => p.metadata.name === name)
}

export const isRunning = (p: Stored<Promotion> | undefined): boolean =>
  p !== undefined && !isEnded(p.status?.phase)

export const holdsOn = (s: PipelineSnapshot, { metadata }: Stored<Pipeline>): Stored<Hold>[] =>
  s.holds.filter(({ spec: { targetRef: t } }) => t.kind === 'Pipeline' && t.name === metadata.name)
