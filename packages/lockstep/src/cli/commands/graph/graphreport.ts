/** Who needs whom: the modules of a namespace, or the units on one cluster. Pure. */

import type { Stored } from '@lockstep/kube/object'
import { z } from 'zod'
import type { Module } from '../../../api/kinds/index.ts'
import { cycleThrough, objectText } from '../../../decisions/graph/index.ts'
import { deliveredBy } from '../../../decisions/resourceset/index.ts'
import { defineReport } from '../../kit/output/index.ts'
import { cellOf, cellState, type FleetSnapshot, inOrder } from '../../kit/snapshot/index.ts'

const node = z.strictObject({
  id: z.string().describe('KIND/NAME'),
  version: z.string().describe('Published release, or release on the cluster.'),
  ready: z.string().optional().describe('Ready clusters, such as 2/3; omitted in the graph of one cluster.'),
  state: cellState.optional().describe('State of the unit in the graph of one cluster.'),
})

const edge = z.strictObject({
  id: z.string(),
  from: z.string().describe('Dependent.'),
  to: z.string().describe('Dependency.'),
  object: z
    .literal(true)
    .optional()
    .describe('Whether the dependency is an object on the cluster instead of a Module.'),
  cluster: z.string().optional().describe('Cluster of the dependency, if given.'),
  beforeWave: z.int().optional().describe('Wave before which the dependency must be done.'),
  release: z.enum(['Same', 'Any']),
  optional: z.boolean(),
  problem: z
    .enum(['Missing', 'NotSelected'])
    .optional()
    .describe('Missing: the Module does not exist. NotSelected: the Module does not target the cluster.'),
})

export const graphReport = defineReport('Graph', {
  namespace: z.string(),
  cluster: z.string().optional(),
  modules: z.array(node).readonly().describe('In dependency order.'),
  edges: z.array(edge).readonly(),
  cycles: z
    .array(z.array(z.string()).readonly())
    .readonly()
    .describe('Dependency cycles; each begins and ends with the same Module.'),
})

export type GraphNode = Readonly<z.output<typeof node>>
export type GraphEdge = Readonly<z.output<typeof edge>>

export interface ModuleGraph {
  readonly namespace: string
  readonly cluster?: string
  readonly modules: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly cycles: readonly (readonly string[])[]
}

/** `cluster` absent: modules, wherever they go. */
export function graphOf(s: FleetSnapshot, namespace: string, cluster?: string): ModuleGraph {
  const isHere = (m: Stored<Module>): boolean =>
    cluster === undefined || cellOf(s, m, cluster).state !== 'none'
  const here = inOrder(s.modules).filter(isHere)
  const known = new Set(s.modules.map(idOf))
  const shown = new Set(here.map(idOf))
  const edges = here.flatMap((m) => edgesOf(m, known, shown))
  return {
    namespace,
    ...(cluster === undefined ? {} : { cluster }),
    modules: here.map((m) => nodeOf(s, m, cluster)),
    edges,
    cycles: cyclesOf([...shown], edges),
  }
}

const idOf = (m: Stored<Module>): string => `${m.kind}/${m.metadata.name}`

/** A Module by its name alone: nearly all are; the other kind is said. */
export const shortId = (id: string): string => id.replace(/^Module\//, '')

function nodeOf(s: FleetSnapshot, m: Stored<Module>, cluster: string | undefined): GraphNode {
  const id = idOf(m)
  if (cluster === undefined) {
    const ready = m.status?.ready
    return { id, version: m.status?.release ?? m.spec.release ?? '', ...(ready ? { ready } : {}) }
  }
  const { state, version } = cellOf(s, m, cluster)
  return { id, version, state }
}

function edgesOf(m: Stored<Module>, known: ReadonlySet<string>, shown: ReadonlySet<string>): GraphEdge[] {
  return (m.spec.dependsOn ?? []).flatMap((e): GraphEdge[] => {
    const { id, release, optional, beforeWave } = e
    const part = beforeWave === undefined ? {} : { beforeWave }
    const base = { id, from: idOf(m), ...part, release, optional }
    if (e.object) return [{ ...base, to: objectText(e.object), object: true }]
    if (!e.module) return []
    const needed = deliveredBy(e.module)
    const to = `${needed.kind}/${needed.name}`
    const cluster = e.module.clusterRef && { cluster: e.module.clusterRef.name }
    const isThere = cluster ? known.has(to) : shown.has(to)
    const problem = isThere ? undefined : known.has(to) ? 'NotSelected' : 'Missing'
    return [{ ...base, to, ...cluster, ...(problem ? { problem } : {}) }]
  })
}

/** A shortest cycle through each module that is on one; the same cycle once. */
function cyclesOf(ids: readonly string[], edges: readonly GraphEdge[]): string[][] {
  const needs = (id: string): string[] => edges.filter((e) => e.from === id).map((e) => e.to)
  const named = new Set<string>()
  const found: string[][] = []
  for (const id of [...ids].sort()) {
    if (named.has(id)) continue
    const cycle = cycleThrough(id, needs)
    if (!cycle) continue
    for (const on of cycle) named.add(on)
    found.push(cycle)
  }
  return found
}

/** The edges of cycles, as `from to`. */
export function edgesInCycles(g: ModuleGraph): Set<string> {
  return new Set(g.cycles.flatMap((c) => c.slice(1).map((to, i) => pairOf({ from: c[i]!, to }))))
}

export const pairOf = (e: Pick<GraphEdge, 'from' | 'to'>): string => `${e.from} ${e.to}`

export const cycleText = (cycle: readonly string[]): string => cycle.map(shortId).join(' → ')
