import { expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import type { Hold, Inventory, Module } from '../../../api/kinds/index.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { moduleView } from './moduleview.ts'
import type { FleetSnapshot } from './snapshot.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const OLD = `v1:${'a'.repeat(64)}`
const NEW = `v1:${'b'.repeat(64)}`

const t = createTerminal(
  { color: false, unicode: true, live: false, wraps: false, width: 100 },
  { out() {}, err() {} },
)

/** Six clusters, complete; one of them is pinned. */
const module = (target: string): Stored<Module> =>
  ({
    kind: 'Module',
    metadata: { name: 'shop', namespace: 'platform' },
    spec: { targets: { clusterSelector: {} }, rollout: {} },
    status: {
      release: '2',
      currentRevision: NEW,
      clusters: { total: 6, ready: 5, pinned: 1 },
      rollout: { phase: 'Complete', revision: target },
      conditions: [{ type: 'Ready', status: 'True', reason: 'Complete' }],
    },
  }) as unknown as Stored<Module>

const hold = (spec: object, name = 'audit'): Stored<Hold> =>
  ({
    metadata: { name },
    spec: { targetRef: { kind: 'Module', name: 'shop' }, reason: 'audit', clusters: ['c1'], ...spec },
  }) as unknown as Stored<Hold>

const PIN = { action: 'Pin', revision: OLD }

const inventory = (revision: string, release: string): Stored<Inventory> =>
  ({
    metadata: { name: 'm.shop.c1' },
    spec: {
      moduleRef: { name: 'shop' },
      clusterRef: { name: 'c1' },
      admitted: { revision, release, serial: 1 },
    },
    status: { state: 'Ready', admittedSerial: 1 },
  }) as unknown as Stored<Inventory>

function linesOf(target: string, ...holds: Stored<Hold>[]): readonly string[] {
  const m = module(target)
  const s: FleetSnapshot = {
    modules: [m],
    inventories: [inventory(OLD, '1')],
    assemblages: [],
    foreign: [],
    clusters: [],
    holds,
    nowMs: NOW_MS,
  }
  return moduleView(t, s, m).lines
}

it('who is pinned is in the line of the numbers, with where and by whom', () => {
  for (const revision of [OLD, 'a'.repeat(10)]) {
    const lines = linesOf(NEW, hold({ ...PIN, revision }))
    expect(lines[1]).toMatch(/ 5\/6 {3}✔ complete, 1 pinned$/)
    expect(lines).toContain('Pinned: c1 at 1 (Hold audit: audit).')
  }
})

it('also where the fleet has gone back to just that', () => {
  expect(linesOf(OLD, hold(PIN))).toContain('Pinned: c1 at 1 (Hold audit: audit).')
})

it('not by a Hold that is over, pauses, or is on something else', () => {
  const others = [
    hold({ ...PIN, until: '2025-12-31T23:00:00Z' }),
    hold({ action: 'Pause' }),
    hold({ ...PIN, targetRef: { kind: 'Module', name: 'web' } }),
  ]
  for (const other of others) expect(linesOf(NEW, other).join('\n')).not.toContain('Pinned:')
  const both = linesOf(NEW, hold(PIN), hold({ action: 'Pause' }, 'pause'))
  expect(both.join('\n')).not.toContain('Pinned:')
})

it('of many the first four', () => {
  const clusters = ['c6', 'c5', 'c4', 'c3', 'c2', 'c1']
  expect(linesOf(NEW, hold({ ...PIN, clusters }))).toContain(
    'Pinned: c1, c2, c3, c4 and 2 more at 1 (Hold audit: audit).',
  )
})
