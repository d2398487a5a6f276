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
  notes: z.array(z.string()).readonly().describe('What the plan rests on, or waits for.'),
  sources: z.array(source).readonly(),
})

const taken = z.strictObject({
  ...head,
  mode: z.string().optional().describe('How it is delivered; absent where its settings are bad.'),
  state: z
    .enum(['Planned', 'Asked', 'TakenOver', 'Managed', 'Refused'])
    .describe("Managed: it was Lockstep's before."),
  message: z.string().describe('Why it is refused, or what is lacking; empty: nothing.'),
  warnings,
  clusters: z.array(cluster).readonly().describe('Empty once it is taken over.'),
})
export type TakenSet = z.output<typeof taken>
export const takeoverReport = defineReport('Takeover', { sets: z.array(taken).readonly() })

const ofSets = z.strictObject({
  modules: z.array(z.unknown()).readonly(),
  out: z.string().optional().describe('The folder that they were written to.'),
  refused: z
    .array(z.strictObject({ ...head, problems: z.array(z.string()).readonly() }))
    .readonly()
    .describe('Sets whose settings are bad; then nothing is written.'),
})
export const setImportReport = defineReport('SetImport', ofSets.shape)

const stripped = z.strictObject({
  cluster: z.string(),
  objects: z.int().describe('From so many the marks of Lockstep were taken.'),
  problem: z.string().optional().describe('Why it was not done with all of them.'),
})
export type StrippedCluster = z.output<typeof stripped>

const given = z.strictObject({
  ...head,
  state: z.enum(['Planned', 'Asked', 'HandedBack', 'NotManaged', 'Refused']),
  message: z.string().describe('Why it is refused, or what is lacking; empty: nothing.'),
  left: z.array(z.string()).readonly().describe('What stays of Lockstep, on the hub and on clusters.'),
  stripped: z.array(stripped).readonly().optional().describe('With --strip.'),
})
export type GivenSet = z.output<typeof given>
export const handBackReport = defineReport('HandBack', { sets: z.array(given).readonly() })
