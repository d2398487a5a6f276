/** A race played under the simulated Flux, and what it shows. */
import { expect } from 'vitest'
import { at } from '../../packages/kube/src/object/index.ts'
import { type PlayOptions, play, settle } from '../../packages/simulators/src/flux/fluxplay.ts'
import { AFTER, type FluxScenario } from '../../packages/simulators/src/flux/fluxscenario.ts'
import { type FluxViolation, judge } from '../../packages/simulators/src/flux/judgement.ts'
import { type PlaygroundOptions, playground } from '../../packages/simulators/src/flux/playground.cases.ts'
import { startFlux } from '../../packages/simulators/src/flux/startflux.ts'

export interface FluxRaceRow {
  readonly scenario: FluxScenario
  readonly under: string
  readonly options?: PlaygroundOptions
  readonly dialect?: PlayOptions
  /** Milliseconds that caches are behind once the release before is at rest. */
  readonly lagMs?: number
  /** `TooEarly b`; none: it is safe. */
  readonly finds: readonly string[]
  /** Seconds after which the dependant is at the new release: at least, at most. */
  readonly after?: readonly [number, number]
}

export async function played(row: Omit<FluxRaceRow, 'finds' | 'under'>) {
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
  const { violations, progress } = judge(row.scenario.units, writes)
  return { found: violations, progress, seconds: ((arrived?.atMs ?? 0) - begun) / 1000 }
}

export const shown = (found: readonly FluxViolation[]): string[] => [
  ...new Set(found.map((v) => `${v.kind} ${v.unit}`)),
]
