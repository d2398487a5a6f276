/** DisruptionBudgets: how many clusters are disrupted at once, over all modules. */
import { describe, expect, it } from 'vitest'
import { crdKind } from '../../packages/kube/src/kinds/types.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { subjectOf } from '../../packages/lockstep/src/api/blocker.ts'
import { disruptionBudgetKind } from '../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import { type Module, moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { budget, dropBudget, peakOf, placesOf, readyText, seeBudget, usesOf } from './budgets.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { FIVE, pairOn } from './starts/pair.ts'
import { forked } from './starts/start.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const TEN = Array.from({ length: 10 }, (_, i) => `c${i}`)

async function pair(name: string, clusters: readonly string[] = TEN): Promise<Story> {
  const story = await Story.begin(name, clusters, { delays: LIFELIKE })
  for (const m of ['web', 'db'])
    for (const v of [1, 2]) await story.config(`${m}-${v}`, deploymentManifest(m, `${m}:${v}`))
  return story
}

const publish = async (story: Story, version: number, more: object = {}): Promise<void> => {
  for (const m of ['web', 'db']) await story.module(m, `${m}-${version}`, { ...FIVE, ...more })
}

const bothReady = (story: Story) => () => ['web', 'db'].every((m) => story.isReady(m))

/** Both are at version 1 everywhere, without any budget. */
const begun = (name: string, clusters: readonly string[] = TEN): Promise<Story> =>
  forked(pairOn(clusters.length), name)

