/**
 * The races under a simulated Flux: each really happens where Flux does not exclude it, and does not where it does. The same
 * scenarios are there for whoever claims to exclude more.
 */
import { describe, expect, it } from 'vitest'
import { startFlux } from '../../src/apiserver/world/flux/flux.ts'
import { type Dialect, play, settle } from '../../src/apiserver/world/flux/play.ts'
import { type PlaygroundOptions, playground } from '../../src/apiserver/world/flux/playground.cases.ts'
import { AFTER, type Scenario } from '../../src/apiserver/world/flux/scenario.ts'
import { judge, type Violation } from '../../src/apiserver/world/flux/verdict.ts'
import { at, type KubeObject } from '../../src/object/object.ts'
import * as races from './versionedraces.ts'

interface Row {
  readonly scenario: Scenario
  readonly under: string
  readonly options?: PlaygroundOptions
  readonly dialect?: Dialect
  /** Milliseconds that caches are behind once the release before is at rest. */
  readonly lagMs?: number
  /** `TooEarly b`; none: it is safe. */
  readonly finds: readonly string[]
  /** Seconds after which the dependant is at the new release: at least, at most. */
  readonly after?: readonly [number, number]
}

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

const rows: readonly Row[] = [
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

async function played(row: Row) {
  const p = playground(row.options)
  const flux = startFlux(
    p.env,
    p.local,
    { name: 'c1', jitter: 0, lagMs: (kind) => p.lag[kind] ?? 0, ...row.options },
    p.artifacts,
  )
  const stage = { env: p.env, api: p.local, flux }
  expect(await settle(stage, row.scenario, row.dialect)).toBe(true)
  await p.pass(2000)
  p.lag.Kustomization = row.lagMs ?? 0
  const begun = p.now()
  await play(stage, row.scenario, row.dialect)
  flux.stop()
  const nowMs = (atMs: number) => p.env.clock.now() - p.env.clock.steady() + atMs
  const writes = p.writes.map((w) => ({ ...w, nowMs: nowMs(w.atMs) }))
  const last = row.scenario.units.at(-1)!.name
  const arrived = p.writes.find((w) => w.key === `default/${last}` && at(w.next, 'data', 'release') === AFTER)
  return {
    found: judge(row.scenario.units, writes).violations,
    seconds: ((arrived?.atMs ?? 0) - begun) / 1000,
  }
}

const shown = (found: readonly Violation[]): string[] => [...new Set(found.map((v) => `${v.kind} ${v.unit}`))]

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
