/** What `lockstep check` finds out, thing by thing. */
import { z } from 'zod'
import { defineReport } from '../output/index.ts'

const finding = z.strictObject({
  name: z.string().describe('Program, hub, definition or unit.'),
  state: z.enum(['ok', 'missing', 'unknown']).describe('`missing`: features that need it do not work.'),
  found: z.string().describe('Version, address, or the reason why it is missing.'),
  for: z.string().describe('Features that need it.'),
})

export type CheckFinding = Readonly<z.output<typeof finding>>

export const checkReport = defineReport('Check', { findings: z.array(finding).readonly() })
