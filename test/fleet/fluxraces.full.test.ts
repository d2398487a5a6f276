/**
 * The races under a simulated Flux: each really happens where Flux does not exclude it, and does not where it does. The same
 * scenarios are there for whoever claims to exclude more.
 */
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { type FluxRaceRow, played, shown } from './fluxrace.ts'
import * as races from './versionedraces.ts'

const READY_ONLY = "dep.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')"
const DOCUMENTED =
  "dep.metadata.labels['app/version'] == self.metadata.labels['app/version'] && " +
  "dep.status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True') && " +
  'dep.metadata.generation == dep.status.observedGeneration'
const SLOW = { workloads: { notice: [5, 5], start: [60_000, 60_000] } } as const
const FAR = { delays: { pull: 45_000 } }
const NAMES = 'names with the release'

/** Each unit says in its spec, as a rule that nothing is evaluated by, at which release it is; each edge wants that. */
function bound(documents: readonly KubeObject[], release: string): readonly KubeObject[] {
  const current = `'${release}' != ''`
  const kind = 'ReleaseGate'
  const readyExpr = `has(dep.spec.healthCheckExprs) && dep.spec.healthCheckExprs.exists(e, e.kind == '${kind}' && e.current == "${current}") && ${READY_ONLY} && dep.metadata.generation == dep.status.observedGeneration`
  return documents.map((o) => {
    const spec = o.spec as { dependsOn?: object[] }
    if (o.kind !== 'Kustomization') return o
    const healthCheckExprs = [{ apiVersion: 'lockstep.dev/v1alpha1', kind, current }]
    const dependsOn = spec.dependsOn?.map((edge) => ({ ...edge, readyExpr }))
    return { ...o, spec: { ...spec, healthCheckExprs, ...(dependsOn ? { dependsOn } : {}) } }
  })
}

const rows: readonly FluxRaceRow[] = [
  {
    scenario: races.unwritten,
    under: 'a renderer that changes nothing',
    dialect: { render: (documents) => documents },
    finds: ['TooEarly b'],
  },
  ...[races.unwritten, races.chain, races.lag, races.silentCheckpoint].map((scenario) => ({
    scenario,
    under: 'edges that are bound to the release in the spec',
    lagMs: 400,
    dialect: { render: bound },
    finds: [],
  })),
  { scenario: races.unwritten, under: 'built-in checks', finds: ['TooEarly b'] },
  {
    scenario: races.unwritten,
    under: 'all names with the release',
    dialect: { suffix: 'all' },
    finds: ['Deleted a', 'Deleted b'],
  },
  {
    scenario: races.unwritten,
    under: `checkpoint ${NAMES}`,
    dialect: { suffix: 'checkpoints' },
    finds: ['TooEarly b'],
  },
  { scenario: races.chain, under: 'built-in checks', finds: ['TooEarly c'] },
  {
    scenario: races.chain,
    under: 'the documented expression',
    dialect: { readyExpr: DOCUMENTED },
    finds: ['TooEarly c'],
  },
  { scenario: races.lag, under: 'built-in checks', lagMs: 400, finds: [], after: [30, 33] },
  {
    scenario: races.lag,
    under: 'an expression of Ready alone',
    lagMs: 400,
    dialect: { readyExpr: READY_ONLY },
    finds: ['TooEarly b'],
  },
  { scenario: races.suspended, under: 'built-in checks', finds: ['TooEarly b'] },
  { scenario: races.staleReady, under: 'built-in checks', lagMs: 400, finds: [] },
  {
    scenario: races.staleReady,
    under: 'an expression of Ready alone',
    lagMs: 400,
    dialect: { readyExpr: READY_ONLY },
    finds: ['TooEarly b'],
  },
  { scenario: races.inputs, under: 'built-in checks', finds: ['TooEarly b'] },
  {
    scenario: races.inputs,
    under: 'the documented expression',
    dialect: { readyExpr: DOCUMENTED },
    finds: ['TooEarly b'],
  },
  { scenario: races.appliedOnly, under: 'built-in checks', options: SLOW, finds: ['TooEarly b'] },
  { scenario: races.twoSources, under: 'built-in checks', finds: ['TooEarly b'] },
  { scenario: races.oneSource, under: 'built-in checks', finds: [], after: [30, 33] },
  { scenario: races.twoTags, under: 'built-in checks', finds: ['TooEarly b'] },
  { scenario: races.charts, under: 'built-in checks', finds: ['TooEarly b'] },
  { scenario: races.oldArtifact, under: 'built-in checks', options: FAR, finds: ['TooEarly b'] },
  { scenario: races.included, under: 'built-in checks', finds: ['TooEarly b'] },
  { scenario: races.silentCheckpoint, under: 'built-in checks', finds: ['TooEarly b'] },
  {
    scenario: races.silentCheckpoint,
    under: `checkpoint ${NAMES}`,
    dialect: { suffix: 'checkpoints' },
    finds: [],
  },
  { scenario: races.finalizerFirst, under: 'built-in checks', finds: ['Deleted a'] },
  { scenario: races.bothLive, under: 'built-in checks', finds: ['Reverted a'] },
  { scenario: races.dropped, under: 'built-in checks', finds: ['Leaked a'] },
]

describe('races of releases under a simulated Flux', () => {
  for (const row of rows) {
    const { race, title } = row.scenario
    const verdict = row.finds.length === 0 ? 'nothing goes wrong' : row.finds.join(', ')
    it(`${race}, ${title}; ${row.under}: ${verdict}`, async () => {
      const { found, seconds } = await played(row)
      expect(shown(found), found.map((v) => v.message).join('\n')).toEqual(row.finds)
      if (!row.after) return
      expect(seconds).toBeGreaterThanOrEqual(row.after[0])
      expect(seconds).toBeLessThanOrEqual(row.after[1])
    })
  }
})
