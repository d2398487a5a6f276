/** `lockstep status pipeline/NAME` and `promotion/NAME`: where revisions are, and what moves them. Pure. */

import type { Stored } from '@lockstep/kube/object'
import { z } from 'zod'
import { type Blocker, untilOf } from '../../../api/blocker.ts'
import {
  blocker,
  type EnvironmentStatus,
  environmentStatus,
  type Pipeline,
  PROMOTION_PHASES,
  type Promotion,
} from '../../../api/kinds/index.ts'
import { isEnded, keyOfPromotion } from '../../../decisions/promotion/index.ts'
import { defineReport } from '../output/index.ts'
import { COLORS, GLYPHS, type StatusView } from '../snapshot/index.ts'
import { ageText, type Color, type Terminal, textTable, withRemaining, wrap } from '../terminal/index.ts'
import { currentPromotion, holdsOn, isRunning, type PipelineSnapshot } from './pipelinesnapshot.ts'

export const pipelineReport = defineReport('PipelineStatus', {
  pipeline: z.string(),
  identity: z.string(),
  app: z.string().describe('Kind/name of the object with the revision.'),
  environments: z.array(
    environmentStatus.extend({
      state: z.enum(['ready', 'moving', 'waiting', 'failed']),
      pullRequest: z.string().optional().describe('URL of the pull request.'),
    }),
  ),
  holds: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
  blockers: z.array(blocker).readonly(),
})

export const promotionReport = defineReport('PromotionStatus', {
  promotion: z.string(),
  key: z.string().describe('Key for approvals, also in the pull request.'),
  environment: z.string(),
  revision: z.string(),
  phase: z.enum(PROMOTION_PHASES),
  reason: z.string().optional(),
  message: z.string().optional(),
  pullRequest: z.string().optional(),
  blockers: z.array(blocker).readonly(),
})

export type EnvironmentState = 'ready' | 'moving' | 'waiting' | 'failed'

const FAILED: ReadonlySet<string> = new Set(['Failed', 'Rejected', 'Aborted'])

/** How one environment is: what failed there is told until another revision is wanted. */
export function environmentState(status: EnvironmentStatus | undefined): EnvironmentState {
  const { phase, blockers = [], settled } = status ?? {}
  if (phase !== undefined && FAILED.has(phase)) return 'failed'
  if (phase !== undefined && !isEnded(phase as 'Pending')) return blockers.length > 0 ? 'waiting' : 'moving'
  return settled && blockers.length === 0 ? 'ready' : 'waiting'
}

export function pipelineView(t: Terminal, s: PipelineSnapshot, p: Stored<Pipeline>): StatusView {
  const { metadata, spec, status } = p
  const rows = spec.environments.map((e) => {
    const of = (status?.environments?.find((x) => x.name === e.name) ?? { name: e.name }) as EnvironmentStatus
    const promotion = currentPromotion(s, p, e.name)
    return { of, promotion, state: environmentState(of), pull: promotion?.status?.result?.pullRequest }
  })
  const holds = holdsOn(s, p).map((h) => ({ name: h.metadata.name, reason: h.spec.reason }))
  const ready = status?.conditions?.find((c) => c.type === 'Ready')
  const state = ready ? `${ready.reason}` : 'not reconciled'
  const app = `${spec.appRef.kind}/${spec.appRef.name}`
  const head = ['', 'ENVIRONMENT', 'AT', 'SETTLED', 'TARGET', 'PHASE', 'PULL REQUEST', 'TARGETS']
  const cells = rows.map(({ of, state: is, pull }) => [
    t.paint(COLORS[is], GLYPHS[is]),
    of.name,
    of.current ?? '-',
    of.settled
      ? `${of.settled.revision === of.current ? '' : `${of.settled.revision} `}${ageText(of.settled.at, s.nowMs)} ago`
      : '-',
    of.intent?.revision ?? '-',
    of.phase ?? '-',
    pull ? `#${pull.number} ${pull.state}` : '',
    of.ready ?? '',
  ])
  const lines = [
    `Pipeline ${metadata.namespace}/${metadata.name}  ${app}  ${t.paint(colorOf(ready?.status), state)}`,
    ...textTable(withoutEmpty([head, ...cells]), { indent: 2, gap: 2, width: t.look.width }),
    ...waitLines(t, rows, (status?.blockers ?? []) as readonly Blocker[], s.nowMs),
    ...holds.map((h) => wrap(`Suspended by Hold ${h.name}: ${h.reason}`, t.look.width - 2, 2)),
    ...rows.flatMap(({ pull, promotion }) =>
      pull && isRunning(promotion) ? [`  #${pull.number}: ${pull.url}`] : [],
    ),
  ]
  const facts = pipelineReport.fill({
    pipeline: `${metadata.namespace}/${metadata.name}`,
    identity: spec.identity,
    app,
    environments: rows.map(({ of, state: is, pull }) => ({
      ...of,
      state: is,
      ...(pull ? { pullRequest: pull.url } : {}),
    })),
    holds,
    blockers: status?.blockers ?? [],
  })
  const hasFailed =
    rows.some((r) => r.state === 'failed') ||
    status?.conditions?.some((c) => c.type === 'Stalled' && c.status === 'True') === true
  return { lines, facts, names: [`pipeline.lockstep.dev/${metadata.name}`], hasFailed }
}

