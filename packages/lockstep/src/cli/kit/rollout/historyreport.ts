/** `lockstep rollout history`: what was published, and what became of it. */

import { type Stored, short10, timestamp } from '@lockstep/kube/object'
import { z } from 'zod'
import type { Module } from '../../../api/kinds/index.ts'
import {
  OUTCOME_ANNOTATION,
  OUTCOME_CLUSTERS_ANNOTATION,
  PUBLISHED_BY_ANNOTATION,
} from '../../../api/labels.ts'
import type { RevisionRecord } from '../../../controllers/cache/index.ts'
import { fleetRevision } from '../../../decisions/rollout/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import type { CommandContext, CommandResult } from '../index.ts'
import { defineReport, printData, printTable } from '../output/index.ts'
import { ageText, fit } from '../terminal/index.ts'
import { revisionsOf, withModule } from '../units/index.ts'

const revision = z.strictObject({
  number: z.number(),
  revision: z.string(),
  release: z.string().optional(),
  source: z.string(),
  publishedAt: z.string(),
  publishedBy: z
    .string()
    .optional()
    .describe('Field manager that changed the spec; omitted if only sources changed.'),
  isPublished: z.boolean().describe('Whether the revision is published.'),
  isWanted: z.boolean().describe('Whether the revision is the target revision of the fleet.'),
  outcome: z.string().optional().describe('Outcome of its last rollout; omitted before the first one.'),
  clusters: z.string().optional().describe('Clusters that had the revision then.'),
  completedAt: z.string().optional(),
})

export const historyReport = defineReport('RolloutHistory', {
  module: z.string(),
  revisions: z.array(revision).describe('Oldest revision first.'),
})

type HistoryLine = z.infer<typeof revision>

export const showHistory = (c: CommandContext, word: string): Promise<CommandResult> =>
  withModule(c, word, async ({ hub, module }) => {
    const found = await revisionsOf(c, hub, moduleRefOf(module))
    if (!found.ok) return found
    const lines = [...found.value].sort((a, b) => a.number - b.number).map((r) => lineOf(module, r))
    const name = `${module.metadata.namespace}/${module.metadata.name}`
    const names = lines.map((l) => short10(l.revision))
    if (printData(c, historyReport.fill({ module: name, revisions: lines }), names))
      return { ok: true, value: 0 }
    printTable(c, [HEAD, ...lines.map((l) => rowOf(l, c.env.clock.now()))])
    const text = explained(lines)
    if (text !== undefined) c.terminal.talk(fit(c.terminal.look, text))
    return { ok: true, value: 0 }
  })

function lineOf({ status }: Stored<Module>, r: RevisionRecord): HistoryLine {
  const { annotations } = r.stored
  const by = annotations?.[PUBLISHED_BY_ANNOTATION]
  const [outcome, clusters] = [annotations?.[OUTCOME_ANNOTATION], annotations?.[OUTCOME_CLUSTERS_ANNOTATION]]
  return {
    number: r.number,
    revision: r.revision,
    ...(r.release === undefined ? {} : { release: r.release }),
    source: r.sourceRevision,
    publishedAt: timestamp(r.publishedAt),
    ...(by === undefined ? {} : { publishedBy: by }),
    isPublished: status?.currentRevision === r.revision,
    isWanted: fleetRevision(status) === r.revision,
    ...(outcome === undefined ? {} : { outcome }),
    ...(clusters === undefined ? {} : { clusters }),
    ...(r.completedAt === undefined ? {} : { completedAt: timestamp(r.completedAt) }),
  }
}

const HEAD = ['', '#', 'REVISION', 'RELEASE', 'OUTCOME', 'CLUSTERS', 'PUBLISHED', 'BY', 'SOURCE']

const rowOf = (l: HistoryLine, nowMs: number): string[] => [
  markOf(l),
  String(l.number),
  short10(l.revision),
  l.release ?? '',
  l.outcome ?? '',
  l.clusters ?? '',
  ageText(l.publishedAt, nowMs),
  l.publishedBy ?? '',
  l.source,
]

const markOf = ({ isPublished, isWanted }: HistoryLine): string => (isWanted ? '*' : isPublished ? '!' : '')

function explained(lines: readonly HistoryLine[]): string | undefined {
  const left = lines.find((l) => l.isPublished && !l.isWanted)
  const wanted = lines.find((l) => l.isWanted)
  if (!left || !wanted) return undefined
  return `! is published but rolled back; target revision is * ${short10(wanted.revision)}; details: lockstep rollout status`
}
