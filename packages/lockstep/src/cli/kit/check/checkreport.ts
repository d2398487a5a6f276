/** What `lockstep check` finds out, thing by thing. */
import { z } from 'zod'
import { defineReport } from '../output/index.ts'

const finding = z.strictObject({
  name: z.string().describe('A program, the hub, a definition.'),
  state: z.enum(['ok', 'missing', 'unknown']).describe('missing: something that needs it will not work.'),
  found: z.string().describe('Version, address, or why not.'),
  for: z.string().describe('Who needs it.'),
})

export type CheckFinding = Readonly<z.output<typeof finding>>

export const checkReport = defineReport('Check', { findings: z.array(finding).readonly() })
