/** `lockstep status MODULE`: progress, and what holds it up. */

import { type Stored, short10, shortDuration } from '@lockstep/kube/object'
import { z } from 'zod'
import { untilOf } from '../../../api/blocker.ts'
import { currentReady, isReadyNow } from '../../../api/conditions.ts'
import { blocker, type Module, moduleStatus } from '../../../api/kinds/index.ts'
import { adviceOf } from '../../../api/reasons/index.ts'
import { fleetRevision } from '../../../decisions/rollout/index.ts'
import { defineReport } from '../output/index.ts'
import {
  adviceLine,
  ageText,
  listText,
  plural,
  type Terminal,
  textTable,
  widthOf,
  withRemaining,
  wrap,
} from '../terminal/index.ts'
import { bar } from './drawmatrix.ts'
import { cellOf } from './matrix.ts'
import { moduleWarnings, warning, warningLines } from './modulewarnings.ts'
import { pinnedLines, pinsOf } from './pins.ts'
import { clusterNames, type FleetSnapshot, goneClusterOf } from './snapshot.ts'
import type { StatusView } from './statusview.ts'

const BAR = 24

const { clusters, rollout } = moduleStatus.shape
const { phase, failed, stages } = rollout.unwrap().shape

export const moduleReport = defineReport('ModuleStatus', {
  module: z.string().describe('NAMESPACE/NAME'),
  release: z.string().optional(),
  revision: z.string().optional().describe('Published revision.'),
  ready: z.boolean().describe('Ready at its last change on all clusters, as `wait` reads it.'),
  reason: z.string().optional().describe('Reason of the Ready condition.'),
  phase: phase.optional(),
  clusters,
  blockers: z.array(blocker).readonly(),
  stages: stages.unwrap().readonly().describe('Stages of the rollout, in order.'),
  failed: failed.unwrap().readonly(),
  warnings: z.array(warning).readonly().describe('Warnings, for which nothing waits.'),
})

export function moduleView(t: Terminal, s: FleetSnapshot, m: Stored<Module>): StatusView {
  const st = m.status
  const counts = st?.clusters
  const isDeleting = m.metadata.deletionTimestamp !== undefined
  const total = (isDeleting ? st?.rollout?.removals?.total : counts?.total) ?? 0
  const ready = isDeleting ? Math.max(0, total - unitsLeft(s, m)) : (counts?.ready ?? 0)
  const revision = st?.currentRevision?.replace(/^v1:/, '').slice(0, 10)
  const head = [
    `${m.kind} ${m.metadata.namespace}/${m.metadata.name}`,
    st?.release ? `release ${st.release}` : '',
    revision ? `revision ${revision}` : 'nothing published',
    ledText(m),
    st?.rollout?.startedAt ? `published ${ageText(st.rollout.startedAt, s.nowMs)} ago` : '',
  ].filter((x) => x !== '')
  const lines = [
    ...linesOf(head, t.look.width),
    `  ${bar(t, ready, total, BAR)}  ${ready}/${total}   ${phaseText(t, m)}`,
    ...stageLines(t, m),
    ...blockerLines(t, s, m),
    ...failureLines(t, m),
    ...warningLines(t, moduleWarnings(m)),
    ...tail(t, s, m),
  ]
  const isRemovalFailed = st?.blockers?.some((b) => b.reason === 'RemovalFailed') === true
  const hasFailed =
    isRemovalFailed ||
    (counts?.failed ?? 0) > 0 ||
    ['Halted', 'RolledBack'].includes(st?.rollout?.phase ?? '')
  const facts = moduleReport.fill({
    module: `${m.metadata.namespace}/${m.metadata.name}`,
    release: st?.release,
    revision: st?.currentRevision,
    ready: isReadyNow(m),
    reason: st?.conditions?.find((c) => c.type === 'Ready')?.reason,
    phase: st?.rollout?.phase,
    clusters: counts,
    blockers: st?.blockers ?? [],
    stages: st?.rollout?.stages ?? [],
    failed: st?.rollout?.failed ?? [],
    warnings: moduleWarnings(m),
  })
  return { lines, facts, names: [`module.lockstep.dev/${m.metadata.name}`], hasFailed }
}

