/** An assignment that a Hold overtakes before it is admitted: its slot is nobody else's until its record is gone. */
import { describe, expect, it } from 'vitest'
import type { Env } from '../../packages/kube/src/env/env.ts'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { at, isArray, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { type FaultPlan, spawn } from '../simulation/process.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { Slots } from './slots.ts'
import { deploymentManifest, Story } from './steps.ts'
import { isAdmissionWrite, isAssignmentWrite } from './unitwrites.ts'

const CLUSTERS = ['c0', 'c1', 'c2']
const ROLLOUT = { maxUnavailable: 1 }
/** A successor has the lease of a dead process, and has filled its caches. */
const TAKEOVER_S = 5
/** A slot that a crash leaves behind is free after so long. */
const LEFT_OVER_S = 60

/** Requests that wait until they are let go. */
class Gate {
  private readonly isHeld: (r: NetRequest) => boolean
  private readonly waiting: (() => void)[] = []
  isShut = true

  constructor(isHeld: (r: NetRequest) => boolean) {
    this.isHeld = isHeld
  }

  get count(): number {
    return this.waiting.length
  }

  open(): void {
    this.isShut = false
    for (const go of this.waiting.splice(0)) go()
  }

  around(env: Env): Env {
    const connect: Env['net']['connect'] = (target, by) => {
      const inner = env.net.connect(target, by)
      return {
        close: () => inner.close(),
        request: async (r) => {
          if (this.isShut && this.isHeld(r)) await new Promise<void>((go) => this.waiting.push(go))
          return inner.request(r)
        },
      }
    }
    return { ...env, net: { ...env.net, connect } }
  }
}

const isLedger = (r: NetRequest): boolean =>
  r.method === 'PUT' && /\/modules\/web\/status/.test(r.path) && (r.body ?? '').includes('"ledger"')

const ledgerOf = (o: KubeObject | undefined): string[] => {
  const found = o && at(o, 'status', 'rollout', 'ledger')
  return isArray(found) ? found.map((e) => String(at(e, 'cluster'))) : []
}

async function hold(story: Story, cluster: string): Promise<void> {
  const spec = {
    targetRef: { kind: 'Module' as const, name: 'web' },
    clusters: [cluster],
    action: 'Pause' as const,
    reason: 'test',
  }
  const metadata = { name: 'stop', namespace: NAMESPACE }
  const body = { apiVersion: API_VERSION, kind: 'Hold', metadata, spec }
  must(await story.during(story.fleet.hub.apply(holdKind, body, { ...USER, force: true })))
}

/** The first cluster is assigned to v2; its admission has been sent, and does not arrive. */
async function assigned(name: string, plan?: FaultPlan) {
  const story = await Story.begin(name, CLUSTERS, { delays: LIFELIKE })
  for (const n of [1, 2]) await story.config(`v${n}`, deploymentManifest('web', `web:${n}`))
  await story.module('web', 'v1', { rollout: { strategy: 'Replace' } })
  expect(await story.until(() => story.isReady('web'), 300)).toBe(true)
  story.manager.stop()
  const gate = new Gate(isAdmissionWrite(story.fleet))
  const process = plan && spawn(story.fleet.env, 'first', plan)
  story.manager = story.fleet.startController(gate.around(process?.env ?? story.fleet.env))
  await story.pass(5)
  const slots = new Slots(story, 'web')
  await story.module('web', 'v2', { rollout: ROLLOUT })
  expect(await story.until(() => gate.count > 0, 60)).toBe(true)
  return { story, slots, gate, process, first: slots.underWay()[0]! }
}

/** All are at v2, and are led back to v1; the admission of the first has been sent, and does not arrive. */
async function ledBack(name: string) {
  const story = await Story.begin(name, CLUSTERS, { delays: LIFELIKE })
  const revisions: string[] = []
  for (const n of [1, 2]) {
    await story.config(`v${n}`, deploymentManifest('web', `web:${n}`))
    await story.module('web', `v${n}`, { rollout: { strategy: 'Replace' } })
    expect(await story.until(() => story.isReady('web'), 300)).toBe(true)
    revisions.push(story.see('web').status!.currentRevision!)
  }
  story.manager.stop()
  const gate = new Gate(isAdmissionWrite(story.fleet))
  story.manager = story.fleet.startController(gate.around(story.fleet.env))
  await story.pass(5)
  const slots = new Slots(story, 'web')
  const [to, from] = revisions as [string, string]
  const undo = { from, to }
  await story.module('web', 'v2', { rollout: { ...ROLLOUT, undo } })
  expect(await story.until(() => gate.count > 0, 60)).toBe(true)
  return { story, slots, gate, undo, first: slots.underWay()[0]! }
}

/** The revision that is assigned. */
const assignedTo = (story: Story, cluster: string): unknown => story.assigned('web', cluster)?.revision

const moduleNow = async (story: Story) =>
  must(await story.during(story.fleet.hub.get(moduleKind, { namespace: NAMESPACE, name: 'web' }, USER)))

it('its assignment goes, which fences off its admission, and only then another cluster starts', async () => {
  const { story, slots, gate, first } = await assigned('order')
  const from = story.fleet.commits.length
  await hold(story, first)
  expect(await story.until(() => !slots.underWay().includes(first) && slots.underWay().length > 0, 30)).toBe(
    true,
  )
  const steps = story.fleet.commits.slice(from).flatMap(({ resource, key, next }) => {
    if (resource.startsWith('inventories')) return [`assigned ${key.split('.').at(-1)}`]
    if (!resource.startsWith('modules')) return []
    return [`ledger ${ledgerOf(next).join()}`]
  })
  const [second] = slots.underWay()
  const told = (step: string): number => steps.indexOf(step)
  expect(told(`assigned ${first}`)).toBeGreaterThanOrEqual(0)
  expect(told(`ledger ${second}`)).toBeGreaterThan(told(`assigned ${first}`))
  expect(told(`assigned ${second}`)).toBeGreaterThan(told(`ledger ${second}`))
  // What was sent before arrives now: it has lost.
  gate.open()
  await story.pass(60)
  const old = story.inventory('web', CLUSTERS.find((c) => c !== first && c !== second)!)
  expect(story.inventory('web', first)!.spec.admitted!.revision).not.toBe(
    story.see('web').status!.currentRevision,
  )
  expect(old).toBeDefined()
  expect(slots.most).toBe(1)
  await finish(story)
})

/** The Hold is gone: all come to v2. */
async function finish(story: Story): Promise<void> {
  const key = { namespace: NAMESPACE, name: 'stop' }
  must(await story.during(story.fleet.hub.delete(holdKind, key, USER)))
  expect(await story.until(() => story.isReady('web'), 600), JSON.stringify(story.blockers('web'))).toBe(true)
  await story.pass(30)
  expect(ledgerOf(await moduleNow(story))).toEqual([])
  expect(story.fleet.oracles.violations).toEqual([])
  expect(story.fleet.rollouts.problems).toEqual([])
}

it('overtaken by a newer release on its slot: the earlier admission loses its swap, and the newer one is written', async () => {
  const { story, slots, gate, first, undo } = await ledBack('overtaken')
  await story.config('v3', deploymentManifest('web', 'web:3'))
  await story.module('web', 'v3', { rollout: { ...ROLLOUT, undo } })
  const newest = () => story.see('web').status!.currentRevision!
  const isOvertaken = () => newest() !== undo.from && assignedTo(story, first) === newest()
  expect(await story.until(isOvertaken, 30)).toBe(true)
  const from = story.fleet.commits.length
  gate.open()
  expect(await story.until(() => story.isReady('web'), 600)).toBe(true)
  const admitted = story.fleet.commits
    .slice(from)
    .filter((c) => c.resource.startsWith('inventories') && c.key.endsWith(`.${first}`))
    .map((c) => at(c.next, 'spec', 'admitted', 'revision'))
  expect([...new Set(admitted)].filter((r) => r !== undo.from)).toEqual([newest()])
  expect(slots.most).toBe(1)
  expect(story.fleet.oracles.violations).toEqual([])
  expect(story.fleet.rollouts.problems).toEqual([])
})

describe.each([
  ['the ledger', () => isLedger, 2],
  ['an assignment', isAssignmentWrite, 2],
] as const)('its controller dies at a write of %s', (name, of, writes) => {
  const cases = Array.from({ length: writes }, (_, i) => [i + 1, false] as const)
  it.each([...cases, ...cases.map(([n]) => [n, true] as const)])(
    'number %i, arrived: %s: no slot is used twice, and none is lost',
    { timeout: 240_000 },
    async (write, after) => {
      let isCounting = false
      const plan: FaultPlan = {
        delayMs: 1,
        lossRate: 0,
        dropRate: 0,
        crash: { write, after, of: (r) => isCounting && isCounted(r) },
      }
      let isCounted: (r: NetRequest) => boolean = () => false
      const { story, slots, process, first } = await assigned(`${name} ${write} ${after}`, plan)
      isCounted = of(story.fleet)
      let died = false
      process!.onDeath(() => {
        died = true
      })
      isCounting = true
      await hold(story, first)
      expect(await story.until(() => died, 120)).toBe(true)
      await story.pass(TAKEOVER_S)
      story.manager = story.fleet.startController()
      const others = () => slots.underWay().filter((c) => c !== first)
      expect(await story.until(() => others().length > 0, TAKEOVER_S + LEFT_OVER_S)).toBe(true)
      expect(slots.most).toBe(1)
      await finish(story)
      expect(slots.most).toBe(1)
    },
  )
})
