/** Scenarios under the simulated Flux, with what `lockstep post-render` makes of the documents. */
import { expect } from 'vitest'
import { encodeJson, type KubeObject, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import { postRenderFlux } from '../../packages/lockstep/src/tools/postrender/postrenderflux.ts'
import type { PlayOptions } from '../../packages/simulators/src/flux/fluxplay.ts'
import type { FluxScenario, ScenarioStep } from '../../packages/simulators/src/flux/fluxscenario.ts'
import { played, shown } from './fluxrace.ts'
import * as races from './versionedraces.ts'

/** As Helm hands them over, and takes them back. */
export const postRendered = (additiveGate = false): PlayOptions => ({
  render: (documents) => {
    const text = documents.map((o) => `${encodeJson(o)}\n`).join('---\n')
    const options = {
      strategy: 'expr',
      namespace: 'default',
      keepSources: [],
      additiveGate,
      strict: false,
    } as const
    const done = postRenderFlux(text, options)
    if (done.text === undefined) throw new Error(done.notes.map((n) => n.message).join('\n'))
    return parseYamlStream(done.text) as unknown as readonly KubeObject[]
  },
})

/** Branches and tags move without a release, which is refused (PR07) where an expression ends Flux's own comparison. */
export const byCommit = (s: FluxScenario): FluxScenario => ({
  ...s,
  units: s.units.map((u) => ({ ...u, source: `commits-${u.source ?? 'repo'}` })),
  steps: [
    ...[...new Set(s.units.map((u) => u.source ?? 'repo'))].map(
      (x): ScenarioStep => ({ atMs: 0, push: `commits-${x}` }),
    ),
    ...s.steps.flatMap((step): ScenarioStep[] => {
      if ('push' in step) return []
      return 'point' in step ? [{ ...step, point: `commits-${step.point}` }] : [step]
    }),
  ],
})

const NAMES = ['a', 'b', 'c', 'd']

function permutations(list: readonly string[]): string[][] {
  if (list.length < 2) return [[...list]]
  return list.flatMap((x) => permutations(list.filter((y) => y !== x)).map((rest) => [x, ...rest]))
}

/** Helm writes in this order, dies after so many writes, and is run again half a minute later. */
export const killedDiamond = (order: readonly string[], after: number) => {
  const whole = races.diamond(order, `${order.join(' ')}, killed after ${after}`)
  const again = whole.steps.map((s) => ({ ...s, atMs: s.atMs + 30_000 }))
  return { ...whole, steps: [...whole.steps.slice(0, after), ...again] }
}

/** What may not go wrong, with what Helm wrote in this order before it was killed after so many writes. */
export async function holdsInDiamond(
  order: readonly string[],
  after: number,
  isAdditive: boolean,
): Promise<void> {
  const scenario = byCommit(killedDiamond(order, after))
  const options = { gates: { AdditiveCELDependencyCheck: isAdditive } }
  const { found, progress } = await played({ scenario, options, dialect: postRendered(isAdditive) })
  expect(shown(found), `${scenario.title}: ${found.map((v) => v.message).join('; ')}`).toEqual([])
  expect([...progress].filter(([, p]) => p.readyMs !== undefined).length, scenario.title).toBe(NAMES.length)
}

/** All orders in which Helm may write a diamond. */
export const orders = permutations(NAMES)