/** Units on clusters that are in an inventory. */
const unitsLeft = (s: FleetSnapshot, { kind, metadata }: Stored<Module>): number =>
  s.inventories.filter(
    ({ spec: { moduleRef, clusterRef, released } }) =>
      moduleRef.kind === kind &&
      moduleRef.name === metadata.name &&
      released === undefined &&
      !goneClusterOf(s, clusterRef.name),
  ).length

const isStalled = ({ status }: Stored<Module>): boolean =>
  status?.conditions?.some((c) => c.type === 'Stalled' && c.status === 'True') === true

/** Where the fleet is to be, if not at what is published. */
function ledText({ status, spec }: Stored<Module>): string {
  const wanted = fleetRevision(status)
  if (wanted === undefined || wanted === status?.currentRevision) return ''
  const { cause = 'Publish' } = status?.rollout ?? {}
  const { reason } = spec.rollout.undo ?? {}
  const because = cause === 'Undo' && reason !== undefined ? `: ${reason}` : ''
  return `fleet at ${short10(wanted)} (${LED[cause]}${because})`
}

const LED = {
  Publish: 'in progress',
  Wait: 'after the running rollout',
  Undo: 'undone',
  Rollback: 'rolled back',
  Dependency: 'with a dependency',
} as const

/** Facts beside each other, as many as fit. */
function linesOf(facts: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const fact of facts) {
    const beside = `${lines[lines.length - 1]}  ${fact}`
    if (lines.length > 0 && widthOf(beside) <= width) lines[lines.length - 1] = beside
    else lines.push(lines.length === 0 ? fact : `  ${fact}`)
  }
  return lines
}

function phaseText(t: Terminal, m: Stored<Module>): string {
  const counts = m.status?.clusters
  const phase = m.status?.rollout?.phase ?? 'Idle'
  if (m.metadata.deletionTimestamp !== undefined)
    return isStalled(m) ? t.paint('red', '■ removal failed') : t.paint('cyan', '◐ removing')
  if (m.status?.blockers?.some((b) => b.reason === 'SelectsNothing'))
    return t.paint('yellow', '⏸ selects no cluster')
  if (phase === 'Idle' && m.spec.targets?.allowEmpty === true && counts?.total === 0)
    return t.paint('green', '✔ 0 clusters selected (allowed)')
  const pinned = counts?.pinned ? `, ${counts.pinned} pinned` : ''
  if (phase === 'Complete')
    return isReadyNow(m)
      ? `${t.paint('green', '✔ complete')}${pinned}`
      : t.paint('yellow', `⏸ ${unreadyText(m)}`)
  const part = (n: number | undefined, word: string): string[] => (n ? [`${n} ${word}`] : [])
  const parts = counts
    ? [
        ...part(counts.updating, 'updating'),
        ...part(counts.blocked, 'blocked'),
        ...part(counts.waiting, 'waiting'),
        ...part(counts.failed, 'failed'),
        ...part(counts.unreachable, 'unreachable'),
        ...part(counts.paused, 'paused'),
        ...part(counts.pinned, 'pinned'),
      ]
    : []
  const glyph =
    phase === 'Halted'
      ? t.paint('red', '■ halted')
      : t.paint('cyan', heldText(m) ?? `◐ ${phase.toLowerCase()}`)
  return parts.length > 0 ? `${glyph}: ${parts.join(', ')}` : glyph
}

/** Its last revision is deployed everywhere, and the Module is not ready: its source, or a change that is not published. */
function unreadyText(m: Stored<Module>): string {
  const ready = currentReady(m)
  return ready?.status === 'False' ? `not ready: ${ready.reason}` : 'the last change is not published yet'
}

