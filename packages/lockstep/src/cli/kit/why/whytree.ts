/** What `lockstep why` answers with. */

import type { Digest } from '@lockstep/kube/object'
import { z } from 'zod'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { defineReport } from '../output/index.ts'
import { warning } from '../snapshot/index.ts'

export interface WhyNode {
  /** `needs certs at 2026.11`, `Deployment certs/webhook`, `Pod webhook-7d9c`. */
  readonly label: string
  readonly reason: string
  readonly text: string
  readonly since?: string
  /** Which rule tells its health: `apps/Deployment`, `spec.health.expressions[0]`. */
  readonly rule?: string
  /** Nothing further is known to cause it. */
  readonly isRoot?: boolean
  /** It stands further up in the tree, with what it waits for. */
  readonly isAbove?: boolean
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
  rule: z.string().optional().describe('The health rule that says so of an object.'),
  isRoot: z.boolean().optional(),
  isAbove: z.boolean().optional(),
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
  rootCauses: z.array(z.strictObject(cause)).readonly().describe('The ends of all chains, the oldest first.'),
})

/** The ends of all chains, each once: the oldest first, those of unknown age last. */
export function rootsOf(nodes: readonly WhyNode[]): WhyNode[] {
  const found = new Map<string, WhyNode>()
  const visit = (node: WhyNode): void => {
    for (const child of node.children) visit(child)
    const key = `${node.module} ${node.label} ${node.cluster} ${node.reason}`
    if (node.children.length === 0 && !node.isAbove && !found.has(key)) found.set(key, node)
  }
  for (const node of nodes) visit(node)
  const age = (n: WhyNode): string => n.since ?? '~'
  return [...found.values()].sort((a, b) => (age(a) < age(b) ? -1 : age(a) > age(b) ? 1 : 0))
}

/** An object on a cluster that has to be read before the chain can go on. */
export interface WantedObject {
  /** The revision whose settings tell its health. */
  readonly admitted?: { readonly module: ModuleRef; readonly revision: Digest }
  readonly cluster: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

export const wantedKey = (w: Omit<WantedObject, 'version'>): string =>
  `${w.cluster} ${w.group}/${w.kind} ${w.namespace ?? ''}/${w.name}`
