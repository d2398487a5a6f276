/** A controller that dies at the writes by which rollouts are led, or whose writes go wrong: it comes to the same end. */
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { at, type JsonValue } from '../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { patience } from '../patience.ts'
import { type Mishap, spawn } from '../simulation/process.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { Slots } from './slots.ts'
import { deploymentManifest, Story } from './steps.ts'
import { deathsOf } from './writedeaths.ts'

const CLUSTERS = ['c0', 'c1', 'c2', 'c3']
const MAX = 2
const STAGES = [
  { name: 'canary', clusters: ['c0'], soakSeconds: 20, approval: 'Required' },
  { name: 'rest', clusterSelector: {} },
]
const ROLLOUT = { strategy: 'Staged', maxUnavailable: MAX, stages: STAGES }
const OPTIONS = { health: { timeoutSeconds: 20 }, release: 'r1' }
const EVERY = process.env.LOCKSTEP_EVERY_WRITE === '1'
/** In a short run so many deaths at writes of one kind, and one of the mishaps. */
const MOST = EVERY ? Number.POSITIVE_INFINITY : 1
const MISHAPS: readonly Mishap[] = EVERY ? ['unsent', 'unanswered', 'late'] : ['unanswered']

const isStatus = (r: NetRequest): boolean => r.method === 'PUT' && /\/modules\/web\/status/.test(r.path)
const status = (r: NetRequest): string => (isStatus(r) ? (r.body ?? '') : '')

const isUnitWrite = (r: NetRequest): boolean =>
  /^P(OS|U)T$/.test(r.method) && /\/inventories(\/[^/?]+)?(\?|$)/.test(r.path)

/** The write admits the assignment, or it was admitted before. */
function isAdmitted({ body = '{}' }: NetRequest): boolean {
  const { spec } = JSON.parse(body)
  return at(spec, 'assigned', 'revision') === at(spec, 'admitted', 'revision')
}

/** Kinds of writes at which it dies. */
const WRITES: Readonly<Record<string, (r: NetRequest) => boolean>> = {
  'a ledger': (r) => status(r).includes('"ledger"'),
  'an assignment': (r) => isUnitWrite(r) && !isAdmitted(r),
  'a write to a cluster': (r) => r.method === 'PATCH' && /\/deployments\/web/.test(r.path),
  'an admission': (r) => isUnitWrite(r) && isAdmitted(r),
  'the latch of a halt': (r) => status(r).includes('"haltedAt"') && !status(r).includes('"cause":"Rollback"'),
  'a rollback': (r) => status(r).includes('"cause":"Rollback"'),
  'an undo': (r) => status(r).includes('"cause":"Undo"'),
}

async function begun(name: string): Promise<{ story: Story; slots: Slots }> {
  const story = await Story.begin(name, CLUSTERS, { delays: LIFELIKE })
  for (const n of [1, 2]) await story.config(`v${n}`, deploymentManifest('web', `web:${n}`))
  await story.config('dep', deploymentManifest('dep', 'dep:1'))
  await story.module('web', 'v1', { ...OPTIONS, rollout: { strategy: 'Replace' } })
  await story.module('dep', 'dep', { dependsOn: ['web'], release: 'r1', rollout: { strategy: 'Replace' } })
  expect(await story.until(() => story.isReady('web') && story.isReady('dep'), 300)).toBe(true)
  story.manager.stop()
  return { story, slots: new Slots(story, 'web') }
}

async function approve(story: Story): Promise<void> {
  const key = { namespace: NAMESPACE, name: 'web' }
  const module = must(await story.during(story.fleet.hub.get(moduleKind, key, USER)))
  const consent = {
    apiVersion: API_VERSION,
    kind: 'Approval',
    metadata: { name: 'yes', namespace: NAMESPACE },
    spec: {
      targetRef: { kind: 'Module' as const, name: 'web' },
      stage: 'canary',
      point: 'After' as const,
      revisionHash: module.status!.currentRevision!,
      approvedBy: 'ann',
    },
  }
  must(await story.during(story.fleet.hub.create(approvalKind, consent, USER)))
}

/** What people do, while controllers come and go; and what it has come to. */
type Play = (story: Story) => Promise<void>

const imageOf = (story: Story, cluster: string): unknown => {
  const spec = story.live(cluster, 'deployments.apps', 'web')?.spec as
    | { template: { spec: { containers: { image: string }[] } } }
    | undefined
  return spec?.template.spec.containers[0]?.image
}

/** A process that has just begun knows of no module yet. */
const statusOf = (story: Story) =>
  story.manager.hub.modules.store.get({ namespace: NAMESPACE, name: 'web' })?.status
const rollout = (story: Story) => statusOf(story)?.rollout

async function comesTo(story: Story, what: () => boolean): Promise<void> {
  expect(await story.until(what, 1500), JSON.stringify(statusOf(story)?.blockers)).toBe(true)
}

/** The canary is well; the rest fails, and all go back. */
const failing: Play = async (story) => {
  for (const c of ['c1', 'c2', 'c3'])
    story.fleet.clusters.get(c)!.world.fail({ image: 'web:2', outcome: 'ImagePull' })
  await story.module('web', 'v2', {
    ...OPTIONS,
    release: 'r2',
    rollout: { ...ROLLOUT, onFailure: 'Rollback' },
  })
  await comesTo(story, () => rollout(story)?.stages?.[0]?.soakSeconds !== undefined)
  await approve(story)
  await comesTo(story, () => rollout(story)?.phase === 'RolledBack')
}

