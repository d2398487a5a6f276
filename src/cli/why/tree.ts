/** What `lockstep why` answers with. */
import { z } from 'zod'
import { defineReport } from '../output/report.ts'
import { warning } from '../view/warnings.ts'

export interface WhyNode {
  /** `needs certs at 2026.11`, `Deployment certs/webhook`, `Pod webhook-7d9c`. */
  readonly label: string
  readonly reason: string
  readonly text: string
  readonly since?: string
  /** Nothing further is known to cause it. */
  readonly isRoot?: boolean
  /** Module and cluster that it is about. */
  readonly module: string
  readonly cluster: string
  readonly children: readonly WhyNode[]
}

const cause = {
  label: z.string(),
  reason: z.string(),
  text: z.string(),
  since: z.string().optional(),
  isRoot: z.boolean().optional(),
  module: z.string(),
  cluster: z.string(),
}

const whyNode: z.ZodType<WhyNode> = z.strictObject({
  ...cause,
  get children() {
    return z.array(whyNode).readonly()
  },
})

const whyTree = z.strictObject({
  namespace: z.string(),
  module: z.string(),
  cluster: z.string(),
  state: z.enum(['ready', 'waits', 'failed']),
  has: z
    .string()
    .describe('What is admitted there: release, or the beginning of a revision; empty: nothing.'),
  wants: z.string(),
  since: z.string().optional(),
  causes: z.array(whyNode).readonly(),
  clustersBehind: z.int().describe('Other clusters on which this module is not ready.'),
  modulesBehind: z
    .array(z.string())
    .readonly()
    .describe('Modules that wait, directly or not, for the one with the root cause.'),
  warnings: z.array(warning).readonly().describe('What the module itself warns of.'),
})

export type WhyTree = Readonly<z.output<typeof whyTree>>

export const whyReport = defineReport('Why', {
  ...whyTree.shape,
  rootCause: z.strictObject(cause).optional(),
})

/** The root cause: the end of the first chain. */
export function rootOf(nodes: readonly WhyNode[]): WhyNode | undefined {
  let here = nodes[0]
  while (here?.children[0]) here = here.children[0]
  return here
}

/** An object on a cluster that has to be read before the chain can go on. */
export interface Wanted {
  readonly cluster: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export const wantedKey = (w: Omit<Wanted, 'version'>): string =>
  `${w.cluster} ${w.group}/${w.kind} ${w.namespace ?? ''}/${w.name}`