describe('two modules and one budget', () => {
  it('no more clusters are disrupted than it allows; both may be on one; each keeps its own limit', async () => {
    const story = await begun('DB17')
    await budget(story, 'all', { maxUnavailable: 3 })
    const from = story.fleet.commits.length
    await publish(story, 2)
    expect(await story.until(bothReady(story), 600)).toBe(true)
    const uses = usesOf(story, from)
    expect(Math.max(...uses.map((u) => u.clusters))).toBe(3)
    expect(Math.max(...uses.flatMap((u) => [...u.byModule.values()]))).toBeLessThanOrEqual(5)
    expect(uses.some((u) => [...u.byModule.values()].reduce((a, b) => a + b) > u.clusters)).toBe(true)
    await story.pass(5)
    expect(placesOf(seeBudget(story, 'all'))).toEqual([])
    expect(seeBudget(story, 'all').status).toMatchObject({
      clusters: 10,
      disrupted: 0,
      allowed: 3,
      use: '0/3',
    })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('first deliveries obey, and removals; at the end nothing is written any more', async () => {
    const story = await pair('DB installs')
    await budget(story, 'all', { maxUnavailable: '20%' })
    await publish(story, 1)
    expect(await story.until(bothReady(story), 600)).toBe(true)
    expect(peakOf(story)).toBe(2)
    await budget(story, 'all', { maxUnavailable: 1 })
    const from = story.fleet.commits.length
    await story.deleteModule('web')
    await story.deleteModule('db')
    expect(await story.until(() => story.inventories.length === 0, 600)).toBe(true)
    expect(peakOf(story, from)).toBe(1)
    await story.pass(30)
    const quiet = story.fleet.commits.length
    await story.pass(600)
    // Objects without references are collected.
    const later = story.fleet.commits.slice(quiet).filter((c) => c.resource !== 'secrets')
    expect(later.map((c) => `${c.verb} ${c.resource} ${c.key}`)).toEqual([])
    expect(placesOf(seeBudget(story, 'all'))).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

/** Starts in the order in which modules have committed them. */
function startsOf(story: Story, from: number): string[] {
  const known = new Map<string, ReadonlySet<string>>()
  return story.fleet.commits.slice(from).flatMap((c) => {
    if (c.resource !== 'modules.lockstep.dev' || !c.next) return []
    const { metadata, status } = c.next as unknown as Stored<Module>
    const now = new Set((status?.rollout?.ledger ?? []).map((e) => e.cluster))
    const fresh = [...now].filter((x) => known.get(metadata.name)?.has(x) !== true)
    known.set(metadata.name, now)
    return fresh.map(() => metadata.name)
  })
}

describe('who has waited longest is next', () => {
  it('two modules with clusters of their own take turns, without a pause', async () => {
    const story = await pair('DB turns')
    await budget(story, 'all', { maxUnavailable: 1 })
    const on = (clusters: string[]) => ({ ...FIVE, targets: { clusters } })
    const from = story.fleet.commits.length
    await story.module('web', 'web-1', on(['c0', 'c1', 'c2']))
    await story.module('db', 'db-1', on(['c3', 'c4', 'c5']))
    expect(await story.until(bothReady(story), 60)).toBe(true)
    // The first cluster may be done before the other module is published, and waits.
    const turns = ['web db web db web db', 'web web db web db db']
    expect(turns).toContain(startsOf(story, from).join(' '))
    expect(peakOf(story, from)).toBe(1)
  })

  it('one that is gone is waited for by nobody', async () => {
    const story = await begun('DB dead', ['c0', 'c1', 'c2'])
    await budget(story, 'all', { maxUnavailable: 1 })
    await story.pass(3)
    const waiters = [{ module: 'Module/gone', since: '2026-01-01T00:00:00Z' }]
    const seen = seeBudget(story, 'all')
    const body = { ...seen, status: { ...seen.status, waiters } }
    must(
      await story.during(
        story.fleet.hub.update(disruptionBudgetKind, body, { ...USER, subresource: 'status' }),
      ),
    )
    expect(await story.until(() => seeBudget(story, 'all').status?.waiters === undefined, 2)).toBe(true)
  })
})

describe('the way back obeys, too', () => {
  it('a rollback: what is down goes back without a place, and nothing else is disrupted', async () => {
    const story = await begun('DB rollback', TEN.slice(0, 6))
    await budget(story, 'all', { maxUnavailable: 2 })
    const failure = { image: 'web:2', outcome: 'ImagePull' } as const
    for (const c of story.fleet.clusters.values()) c.world.fail(failure)
    const from = story.fleet.commits.length
    const rollout = { ...FIVE.rollout, onFailure: 'Rollback' }
    await story.module('web', 'web-2', { rollout, health: { timeoutSeconds: 10 } })
    expect(await story.until(() => story.see('web').status?.rollout?.phase === 'RolledBack', 300)).toBe(true)
    expect(peakOf(story, from)).toBe(2)
    expect(story.see('web').status?.clusters).toMatchObject({ total: 6, ready: 6 })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('an undo: as many at once as on the way there', async () => {
    const story = await begun('DB undo', TEN.slice(0, 6))
    const to = story.see('web').status!.currentRevision!
    await story.module('web', 'web-2', FIVE)
    expect(
      await story.until(() => story.isReady('web') && story.see('web').status?.currentRevision !== to),
    ).toBe(true)
    await budget(story, 'all', { maxUnavailable: 2 })
    await story.pass(3)
    const from = story.fleet.commits.length
    const undo = { from: story.see('web').status!.currentRevision!, to }
    await story.module('web', 'web-2', { rollout: { ...FIVE.rollout, undo } })
    const isBack = () =>
      story.see('web').status?.rollout?.revision === to &&
      story.see('web').status?.rollout?.phase === 'Complete'
    expect(await story.until(isBack, 300)).toBe(true)
    expect(peakOf(story, from)).toBe(2)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('budgets come, change and go', () => {
  it('made during a rollout: what is under way goes on, and is counted; nothing more starts', async () => {
    const story = await begun('DB made')
    await publish(story, 2)
    const inFlight = () => story.see('web').status?.rollout?.ledger?.length ?? 0
    expect(await story.until(() => inFlight() === 5)).toBe(true)
    await budget(story, 'all', { maxUnavailable: 1 })
    expect(await story.until(() => placesOf(seeBudget(story, 'all')).length > 0, 5)).toBe(true)
    const from = story.fleet.commits.length
    expect(await story.until(() => (seeBudget(story, 'all').status?.disrupted ?? 9) <= 1, 300)).toBe(true)
    expect(await story.until(bothReady(story), 900)).toBe(true)
    const uses = usesOf(story, from).map((u) => u.clusters)
    const under = uses.findIndex((n) => n <= 1)
    expect(Math.max(...uses.slice(under))).toBe(1)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('deleted: who waits goes on at once', async () => {
    const story = await begun('DB gone', ['c0', 'c1', 'c2'])
    story.fleet.clusters.get('c1')!.world.fail({ image: 'db:1', outcome: 'CrashLoop' })
    await budget(story, 'all', { maxUnavailable: 1 })
    expect(await story.until(() => seeBudget(story, 'all').status?.use === '1/1')).toBe(true)
    await story.module('web', 'web-2', FIVE)
    await story.pass(60)
    expect(story.isReady('web')).toBe(false)
    await dropBudget(story, 'all')
    expect(await story.until(() => story.isReady('web'), 30)).toBe(true)
  })

  it('another selector, other labels: what counts is what matches now', async () => {
    const story = await begun('DB selector', ['c0', 'c1', 'c2'])
    story.fleet.clusters.get('c1')!.world.fail({ image: 'db:1', outcome: 'CrashLoop' })
    await budget(story, 'all', { maxUnavailable: 1, clusterSelector: { matchLabels: { env: 'prod' } } })
    await budget(story, 'none', { maxUnavailable: 1, clusterSelector: { matchLabels: { env: 'test' } } })
    expect(await story.until(() => seeBudget(story, 'all').status?.use === '1/1')).toBe(true)
    expect(readyText(seeBudget(story, 'none'))).toBe(
      'it counts no cluster: none matches spec.clusterSelector',
    )
    await story.module('web', 'web-2', FIVE)
    await story.pass(60)
    expect(story.see('web').status?.clusters).toMatchObject({ updated: 1, waiting: 2 })
    await budget(story, 'all', { maxUnavailable: 1, clusterSelector: { matchLabels: { env: 'test' } } })
    expect(await story.until(() => story.isReady('web'), 60)).toBe(true)
    expect(seeBudget(story, 'all').status).toMatchObject({ clusters: 0, use: '0/0' })
  })

  it('its status is lost while modules wait: it is put together again first, and never overdrawn', async () => {
    const story = await begun('DB wiped')
    await budget(story, 'all', { maxUnavailable: 3 })
    const from = story.fleet.commits.length
    await publish(story, 2)
    for (let i = 0; i < 5; i++) {
      await story.until(() => placesOf(seeBudget(story, 'all')).length > 1, 60)
      const wiped = { ...seeBudget(story, 'all'), status: {} }
      const done = await story.during(
        story.fleet.hub.update(disruptionBudgetKind, wiped, { ...USER, subresource: 'status' }),
      )
      if (done.ok) await story.until(() => (seeBudget(story, 'all').status?.ledger?.length ?? 0) > 0, 5)
      await story.pass(2)
    }
    expect(await story.until(bothReady(story), 900)).toBe(true)
    expect(peakOf(story, from)).toBe(3)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a place that nobody has is given up after a minute, and one whose module has it never is', async () => {
    const story = await begun('DB left', ['c0', 'c1', 'c2'])
    await budget(story, 'all', { maxUnavailable: 1 })
    await story.pass(5)
    const since = '2026-01-01T00:00:00.000Z'
    const ledger = [
      { module: 'Module/web', cluster: 'c0', since },
      { module: 'Module/gone', cluster: 'c2', since },
    ]
    const seen = seeBudget(story, 'all')
    const body = { ...seen, status: { ...seen.status, ledger } }
    must(
      await story.during(
        story.fleet.hub.update(disruptionBudgetKind, body, { ...USER, subresource: 'status' }),
      ),
    )
    await story.module('db', 'db-2', FIVE)
    await story.pass(35)
    expect(placesOf(seeBudget(story, 'all'))).toContain('Module/web@c0')
    expect(story.blockers('db')[0]).toMatch(/^DisruptionBudget: DisruptionBudget all \d\/1 \(c0/)
    expect(await story.until(() => story.isReady('db'), 90)).toBe(true)
    expect(placesOf(seeBudget(story, 'all'))).not.toContain('Module/web@c0')
  })
})

describe('what is written wrongly', () => {
  it.each([
    ['both', { maxUnavailable: 1, minAvailable: 1 }, 'exactly one'],
    ['neither', {}, 'exactly one'],
    ['nothing at all', { maxUnavailable: 0 }, 'must be at least 1; to stop rollouts, create a Hold'],
    ['all of them', { minAvailable: '100%' }, 'must be less than 100%; to stop rollouts, create a Hold'],
    ['a blank', { maxUnavailable: '10 %' }, 'maxUnavailable'],
  ])('%s: refused before it is stored', async (_, spec, message) => {
    const story = await Story.begin('DB refused', [])
    const made = await story.during(
      story.fleet.hub.create(
        disruptionBudgetKind,
        {
          apiVersion: 'lockstep.dev/v1alpha1',
          kind: 'DisruptionBudget',
          metadata: { name: 'b', namespace: NAMESPACE },
          spec: { clusterSelector: {}, ...spec },
        },
        USER,
      ),
    )
    expect(!made.ok && made.error.kind === 'Invalid' && made.error.message).toContain(message)
  })
})

it('what another definition let through lets nothing start, and says so, until it is corrected', async () => {
  const story = await begun('DB unread', ['c0', 'c1'])
  const { hub } = story.fleet
  const name = 'disruptionbudgets.lockstep.dev'
  const crd = must(await story.during(hub.get(crdKind, { name }, { purpose: 'user' })))
  const lax = JSON.parse(JSON.stringify(crd))
  delete lax.spec.versions[0].schema.openAPIV3Schema.properties.spec['x-kubernetes-validations']
  must(await story.during(hub.update(crdKind, lax, USER)))
  await story.pass(2)
  await budget(story, 'all', { maxUnavailable: 1, minAvailable: 1 })
  await story.pass(3)
  await story.module('web', 'web-2', FIVE)
  await story.pass(60)
  const problem = 'spec: give exactly one of maxUnavailable and minAvailable'
  expect(story.see('web').status?.clusters).toMatchObject({ updated: 0, waiting: 2 })
  expect(story.blockers('web')).toContain(
    `DisruptionBudget: DisruptionBudget all is invalid (${problem}): 2 clusters queued; correct or delete it`,
  )
  expect(seeBudget(story, 'all').status?.conditions?.[0]).toMatchObject({
    type: 'Ready',
    status: 'False',
    reason: 'InvalidSpec',
    message: `${problem}; until it is corrected, nothing starts where it counts`,
  })
  await budget(story, 'all', { maxUnavailable: 1 })
  expect(await story.until(() => story.isReady('web'), 60)).toBe(true)
  expect(readyText(seeBudget(story, 'all'))).toMatch(/of 2 clusters$/)
})

it('one that waits for a budget has a blocker, and the module says where it waits', async () => {
  const story = await begun('DB blocker', ['c0', 'c1'])
  story.fleet.clusters.get('c1')!.world.fail({ image: 'db:1', outcome: 'CrashLoop' })
  await budget(story, 'all', { maxUnavailable: 1 })
  await story.config('x', configManifest('x', '1'))
  expect(await story.until(() => seeBudget(story, 'all').status?.use === '1/1')).toBe(true)
  await story.module('x', 'x')
  await story.pass(20)
  const found = must(
    await story.during(
      story.fleet.hub.get(moduleKind, { namespace: NAMESPACE, name: 'x' }, { purpose: 'user' }),
    ),
  )
  expect(found.status?.blockers?.map((b) => [b.reason, subjectOf(b.on)])).toContainEqual([
    'DisruptionBudget',
    'DisruptionBudget/all',
  ])
})
