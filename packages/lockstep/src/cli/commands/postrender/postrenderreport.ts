/** What a post-renderer did, for programs, and for people whom Helm shows nothing of it. */
import { z } from 'zod'
import type { PostRenderResult } from '../../../tools/postrender/index.ts'
import { defineReport } from '../../kit/output/index.ts'

export const postRenderReport = defineReport('PostRender', {
  refused: z.boolean().describe('Whether the input was refused, so that nothing was printed.'),
  notes: z
    .array(
      z.strictObject({
        code: z.string(),
        level: z.enum(['error', 'warning', 'note']),
        line: z.number().describe('Line in the input, from 1.'),
        message: z.string(),
        hint: z.string(),
      }),
    )
    .readonly(),
  sources: z
    .array(
      z.strictObject({
        kind: z.string(),
        namespace: z.string(),
        from: z.string().describe('Name in the chart.'),
        to: z.string(),
      }),
    )
    .readonly(),
  gates: z
    .array(
      z.strictObject({
        unit: z.string(),
        digest: z.string().describe('Text for which its dependents wait.'),
      }),
    )
    .readonly(),
})

export const postRenderReportOf = (made: PostRenderResult) =>
  postRenderReport.fill({
    refused: made.text === undefined,
    notes: [
      ...made.broken.map((b) => ({
        code: 'E_YAML_SYNTAX',
        level: 'error' as const,
        line: b.line,
        message: b.problem,
        hint: '',
      })),
      ...made.notes,
    ],
    sources: [...made.renamed],
    gates: [...made.gates],
  })
