/** Two schedulers, two clusters, one slot: every order in which their writes may reach the hub. */
import { describe, expect, it } from 'vitest'
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { at, isArray, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { patience } from '../patience.ts'
import { type HeldWrite, scheduler } from './heldwrites.ts'
import { must, NAMESPACE, simFleet } from './simfleet.ts'

const WRITE = { purpose: 'user', manager: 'user' } as const
/** So long two that look at the same thing may be apart. */
const BESIDE_MS = 300
const REST_MS = 5000
const HOUR_MS = 3_600_000
/** Of both together; what comes after them goes as it comes. All orders of them are played. */
const MOST_CHOICES = process.env.LOCKSTEP_EVERY_WRITE ? 8 : 4

const TEMPLATE = {
  metadata: { labels: { app: 'shop' } },
  spec: { containers: [{ name: 'main', image: 'shop:v1' }] },
}

/** Nothing of it ever gets ready: the slot is never free again. */
const SHOP = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Module',
  metadata: { name: 'shop', namespace: NAMESPACE },
  spec: {
    source: {
      inline: {
        objects: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'shop', namespace: 'default' },
            spec: { selector: { matchLabels: { app: 'shop' } }, template: TEMPLATE },
          },
        ],
      },
    },
    targets: { clusterSelector: {} },
    rollout: { maxUnavailable: 1 },
  },
} as unknown as KubeObject

/** Slots are taken in the status of a module, and given out as assignments. */
const isScheduling = (r: NetRequest): boolean =>
  r.method !== 'GET' &&
  (r.path.includes('/inventories') || (/shop\/status/.test(r.path) && r.body!.includes('"ledger"')))

const NEVER = { notice: [1, 10], start: [HOUR_MS, HOUR_MS] } as const

/** One order: which of the two goes first, each time that both want to. Says how many choices there were. */
async function play(path: readonly number[]) {
  const fleet = await simFleet('one slot', ['c1', 'c2'], { delays: NEVER })
  const { clock } = fleet.env
  const held: HeldWrite[] = []
  for (const by of [0, 1]) scheduler(fleet, by, held, isScheduling)
  await clock.run(() => false, 1000)
  const made = fleet.hub.create(moduleKind, SHOP as never, WRITE)
  const order: number[] = []
  let choices = 0
  while ((await clock.run(() => held.length > 0, REST_MS)) === 'done') {
    await clock.run(() => new Set(held.map((h) => h.by)).size === 2, BESIDE_MS)
    const isChoice = new Set(held.map((h) => h.by)).size === 2 && choices < MOST_CHOICES
    const first = isChoice ? (path[choices++] ?? 0) : held[0]!.by
    const [next] = held.splice(
      held.findIndex((h) => h.by === first),
      1,
    )
    order.push(first)
    next!.go()
  }
  must(await made)
  return { fleet, choices, order: order.join('') }
}

/** The next path in order, after one with so many choices; undefined: that was the last. */
function after(path: readonly number[], choices: number): number[] | undefined {
  const all = Array.from({ length: choices }, (_, i) => path[i] ?? 0)
  const last = all.lastIndexOf(0)
  return last < 0 ? undefined : [...all.slice(0, last), 1]
}

const entries = (o: KubeObject, ...path: string[]) => {
  const found = at(o, ...path)
  return isArray(found) ? found : []
}

describe('two schedulers with one slot', () => {
  it('start exactly one cluster, in whichever order their writes arrive', {
    timeout: patience(600_000),
  }, async () => {
    const orders = new Set<string>()
    let path: number[] | undefined = []
    while (path) {
      const { fleet, choices, order } = await play(path)
      orders.add(order)
      const starts = fleet.commits.flatMap((c) =>
        c.resource === 'inventories.lockstep.dev' && at(c.next, 'spec', 'assigned') ? [c.key] : [],
      )
      const module = must(await fleet.hub.get(moduleKind, { namespace: NAMESPACE, name: 'shop' }, WRITE))
      const ledger = entries(module, 'status', 'rollout', 'ledger')
      expect([order, new Set(starts).size, ledger.length]).toEqual([order, 1, 1])
      expect(fleet.oracles.violations).toEqual([])
      path = after(path, choices)
    }
    // Both have to have wanted the slot at once, all the way.
    expect(orders.size).toBeGreaterThan(2 ** (MOST_CHOICES - 1))
  })
})
