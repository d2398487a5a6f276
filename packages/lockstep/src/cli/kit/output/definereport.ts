/** Results that are no objects of the API: `kind: Report`. */
import { z } from 'zod'
import { API_VERSION } from '../../../api/apiversion.ts'

export interface Report {
  readonly apiVersion: typeof API_VERSION
  readonly kind: 'Report'
  /** Which report it is; the other fields depend on it. */
  readonly of: string
}

/** A report with a schema: it types what is printed, and tests hold what was printed to it. */
export function defineReport<S extends z.ZodRawShape>(of: string, shape: S) {
  const body = z.strictObject(shape)
  const head = { apiVersion: z.literal(API_VERSION), kind: z.literal('Report'), of: z.literal(of) }
  return {
    of,
    schema: z.strictObject({ ...head, ...shape }),
    fill: (facts: z.input<typeof body>): Report => ({
      apiVersion: API_VERSION,
      kind: 'Report',
      of,
      ...facts,
    }),
  }
}