/** A column in which nothing stands says nothing. */
function withoutEmpty([head, ...rows]: readonly (readonly string[])[]): string[][] {
  const isSaid = head!.map((title, i) => title === '' || rows.some((r) => r[i] !== ''))
  return [head!, ...rows].map((r) => r.filter((_, i) => isSaid[i]))
}

const colorOf = (status: string | undefined): Color =>
  status === 'True' ? 'green' : status === 'False' ? 'yellow' : 'dim'

function waitLines(
  t: Terminal,
  rows: readonly { readonly of: EnvironmentStatus; readonly promotion: Stored<Promotion> | undefined }[],
  own: readonly Blocker[],
  nowMs: number,
): string[] {
  const told = rows.flatMap(({ of, promotion }) => {
    const { phase, message, reason = phase, blockers = [] } = promotion?.status ?? {}
    const failed = phase !== undefined && FAILED.has(phase)
    const inEnvironment = (of.blockers ?? []) as readonly Blocker[]
    const waits = isRunning(promotion) ? (blockers as readonly Blocker[]) : []
    const seen = new Set(waits.map((b) => b.message))
    return [
      ...(failed ? [[of.name, reason ?? '', message ?? '']] : []),
      ...[...waits, ...inEnvironment.filter((b) => !seen.has(b.message))].map((b) => row(of.name, b, nowMs)),
    ]
  })
  const all = [...own.map((b) => row('', b, nowMs)), ...told]
  if (all.length === 0) return []
  return ['Waiting', ...textTable(all, { indent: 2, gap: 2, width: t.look.width })]
}

const row = (environment: string, b: Blocker, nowMs: number): string[] => [
  environment,
  b.reason,
  `${withRemaining(b.message, untilOf(b.on), nowMs)}, since ${ageText(b.since, nowMs)}`,
]

export function promotionView(t: Terminal, s: PipelineSnapshot, p: Stored<Promotion>): StatusView {
  const { metadata, spec, status } = p
  const phase = status?.phase ?? 'Pending'
  const state = FAILED.has(phase) ? 'failed' : isEnded(phase) ? 'ready' : 'moving'
  const key = keyOfPromotion(spec)
  const pull = status?.result?.pullRequest
  const blockers = (status?.blockers ?? []) as readonly Blocker[]
  const lines = [
    `Promotion ${metadata.namespace}/${metadata.name}  ${spec.revision} into ${spec.environment}  ${t.paint(COLORS[state], `${GLYPHS[state]} ${phase}`)}`,
    ...(status?.message === undefined
      ? []
      : [wrap(`  ${status.reason ?? phase}: ${status.message}`, t.look.width - 2, 2)]),
    ...(pull ? [`  pull request #${pull.number} (${pull.state}): ${pull.url}`] : []),
    `  strategy ${spec.settings.strategy}, epoch ${spec.epoch}, key ${key.slice(0, 10)}, of pipeline ${spec.pipelineRef.name}`,
    ...(status?.nextAttempt === undefined || isEnded(phase)
      ? []
      : [`  ${status.attempt ?? 0} failed attempts of this phase; next attempt at ${status.nextAttempt}`]),
    ...textTable(
      blockers.map((b) => row(spec.environment, b, s.nowMs)),
      { indent: 2, gap: 2, width: t.look.width },
    ),
  ]
  const facts = promotionReport.fill({
    promotion: `${metadata.namespace}/${metadata.name}`,
    key,
    phase,
    blockers: [...blockers],
    environment: spec.environment,
    revision: spec.revision,
    ...(status?.reason === undefined ? {} : { reason: status.reason }),
    ...(status?.message === undefined ? {} : { message: status.message }),
    ...(pull ? { pullRequest: pull.url } : {}),
  })
  return { lines, facts, names: [`promotion.lockstep.dev/${metadata.name}`], hasFailed: state === 'failed' }
}