/** All is well at 2, and somebody wants 1. */
const undone: Play = async (story) => {
  await story.module('web', 'v2', { ...OPTIONS, release: 'r2', rollout: ROLLOUT })
  await comesTo(story, () => rollout(story)?.stages?.[0]?.soakSeconds !== undefined)
  await approve(story)
  await comesTo(story, () => story.isReady('web', 'r2'))
  const { currentRevision, rollout: r } = story.see('web').status!
  const undo = { from: currentRevision!, to: r!.from!, reason: 'test' }
  const patch = { spec: { rollout: { undo } } } as unknown as JsonValue
  const key = { namespace: NAMESPACE, name: 'web' }
  must(await story.during(story.fleet.hub.patch(moduleKind, key, patch, USER)))
  await comesTo(story, () => rollout(story)?.cause === 'Undo' && story.isReady('web'))
}

/** Of a run that has ended: what is there, and what is said of it; without times. */
function endOf(story: Story): unknown {
  const { status: s } = story.see('web')
  return {
    images: CLUSTERS.map((c) => imageOf(story, c)),
    phase: s?.rollout?.phase,
    cause: s?.rollout?.cause,
    revision: s?.rollout?.revision,
    refused: s?.rollout?.refused,
    ready: s?.conditions?.map((c) => `${c.type} ${c.status} ${c.reason}`),
    blockers: s?.blockers?.map((b) => b.reason),
    ledger: (s?.rollout?.ledger ?? []).map((e) => `${e.cluster} ${e.failed === undefined}`),
    admitted: CLUSTERS.map((c) => story.inventory('web', c)?.spec.admitted?.revision),
  }
}

interface Crash {
  readonly write: number
  readonly after: boolean
  readonly of: (r: NetRequest) => boolean
  readonly instead?: Mishap
}

/** Whether it came to that write, and what all came to. */
async function play(name: string, what: Play, crash?: Crash): Promise<{ struck: boolean; end: unknown }> {
  const { story, slots } = await begun(name)
  const start = (who: string, plan?: Crash) => {
    const options = { delayMs: 1, lossRate: 0, dropRate: 0, ...(plan ? { crash: plan } : {}) }
    const process = spawn(story.fleet.env, who, options)
    const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
    story.manager = startManager(
      process.env,
      createHttpClient(process.env, 'hub', hub, 'lockstep-controller'),
    )
    return process
  }
  const first = start('first', crash)
  first.onDeath(() => {
    const { clock } = story.fleet.env
    clock.at(clock.steady() + 5000, () => void start('second'))
  })
  await story.pass(2)
  await what(story)
  await story.pass(60)
  expect(story.fleet.oracles.violations).toEqual([])
  expect(story.fleet.rollouts.problems).toEqual([])
  expect(story.fleet.rollouts.tested).toMatchObject({ I24: 1, I25: 1 })
  // On the way forward; what is down already costs nothing.
  expect(slots.most).toBeLessThanOrEqual(what === undone ? MAX : MAX + 1)
  return { struck: first.isStruck, end: endOf(story) }
}

describe.each([
  [
    'fails and goes back',
    failing,
    [
      'a ledger',
      'an assignment',
      'an admission',
      'a write to a cluster',
      'the latch of a halt',
      'a rollback',
    ],
  ],
  ['is undone', undone, ['a ledger', 'an assignment', 'an undo']],
] as const)('a rollout that %s, whose controller dies at', (name, what, kinds) => {
  const reference = play(`${name} reference`, what)
  it.each(kinds)('%s: the next one comes to the same end', { timeout: patience(600_000) }, async (kind) => {
    const { end } = await reference
    let deaths = 0
    // In a short run in turn: before the one, after the next.
    const isOdd = (kinds as readonly string[]).indexOf(kind) % 2 === 1
    for (const isAfter of EVERY ? [false, true] : [isOdd]) {
      const { first, step } = deathsOf(isAfter)
      for (let write = first, n = 0; n < MOST; write += step, n++) {
        const crash = { write, after: isAfter, of: WRITES[kind]! }
        const run = await play(`${name} ${kind} ${write} ${isAfter}`, what, crash)
        if (!run.struck) break
        deaths++
        expect([write, isAfter, run.end]).toEqual([write, isAfter, end])
      }
    }
    expect(deaths).toBeGreaterThan(0)
  })

  it.each(kinds)(
    '%s: it lives, and the write goes wrong: the same end',
    { timeout: patience(900_000) },
    async (kind) => {
      const { end } = await reference
      for (const instead of MISHAPS) {
        for (let write = 1; write <= MOST; write++) {
          const crash = { write, after: false, of: WRITES[kind]!, instead }
          const run = await play(`${name} ${kind} ${write} ${instead}`, what, crash)
          expect([write, instead, run.struck || write > 1, run.end]).toEqual([write, instead, true, end])
          if (!run.struck) break
        }
      }
    },
  )
})
