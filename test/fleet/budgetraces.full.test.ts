/** Two modules, two DisruptionBudgets, one place: every order in which writes may reach the hub, and death at each of them. */
import { describe, expect, it } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { disruptionBudgetKind } from '../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { patience } from '../patience.ts'
import { spawn } from '../simulation/process.ts'
import { budget, budgetOf, peakOf, placesOf, seeBudget } from './budgets.ts'
import { type HeldWrite, scheduler } from './heldwrites.ts'
import { must, NAMESPACE, type SimFleet, simFleet } from './simfleet.ts'
import { USER } from './single.ts'
import { deploymentManifest, Story } from './steps.ts'
import { deathsOf, someOf } from './writedeaths.ts'

const BESIDE_MS = 300
/** Longer than a place is left to who waits longest, and than one that nobody confirms stays. */
const REST_MS = 100_000
const HOUR_MS = 3_600_000
const MOST_CHOICES = process.env.LOCKSTEP_EVERY_WRITE ? 9 : 3
/** So many writes schedule nothing that is one start. */
const MOST_WRITES = 200
const NEVER = { notice: [1, 10], start: [HOUR_MS, HOUR_MS] } as const
const NAMES = ['x', 'y']

const moduleOn = (name: string, cluster: string): KubeObject => ({
  apiVersion: API_VERSION,
  kind: 'Module',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    targets: { clusters: [cluster] },
    source: {
      inline: {
        objects: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name, namespace: 'default' },
            spec: {
              selector: { matchLabels: { app: name } },
              template: {
                metadata: { labels: { app: name } },
                spec: { containers: [{ name: 'main', image: `${name}:v1` }] },
              },
            },
          },
        ],
      },
    },
  },
})

/**
 * Requests of one process that take a place in a budget or a slot in a Module, or give one out as an assignment. A ledger whose
 * clocks alone have moved schedules nothing: two processes write them in turn, as long as the unit runs.
 */
function scheduling(): (r: NetRequest) => boolean {
  const ledgers = new Map<string, string>()
  return (r) => {
    if (r.method === 'GET') return false
    if (r.path.includes('/inventories')) return true
    if (!/(disruptionbudgets|modules)\/\w+\/status/.test(r.path)) return false
    const { rollout } = JSON.parse(r.body!).status
    if (rollout === undefined) return r.body!.includes('"ledger"')
    const entries = JSON.stringify((rollout.ledger ?? []).map((e: { cluster: string }) => e.cluster))
    const before = ledgers.get(r.path) ?? '[]'
    ledgers.set(r.path, entries)
    return entries !== before
  }
}

/** One order: which write goes first, each time that there are two to choose from. Says how many choices there were. */
async function play(processes: number, path: readonly number[]) {
  const fleet = await simFleet('budget races', ['c1', 'c2'], { delays: NEVER })
  const { clock } = fleet.env
  const held: HeldWrite[] = []
  for (let by = 0; by < processes; by++) scheduler(fleet, by, held, scheduling())
  await clock.run(() => false, 1000)
  const made = [
    ...NAMES.map((n) => fleet.hub.create(disruptionBudgetKind, budgetOf(n, { maxUnavailable: 1 }), USER)),
    ...['a', 'b'].map((n, i) => fleet.hub.create(moduleKind, moduleOn(n, `c${i + 1}`) as never, USER)),
  ]
  const order: number[] = []
  let choices = 0
  // Of two processes one of each; of one process any two.
  const isTwo = () => (processes === 1 ? held.length > 1 : new Set(held.map((h) => h.by)).size === 2)
  while ((await clock.run(() => held.length > 0, REST_MS)) === 'done') {
    await clock.run(isTwo, BESIDE_MS)
    const chosen = isTwo() && choices < MOST_CHOICES ? (path[choices++] ?? 0) : undefined
    const nth = chosen === undefined ? 0 : processes === 1 ? chosen : held.findIndex((h) => h.by === chosen)
    const [next] = held.splice(nth, 1)
    order.push(chosen ?? 2)
    if (order.length > MOST_WRITES) throw new Error(`no end after ${order.join('')}`)
    next!.go()
  }
  for (const m of made) must<unknown>(await m)
  return { fleet, choices, order: order.join('') }
}

/** The next path in order, after one with so many choices; undefined: that was the last. */
function after(path: readonly number[], choices: number): number[] | undefined {
  const all = Array.from({ length: choices }, (_, i) => path[i] ?? 0)
  const last = all.lastIndexOf(0)
  return last < 0 ? undefined : [...all.slice(0, last), 1]
}

