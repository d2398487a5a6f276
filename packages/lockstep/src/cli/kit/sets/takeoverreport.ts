/** Takeovers and hand-backs for programs. */
import { z } from 'zod'
import { defineReport } from '../output/index.ts'

const head = { name: z.string(), namespace: z.string() }
const warnings = z.array(z.string()).readonly()

const source = z.strictObject({
  kind: z.string(),
  name: z.string(),
  plan: z.enum(['nothing', 'metadata only', 'apply (hash differs)', 'apply (not applied)']),
})

const cluster = z.strictObject({
  cluster: z.string(),
  notes: z.array(z.string()).readonly().describe('Assumptions and waits of the plan.'),
  sources: z.array(source).readonly(),
})

const taken = z.strictObject({
  ...head,
  mode: z.string().optional().describe('Mode of the set; omitted if its settings are invalid.'),
  state: z
    .enum(['Planned', 'Asked', 'TakenOver', 'Managed', 'Refused'])
    .describe('`Managed`: Lockstep managed the set before.'),
  message: z.string().describe('Reason for a refusal, or missing state; empty if none.'),
  warnings,
  clusters: z.array(cluster).readonly().describe('Empty after the takeover.'),
})
export type TakenSet = z.output<typeof taken>
export const takeoverReport = defineReport('Takeover', { sets: z.array(taken).readonly() })

const ofSets = z.strictObject({
  modules: z.array(z.unknown()).readonly(),
  out: z.string().optional().describe('Folder of the files.'),
  refused: z
    .array(z.strictObject({ ...head, problems: z.array(z.string()).readonly() }))
    .readonly()
    .describe('Sets with invalid settings, because of which nothing is written.'),
})
export const setImportReport = defineReport('SetImport', ofSets.shape)

const stripped = z.strictObject({
  cluster: z.string(),
  objects: z.int().describe('Objects from which labels of Lockstep were removed.'),
  problem: z.string().optional().describe('Reason why some objects were not changed.'),
})
export type StrippedCluster = z.output<typeof stripped>

const given = z.strictObject({
  ...head,
  state: z.enum(['Planned', 'Asked', 'HandedBack', 'NotManaged', 'Refused']),
  message: z.string().describe('Reason for a refusal, or missing state; empty if none.'),
  left: z
    .array(z.string())
    .readonly()
    .describe('Labels, annotations and settings of Lockstep that stay on the hub and on clusters.'),
  stripped: z
    .array(stripped)
    .readonly()
    .optional()
    .describe('Clusters on which labels were removed; with --strip.'),
})
export type GivenSet = z.output<typeof given>
export const handBackReport = defineReport('HandBack', { sets: z.array(given).readonly() })
