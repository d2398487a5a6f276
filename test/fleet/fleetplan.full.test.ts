/** What `lockstep plan` foretells of a fleet is what its controllers then do. */
import { describe, expect, it } from 'vitest'
import { type ControllerRevision, controllerRevisionKind } from '../../packages/kube/src/kinds/types.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { disruptionBudgetKind } from '../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import type { Assignment } from '../../packages/lockstep/src/api/kinds/inventory/assignment.ts'
import type { Inventory } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { MODULE_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { type FleetPlan, planFleet } from '../../packages/lockstep/src/controllers/plan/planfleet.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, deploymentManifest, type ModuleOptions, Story } from './steps.ts'

const CLUSTERS = Array.from({ length: 10 }, (_, i) => `c${i}`)
const STAGED = {
  strategy: 'Staged',
  maxUnavailable: 3,
  stages: [
    { name: 'canary', clusters: ['c3', 'c7'] },
    { name: 'rest', clusterSelector: {} },
  ],
}

/** What is held, so that what is published can be looked at before anything starts. */
async function held(story: Story, modules: readonly string[]): Promise<() => Promise<void>> {
  const { hub } = story.fleet
  for (const name of modules) {
    const body = {
      apiVersion: API_VERSION,
      kind: 'Hold',
      metadata: { name: `all-${name}`, namespace: NAMESPACE },
      spec: { targetRef: { kind: 'Module' as const, name }, reason: 'to look', action: 'Pause' as const },
    }
    must(await story.during(hub.apply(holdKind, body, { ...USER, force: true })))
  }
  return async () => {
    // Who waits for others first, so that nobody is late.
    for (const name of [...modules].reverse())
      must(await story.during(hub.delete(holdKind, { namespace: NAMESPACE, name: `all-${name}` }, USER)))
  }
}

/** On what the hub holds now, as if nobody held anything. */
async function planned(story: Story): Promise<FleetPlan> {
  const { hub, fleet } = story.manager
  const listed = await story.during(
    story.fleet.hub.list<ControllerRevision>(controllerRevisionKind, {
      purpose: 'user',
      labelSelector: MODULE_LABEL,
    }),
  )
  return planFleet({
    namespace: NAMESPACE,
    modules: [...hub.modules.store.all()],
    revisions: must(listed).items as Stored<ControllerRevision>[],
    inventories: [...hub.inventories.store.all()],
    assemblages: [...hub.assemblages.store.all()],
    holds: [],
    approvals: [...hub.approvals.store.all()],
    disruptionBudgets: [...hub.disruptionBudgets.store.all()],
    clusters: fleet.of(NAMESPACE).filter((c) => c.kind !== 'Hub'),
    publishes: new Map(),
    nowMs: story.fleet.env.clock.now(),
    calendar: story.fleet.env.calendar,
    maxRemoval: '50%',
  })
}

/** All of it that is told. */
const toldBy = ({ modules, ...rest }: FleetPlan): string =>
  JSON.stringify([rest, modules.map((m) => [m.ref, m.end, m.widest])])

/** Clusters of a module in the order in which the plan starts them; of one step in any order. */
const order = (plan: FleetPlan, module: string): string[][] =>
  plan.starts.filter((s) => s.module.name === module).map((s) => [...s.clusters].sort())

/** In the order in which the controller assigned them. */
function observed(story: Story, from: number, module: string): string[] {
  const recordIn = (o: unknown): Assignment | undefined => {
    const spec = (o as Inventory | undefined)?.spec
    return spec?.moduleRef.name === module ? spec.assigned : undefined
  }
  return story.fleet.commits.slice(from).flatMap((c) => {
    if (c.resource !== 'inventories.lockstep.dev') return []
    const [before, after] = [recordIn(c.old), recordIn(c.next)]
    const isNew = after && after.revision !== before?.revision
    return isNew ? [(c.next as unknown as Inventory).spec.clusterRef.name] : []
  })
}

/** Most units of a module that were in flight at once. */
const widest = (story: Story, from: number, module: string): number =>
  Math.max(
    0,
    ...story.fleet.commits.slice(from).map((c) => {
      const ledger = (c.next?.status as { rollout?: { ledger?: unknown[] } } | undefined)?.rollout?.ledger
      return c.resource === 'modules.lockstep.dev' && c.next?.metadata.name === module
        ? (ledger?.length ?? 0)
        : 0
    }),
  )

/** As groups of the sizes that the plan has, each in any order. */
function grouped(clusters: readonly string[], like: readonly (readonly string[])[]): string[][] {
  const left = [...clusters]
  return like.map(({ length }) => left.splice(0, length).sort())
}

async function begun(name: string, web: ModuleOptions): Promise<Story> {
  const story = await Story.begin(name, CLUSTERS)
  for (const v of ['1', '2']) {
    await story.config(`base-${v}`, configManifest('base', v))
    await story.config(`web-${v}`, deploymentManifest('web', `web:${v}`))
  }
  const at = (n: string) => ({ release: n })
  await story.module('base', 'base-1', { ...at('1'), rollout: { strategy: 'Replace' } })
  await story.module('web', 'web-1', { ...at('1'), rollout: { strategy: 'Replace' }, dependsOn: ['base'] })
  expect(await story.until(() => story.isReady('web', '1'), 300)).toBe(true)
  const release = await held(story, ['base', 'web'])
  await story.module('base', 'base-2', { ...at('2'), rollout: { strategy: 'Replace' } })
  await story.module('web', 'web-2', { ...at('2'), dependsOn: ['base'], ...web })
  const isPublished = (m: string): boolean => story.see(m).status?.release === '2'
  expect(await story.until(() => isPublished('base') && isPublished('web'))).toBe(true)
  Object.assign(story, { release })
  return story
}

const letGo = (story: Story): Promise<void> => (story as unknown as { release(): Promise<void> }).release()

const BATCHES = { strategy: 'Staged', maxUnavailable: '100%', batches: { size: '30%', minClusters: 5 } }

describe('a release over two modules, one in parts', () => {
  it.each([
    ['stages', STAGED],
    ['batches', BATCHES],
  ])(
    'of %s: starts in the order of the plan, as widely as it says, and the plan writes nothing',
    async (parts, rollout) => {
      const story = await begun('plan-order', { rollout })
      const from = story.fleet.commits.length
      const plan = await planned(story)
      expect(toldBy(await planned(story))).toBe(toldBy(plan))
      expect(story.fleet.commits.length).toBe(from)
      expect(plan.modules.map((m) => [m.ref.name, m.end.phase])).toEqual([
        ['base', 'Complete'],
        ['web', 'Complete'],
      ])
      if (parts === 'stages') expect(order(plan, 'web')[0]!.every((c) => c === 'c3' || c === 'c7')).toBe(true)
      else expect(order(plan, 'web').map((step) => step.length)).toEqual([3, 3, 3, 1])
      await letGo(story)
      expect(await story.until(() => story.isReady('web', '2') && story.isReady('base', '2'), 900)).toBe(true)
      for (const module of ['base', 'web']) {
        const steps = order(plan, module)
        expect(steps.flat().length, module).toBe(CLUSTERS.length)
        expect(grouped(observed(story, from, module), steps), module).toEqual(steps)
        const most = plan.modules.find((m) => m.ref.name === module)!.widest
        expect(widest(story, from, module), module).toBe(most)
      }
      if (parts === 'stages') return
      // At rest nothing is counted anew.
      const names = story.see('web').status!.rollout!.stages!.map((s) => s.name)
      expect(names).toEqual(['batch-1', 'batch-2', 'batch-3', 'batch-4'])
      await story.pass(60)
      const rest = story.fleet.commits.length
      await story.pass(600)
      expect(story.fleet.commits.slice(rest).filter((c) => c.resource === 'modules.lockstep.dev')).toEqual([])
    },
  )
})

describe('people, soaks and windows', () => {
  const stages = [
    { name: 'canary', clusters: ['c1'], soakSeconds: 3600, approval: 'Required' },
    { name: 'rest', clusterSelector: {}, approvalBefore: 'Required' },
  ]

  it('names the consents it takes for granted, and when the rest starts', async () => {
    const story = await begun('plan-consent', { rollout: { ...STAGED, stages } })
    const plan = await planned(story)
    expect(plan.approvals.map((a) => [a.module.name, a.stage, a.point])).toEqual([
      ['web', 'canary', 'After'],
      ['web', 'rest', 'Before'],
    ])
    const rest = plan.starts.filter((s) => s.module.name === 'web' && s.stage === 'rest')
    expect(rest[0]!.afterMs).toBe(3_600_000)
    await letGo(story)
    const began = story.fleet.env.clock.steady()
    const revisionHash = story.see('web').status!.currentRevision!
    for (const [stage, point] of [
      ['canary', 'After'],
      ['rest', 'Before'],
    ] as const) {
      const body = {
        apiVersion: API_VERSION,
        kind: 'Approval',
        metadata: { name: `${stage}`, namespace: NAMESPACE },
        spec: {
          targetRef: { kind: 'Module' as const, name: 'web' },
          stage,
          point,
          revisionHash,
          approvedBy: 'ann',
        },
      }
      must(await story.during(story.fleet.hub.create(approvalKind, body, USER)))
    }
    const from = story.fleet.commits.length
    expect(await story.until(() => observed(story, from, 'web').length > 1, 4000)).toBe(true)
    const seconds = (story.fleet.env.clock.steady() - began) / 1000
    expect(seconds).toBeGreaterThanOrEqual(3600)
    expect(seconds).toBeLessThan(3660)
  })

  it('waits for a window, and says so where none opens', async () => {
    const window = { schedule: '0 3 * * *', durationSeconds: 3600 }
    const story = await begun('plan-window', { rollout: { strategy: 'Replace', windows: [window] } })
    const plan = await planned(story)
    const [first] = plan.starts.filter((s) => s.module.name === 'web')
    const opens = new Date(story.fleet.env.clock.now() + first!.afterMs)
    expect([opens.getUTCHours(), opens.getUTCMinutes()]).toEqual([3, 0])
    expect(first!.clusters.length).toBe(CLUSTERS.length)
  })

  it.each([
    ['an expression that stays false', { gateExpr: 'stage.done > 5' }, 'StageGate'],
    ['an expression that fails', { gateExpr: 'stage.done / 0 == 1' }, 'StageGate'],
  ])('%s is where it ends, with the reason', async (_, stage, reason) => {
    const stages = [
      { name: 'canary', clusters: ['c1'], ...stage },
      { name: 'rest', clusterSelector: {} },
    ]
    const story = await begun('plan-stuck', { rollout: { ...STAGED, stages } })
    const plan = await planned(story)
    const web = plan.modules.find((m) => m.ref.name === 'web')!
    expect(web.end.phase).not.toBe('Complete')
    expect(web.end.blockers.map((b) => b.reason)).toContain(reason)
    expect(plan.starts.filter((s) => s.module.name === 'web').flatMap((s) => s.clusters)).toEqual(['c1'])
  })

  it('clusters that do not answer prove nothing in a plan either', async () => {
    const story = await begun('plan-silent', { rollout: STAGED })
    const { net } = story.fleet.env
    for (const c of ['c3', 'c7']) {
      net.unserve(`https://${c}.test`)
      net.wire(`https://${c}.test`, undefined)
    }
    const isLost = (c: string): boolean =>
      story.manager.hub.assemblages.store.get({ namespace: NAMESPACE, name: c })?.status?.cluster ===
      'Unreachable'
    expect(await story.until(() => isLost('c3') && isLost('c7'), 400)).toBe(true)
    const plan = await planned(story)
    const web = plan.modules.find((m) => m.ref.name === 'web')!
    expect(web.end.blockers.map((b) => b.reason)).toContain('StageInconclusive')
    expect(plan.starts.filter((s) => s.module.name === 'web')).toEqual([])
  })
})

describe('a DisruptionBudget over two modules that do not know of each other', () => {
  it('keeps the plan to its clusters, and nothing waits for ever', async () => {
    const story = await begun('plan-budget', { rollout: { strategy: 'Replace' }, dependsOn: [] })
    const budget = {
      apiVersion: API_VERSION,
      kind: 'DisruptionBudget',
      metadata: { name: 'three', namespace: NAMESPACE },
      spec: { clusterSelector: {}, maxUnavailable: 3 },
    }
    must(await story.during(story.fleet.hub.create(disruptionBudgetKind, budget as never, USER)))
    await story.pass(1)
    const plan = await planned(story)
    expect(plan.budgets).toEqual([{ name: 'three', max: 3, clusters: CLUSTERS.length, widest: 3 }])
    expect(plan.modules.map((m) => m.end.phase)).toEqual(['Complete', 'Complete'])
    for (let step = 1; step <= plan.starts.at(-1)!.step; step++) {
      const at = plan.starts.filter((s) => s.step === step).flatMap((s) => s.clusters)
      expect(new Set(at).size).toBeLessThanOrEqual(3)
    }
  })
})
