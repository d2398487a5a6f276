/** The races under the simulated Flux, with what `lockstep post-render` makes of the documents. */
import { describe, expect, it } from 'vitest'
import type { Dialect } from '../../src/apiserver/world/flux/play.ts'
import type { Scenario, Step } from '../../src/apiserver/world/flux/scenario.ts'
import { postRender } from '../../src/core/flux/postrender/postrender.ts'
import { encodeJson, type KubeObject, parseYamlStream } from '../../src/object/object.ts'
import { played, type Row, shown } from './racing.ts'
import * as races from './versionedraces.ts'

/** As Helm hands them over, and takes them back. */
const postRendered = (additiveGate = false): Dialect => ({
  render: (documents) => {
    const text = documents.map((o) => `${encodeJson(o)}\n`).join('---\n')
    const options = {
      strategy: 'expr',
      namespace: 'default',
      keepSources: [],
      additiveGate,
      strict: false,
    } as const
    const done = postRender(text, options)
    if (done.text === undefined) throw new Error(done.notes.map((n) => n.message).join('\n'))
    return parseYamlStream(done.text) as unknown as readonly KubeObject[]
  },
})

/** Branches and tags move without a release, which is refused (PR07) where an expression ends Flux's own comparison. */
const byCommit = (s: Scenario): Scenario => ({
  ...s,
  units: s.units.map((u) => ({ ...u, source: `commits-${u.source ?? 'repo'}` })),
  steps: [
    ...[...new Set(s.units.map((u) => u.source ?? 'repo'))].map(
      (x): Step => ({ atMs: 0, push: `commits-${x}` }),
    ),
    ...s.steps.flatMap((step): Step[] => {
      if ('push' in step) return []
      return 'point' in step ? [{ ...step, point: `commits-${step.point}` }] : [step]
    }),
  ],
})

const SLOW = { workloads: { notice: [5, 5], start: [60_000, 60_000] } } as const
const FAR = { delays: { pull: 45_000 } }

const rows: readonly Omit<Row, 'under'>[] = [
  { scenario: races.unwritten, finds: [] },
  { scenario: races.chain, finds: [] },
  { scenario: races.lag, lagMs: 400, finds: [] },
  { scenario: races.staleReady, lagMs: 400, finds: [] },
  { scenario: races.appliedOnly, options: SLOW, finds: [] },
  { scenario: races.twoTags, finds: [] },
  { scenario: races.oldArtifact, options: FAR, finds: [] },
  { scenario: races.silentCheckpoint, finds: [] },
]

describe('races of releases, post-rendered', () => {
  for (const row of rows) {
    const { race, title } = row.scenario
    const verdict = row.finds.length === 0 ? 'nothing goes wrong' : row.finds.join(', ')
    it(`${race}, ${title}: ${verdict}`, async () => {
      const { found, progress } = await played({
        ...row,
        scenario: byCommit(row.scenario),
        dialect: postRendered(),
      })
      expect(shown(found), found.map((v) => v.message).join('\n')).toEqual(row.finds)
      for (const [unit, { readyMs }] of progress) expect(readyMs, `${unit} is ready in the end`).toBeDefined()
    })
  }
})

const NAMES = ['a', 'b', 'c', 'd']

function permutations(list: readonly string[]): string[][] {
  if (list.length < 2) return [[...list]]
  return list.flatMap((x) => permutations(list.filter((y) => y !== x)).map((rest) => [x, ...rest]))
}

/** Helm writes in this order, dies after so many writes, and is run again half a minute later. */
const killed = (order: readonly string[], after: number) => {
  const whole = races.diamond(order, `${order.join(' ')}, killed after ${after}`)
  const again = whole.steps.map((s) => ({ ...s, atMs: s.atMs + 30_000 }))
  return { ...whole, steps: [...whole.steps.slice(0, after), ...again] }
}

describe('a diamond, written by Helm in every order and killed at each write', () => {
  it.each([
    ['off', false],
    ['on', true],
  ])(
    'additive gate %s: nobody acts on a release before all it needs is ready at it',
    async (_, isAdditive) => {
      const options = { gates: { AdditiveCELDependencyCheck: isAdditive } }
      for (const order of permutations(NAMES))
        for (const after of [1, 2, 3, 4]) {
          const scenario = byCommit(killed(order, after))
          const { found, progress } = await played({ scenario, options, dialect: postRendered(isAdditive) })
          expect(shown(found), `${scenario.title}: ${found.map((v) => v.message).join('; ')}`).toEqual([])
          expect([...progress].filter(([, p]) => p.readyMs !== undefined).length, scenario.title).toBe(
            NAMES.length,
          )
        }
    },
    240_000,
  )

  it('without it somebody does', async () => {
    const { found } = await played({ scenario: killed(['d', 'c', 'b', 'a'], 4) })
    expect(shown(found)).not.toEqual([])
  })
})