async function startedIn(fleet: SimFleet): Promise<{ records: string[]; places: string[][] }> {
  const records = fleet.commits.flatMap((c) =>
    c.resource === 'inventories.lockstep.dev' && c.next && at(c.next, 'spec', 'assigned')
      ? [`Module/${at(c.next, 'spec', 'moduleRef', 'name')}@${at(c.next, 'spec', 'clusterRef', 'name')}`]
      : [],
  )
  const places = NAMES.map(async (name) =>
    placesOf(must(await fleet.hub.get(disruptionBudgetKind, { namespace: NAMESPACE, name }, USER))),
  )
  return { records: [...new Set(records)], places: await Promise.all(places) }
}

describe('two budgets with one place', () => {
  it.each([
    ['two modules of one process', 1],
    ['two processes', 2],
  ])(
    '%s: exactly one start, in whichever order their writes arrive',
    { timeout: patience(600_000) },
    async (_, n) => {
      const orders = new Set<string>()
      let path: number[] | undefined = []
      while (path) {
        const { fleet, choices, order } = await play(n, path)
        orders.add(order)
        const { records, places } = await startedIn(fleet)
        expect([order, records.length]).toEqual([order, 1])
        expect([order, ...places]).toEqual([order, records, records])
        expect(fleet.oracles.violations).toEqual([])
        path = after(path, choices)
      }
      // Both have to have wanted the place at once.
      expect(orders.size).toBeGreaterThan(MOST_CHOICES)
    },
  )
})

/** The first process dies at its n-th write; then nothing new of `a` may start; how long until `b` is there. */
async function death(write: number, isAfter: boolean) {
  const story = await Story.begin(`budget death ${write} ${isAfter}`, ['c1', 'c2'])
  for (const name of NAMES) await budget(story, name, { maxUnavailable: 1 })
  for (const m of ['a', 'b']) await story.config(m, deploymentManifest(m, `${m}:1`))
  await story.pass(2)
  story.manager.stop()
  const start = (what: string, crash?: { write: number; after: boolean }) => {
    const plan = { delayMs: 1, lossRate: 0, dropRate: 0, ...(crash ? { crash } : {}) }
    const process = spawn(story.fleet.env, what, plan)
    const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
    story.manager = startManager(
      process.env,
      createHttpClient(process.env, 'hub', hub, 'lockstep-controller'),
    )
    return process
  }
  const first = start('first', { write, after: isAfter })
  await story.module('a', 'a', { targets: { clusters: ['c1'] } })
  await story.pass(0.2)
  await story.module('b', 'b', { targets: { clusters: ['c2'] } })
  const isDead = await story.until(() => !first.alive, 30)
  const hold = {
    apiVersion: API_VERSION,
    kind: 'Hold',
    metadata: { name: 'h', namespace: NAMESPACE },
    spec: { targetRef: { kind: 'Module', name: 'a' }, action: 'Pause', reason: 'test' },
  }
  must(await story.during(story.fleet.hub.apply(holdKind, hold, { ...USER, force: true })))
  if (isDead) start('second')
  return { story, isDead }
}

describe('killed at any write', () => {
  it(
    'the place of what never started is free a minute later, and never is there one too many',
    async () => {
      let deaths = 0
      let leftOver = 0
      for (const isAfter of [false, true]) {
        const { first, step } = deathsOf(isAfter)
        for (let write = first; ; write += step) {
          const { story, isDead } = await death(write, isAfter)
          if (!isDead) break
          deaths++
          await story.pass(5)
          const places = placesOf(seeBudget(story, 'x'))
          if (places.includes('Module/a@c1') && story.inventory('a', 'c1') === undefined) leftOver++
          expect([write, isAfter, await story.until(() => story.isReady('b'), 75)]).toEqual([
            write,
            isAfter,
            true,
          ])
          must(
            await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'h' }, USER)),
          )
          expect(await story.until(() => story.isReady('a'), 30)).toBe(true)
          await story.pass(65)
          expect(NAMES.flatMap((n) => placesOf(seeBudget(story, n)))).toEqual([])
          expect(peakOf(story)).toBe(1)
          expect(story.fleet.oracles.violations).toEqual([])
        }
      }
      expect(deaths).toBeGreaterThan(someOf(20))
      // It has to have come to that: a place, and nobody who starts in it.
      expect(leftOver).toBeGreaterThan(0)
    },
    patience(300_000),
  )
})
