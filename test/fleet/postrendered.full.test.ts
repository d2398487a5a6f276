/** The races under the simulated Flux, with what `lockstep post-render` makes of the documents. */
import { describe, expect, it } from 'vitest'
import { type FluxRaceRow, played, shown } from './fluxrace.ts'
import { byCommit, holdsInDiamond, killedDiamond, orders, postRendered } from './postrenderscenarios.ts'
import * as races from './versionedraces.ts'

const SLOW = { workloads: { notice: [5, 5], start: [60_000, 60_000] } } as const
const FAR = { delays: { pull: 45_000 } }

const rows: readonly Omit<FluxRaceRow, 'under'>[] = [
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

describe('a diamond, written by Helm in every order and killed at some write', () => {
  // Each order once; `test/deep` has every write, with the gate off and on.
  it.each(orders.map((order, i) => [order.join(' '), 1 + (i % 4), i % 8 < 4] as const))(
    '%s, after %i, additive gate %s: nobody acts on a release before all it needs is ready at it',
    async (order, after, isAdditive) => holdsInDiamond(order.split(' '), after, isAdditive),
  )

  it('without it somebody does', async () => {
    const { found } = await played({ scenario: killedDiamond(['d', 'c', 'b', 'a'], 4) })
    expect(shown(found)).not.toEqual([])
  })
})