/** A Hold on the whole Module: nothing is deploying. */
function heldText({ status }: Stored<Module>): string | undefined {
  if (status?.rollout?.phase !== 'Paused') return undefined
  const held = status.blockers?.find((b) => b.reason === 'Held')
  return held?.facts?.action === 'Suspend' ? '⏸ suspended' : '⏸ paused'
}

/** One line a stage: how many are done, and whether it is over. */
function stageLines(t: Terminal, m: Stored<Module>): string[] {
  const { stages = [], stage: current } = m.status?.rollout ?? {}
  if (stages.length === 0) return []
  const rows = stages.map((s) => {
    const glyph = s.completedAt !== undefined ? t.paint('green', '✔') : s.name === current ? '◐' : '·'
    const notes = [
      s.failed > 0 ? `${s.failed} failed` : '',
      s.unreachable > 0 ? `${s.unreachable} unreachable` : '',
      s.soakSeconds !== undefined && s.completedAt === undefined
        ? `soaked ${shortDuration(s.soakSeconds * 1000)} at the last status`
        : '',
      s.approvedBy === undefined ? '' : `approved by ${s.approvedBy}`,
    ]
    return [glyph, s.name, `${s.done}/${s.total}`, notes.filter((x) => x !== '').join(', ')]
  })
  return ['Stages', ...textTable(rows, { indent: 2, gap: 2, width: t.look.width })]
}

function blockerLines(t: Terminal, s: FleetSnapshot, m: Stored<Module>): string[] {
  const blockers = m.status?.blockers ?? []
  if (blockers.length === 0) return []
  const rows = blockers.map((b) => [
    b.count ? String(b.count) : '',
    b.reason,
    // A status is not written for each second: its count is as old as the last write.
    `${withRemaining(b.message, untilOf(b.on), s.nowMs)}${b.reason === 'Soaking' ? ' at the last status' : ''}, since ${ageText(b.since, s.nowMs)}`,
  ])
  const [first] = blockers
  const advice = adviceLine(first!.reason, adviceOf(first!), m.metadata.name)
  const table = textTable(rows, { indent: 2, gap: 2, width: t.look.width })
  return ['Waiting', ...table, wrap(advice, t.look.width - 2, 2)]
}

function failureLines(t: Terminal, m: Stored<Module>): string[] {
  const all = m.status?.rollout?.failed ?? []
  if (all.length === 0) return []
  const rows = all.map((f) => [t.paint('red', '✗'), f.cluster, f.message])
  return ['Failed', ...textTable(rows, { indent: 2, gap: 2, width: t.look.width })]
}

function tail(t: Terminal, s: FleetSnapshot, m: Stored<Module>): string[] {
  const clusters = clusterNames(s)
  const of = (...states: string[]): string[] =>
    clusters.filter((name) => states.includes(cellOf(s, m, name).state))
  const behind = of('failed', 'moving', 'waiting')
  const pinned = new Set(pinsOf(s, m).flatMap((p) => p.clusters))
  const waiting = behind.filter((name) => !pinned.has(name))
  const out: string[] = []
  if (waiting.length > 0) {
    const names = waiting.slice(0, 4)
    const more = waiting.length > names.length ? [plural(waiting.length - names.length, 'other')] : []
    const where = `Not ready on ${listText([...names, ...more])}.`
    out.push(...linesOf([where, ` lockstep why ${m.metadata.name}@${waiting[0]}`], t.look.width))
  }
  for (const line of pinnedLines(s, m)) out.push(...linesOf([line], t.look.width))
  // A Module that is stalled waits for nothing that ends by itself: this is a failure, too.
  const isStalled = m.status?.conditions?.some((c) => c.type === 'Stalled' && c.status === 'True')
  if ((m.status?.clusters?.failed ?? 0) === 0 && waiting.length > 0 && !isStalled)
    out.push(t.paint('dim', 'Nothing failed.'))
  return out
}
