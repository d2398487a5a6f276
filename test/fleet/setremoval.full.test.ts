/** A cluster denies the deletions of a Continuous ClusterResourceSet: the others are emptied, and the set never says that it is in sync. */
import { describe, expect, it } from 'vitest'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { DENIAL, denyDeletes } from './deniedremoval.ts'
import { convergedOf, inSync, isInSync, valueOn } from './setsinsync.ts'
import type { SetStory } from './setstory.ts'

const CLUSTERS = ['c1', 'c2', 'c3']
const DELETE = { [SET.deletionPolicy]: 'Delete' }

interface StatusCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
}

const conditionsOf = (o: unknown): readonly StatusCondition[] =>
  (o as { status?: { conditions?: readonly StatusCondition[] } } | undefined)?.status?.conditions ?? []

/** The rule of kstatus, without that a terminating object is never Current. */
function isCurrent(conditions: readonly StatusCondition[]): boolean {
  const holds = (type: string, status: string): boolean =>
    conditions.some((c) => c.type === type && c.status === status)
  return !holds('Reconciling', 'True') && !holds('Stalled', 'True') && holds('Ready', 'True')
}

/** Statuses of the set since `from` that say that it is in sync. */
const praised = (story: SetStory, from: number): string[] =>
  story.fleet.commits
    .slice(from)
    .filter((c) => c.cluster === 'hub' && c.resource.startsWith('clusterresourcesets.') && c.next)
    .flatMap(({ next }) => {
      const all = conditionsOf(next)
      const sync = all.filter((c) => c.reason === 'InSync' && c.status === 'True').map((c) => c.type)
      return next?.metadata.deletionTimestamp === undefined
        ? []
        : [...sync, ...(isCurrent(all) ? ['Current'] : [])]
    })

const withX = (story: SetStory): string[] => CLUSTERS.filter((c) => valueOn(story, c, 'x') !== undefined)
const isGone = (story: SetStory): boolean => story.seeSet('crs1') === undefined

describe('a set that is deleted with its objects', () => {
  it('reports the refusal in all conditions, and goes once the cluster gives in', async () => {
    const story = await inSync('set-denied', CLUSTERS, DELETE)
    const allow = denyDeletes(story, 'c1')
    await story.removeSet('crs1')
    expect(await story.until(() => withX(story).join() === 'c1', 60)).toBe(true)
    await story.pass(10)
    const text = `RemovalFailed: 1 of 3 clusters, limit 1: c1: ConfigMap default/x: ${DENIAL}`
    for (const type of ['Ready', 'Stalled', 'lockstep.dev/Converged'])
      expect(story.said('crs1', type)).toContain(text)
    expect(story.said('crs1', 'Stalled')).toMatch(/^True\//)
    expect(story.said('crs1', 'Reconciling')).toMatch(/^False\//)
    await story.pass(900)
    expect(isGone(story)).toBe(false)
    allow()
    expect(await story.until(() => isGone(story), 310)).toBe(true)
    expect(withX(story)).toEqual([])
  })

  it('is never in sync after its first report', async () => {
    const story = await inSync('set-denied-always', CLUSTERS, DELETE)
    denyDeletes(story, 'c1')
    await story.removeSet('crs1')
    expect(await story.until(() => !story.said('crs1', 'Ready').startsWith('True'), 2)).toBe(true)
    const from = story.fleet.commits.length
    await story.pass(1200)
    expect(praised(story, from)).toEqual([])
    expect(isCurrent(conditionsOf(story.seeSet('crs1')))).toBe(false)
  })
})

it('a deselected cluster that denies the deletion: the set is not in sync', async () => {
  const story = await inSync('set-deselected', CLUSTERS, { [SET.prune]: 'true' })
  const allow = denyDeletes(story, 'c1')
  await story.label('c1', { env: 'dev' })
  expect(await story.until(() => convergedOf(story).startsWith('False/RemovalFailed'), 60)).toBe(true)
  expect(convergedOf(story)).toContain(
    'in sync on 2 of 2 clusters; RemovalFailed: 1 of 1 cluster, limit 1: c1: ',
  )
  await story.pass(60)
  expect(isCurrent(conditionsOf(story.seeSet('crs1')))).toBe(false)
  allow()
  const isClean = () => valueOn(story, 'c1', 'x') === undefined && valueOn(story, 'c1', 'y') === undefined
  expect(await story.until(() => isClean() && isInSync(story), 310)).toBe(true)
})
