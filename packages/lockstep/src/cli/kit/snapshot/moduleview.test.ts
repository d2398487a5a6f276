import { expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import type { Hold, Inventory, Module } from '../../../api/kinds/index.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { cellOf } from './matrix.ts'
import { moduleView } from './moduleview.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const t = createTerminal(
  { color: false, unicode: true, live: false, wraps: false, width: 100 },
  { out() {}, err() {} },
)

it('a soak is as old as its last write, and says so beside how long it is since', () => {
  const blocker = { reason: 'Soaking', message: 'canary: 0s of 5s' }
  const m = {
    kind: 'Module',
    metadata: { name: 'shop', namespace: 'platform' },
    spec: { rollout: {} },
    status: {
      blockers: [{ ...blocker, since: new Date(NOW_MS - 4000).toISOString() }],
      rollout: {
        phase: 'Waiting',
        stage: 'canary',
        stages: [{ name: 'canary', total: 2, done: 2, failed: 0, unreachable: 0, pinned: 0, soakSeconds: 0 }],
      },
    },
  } as unknown as Stored<Module>
  const lists = { inventories: [], assemblages: [], foreign: [], clusters: [], holds: [] }
  const text = moduleView(t, { modules: [m], ...lists, nowMs: NOW_MS }, m).lines.join('\n')
  expect(text).toContain('soaked 0s at the last status')
  expect(text).toContain('canary: 0s of 5s at the last status, since 4s')
})

it('a terminating Module shows the clusters it was removed from, and a failed removal', () => {
  const inventoryOn = (name: string) =>
    ({
      metadata: { name: `m.shop.${name}`, namespace: 'platform' },
      spec: { moduleRef: { kind: 'Module', name: 'shop' }, clusterRef: { kind: 'Secret', name } },
    }) as unknown as Stored<Inventory>
  const m = {
    kind: 'Module',
    metadata: { name: 'shop', namespace: 'platform', deletionTimestamp: '2026-01-01T00:00:00Z' },
    spec: { rollout: {}, targets: { clusterSelector: {} } },
    status: {
      blockers: [{ reason: 'RemovalFailed', message: '1 of 3 clusters', since: '2026-01-01T00:00:00Z' }],
      conditions: [{ type: 'Stalled', status: 'True', reason: 'RemovalFailed', message: '' }],
      clusters: { total: 0, ready: 0 },
      rollout: {
        phase: 'Removing',
        removals: { total: 3 },
        ledger: [{ cluster: 'c1', kind: 'Remove', failed: 'denied' }],
      },
    },
  } as unknown as Stored<Module>
  // The Inventory of a deleted cluster does not count.
  const inventories = ['c1', 'c9'].map(inventoryOn)
  const clusters = [{ name: 'c1', labels: {} }] as unknown as readonly ClusterView[]
  const lists = { inventories, assemblages: [], foreign: [], clusters, holds: [], nowMs: NOW_MS }
  const view = moduleView(t, { modules: [m], ...lists }, m)
  expect(view.lines.join('\n')).toMatch(/2\/3 +■ removal failed/)
  expect(view.hasFailed).toBe(true)
  expect(cellOf({ modules: [m], ...lists }, m, 'c1').state).toBe('failed')
})

it('a stalled Module that waits is not one of which nothing failed', () => {
  const said = (stalled: string): string => {
    const m = {
      kind: 'Module',
      metadata: { name: 'shop', namespace: 'platform' },
      spec: { rollout: {}, targets: { clusterSelector: {} } },
      status: {
        currentRevision: 'v1:2222222222',
        conditions: [{ type: 'Stalled', status: stalled, reason: 'Deadlock', message: '' }],
        clusters: { total: 1, failed: 0 },
        rollout: { revision: 'v1:2222222222', phase: 'Waiting' },
      },
    } as unknown as Stored<Module>
    const clusters = [{ name: 'c1', labels: {} }] as unknown as readonly ClusterView[]
    const lists = { inventories: [], assemblages: [], foreign: [], clusters, holds: [], nowMs: NOW_MS }
    return moduleView(t, { modules: [m], ...lists }, m).lines.join('\n')
  }
  expect(said('False')).toMatch(/Not ready on c1\..*\nNothing failed\./)
  expect(said('True')).toMatch(/Not ready on c1\..*$/)
})

it('a pinned cluster at the revision of its pin is ready, and one that is kept at its first revision', () => {
  const module = (rollout: object) =>
    ({
      kind: 'Module',
      metadata: { name: 'shop', namespace: 'platform' },
      spec: { rollout, targets: { clusterSelector: {} } },
      status: { currentRevision: 'v1:2222222222', rollout: { revision: 'v1:2222222222', phase: 'Complete' } },
    }) as unknown as Stored<Module>
  const inventory = {
    metadata: { name: 'm.shop.c1', namespace: 'platform' },
    spec: {
      moduleRef: { kind: 'Module', name: 'shop' },
      clusterRef: { kind: 'Secret', name: 'c1' },
      admitted: { revision: 'v1:1111111111', serial: 1 },
    },
    status: { state: 'Ready', admittedSerial: 1 },
  } as unknown as Stored<Inventory>
  const pin = {
    metadata: { name: 'audit', namespace: 'platform' },
    spec: {
      targetRef: { kind: 'Module', name: 'shop' },
      action: 'Pin',
      revision: '1111111111',
      clusters: ['c1'],
    },
  } as unknown as Stored<Hold>
  const c1 = {
    name: 'c1',
    kind: 'Secret',
    labels: {},
    access: { type: 'Source' },
  } as unknown as ClusterView
  const cell = (m: Stored<Module>, holds: readonly Stored<Hold>[]) => {
    const lists = { inventories: [inventory], assemblages: [], foreign: [], clusters: [c1] }
    return cellOf({ modules: [m], ...lists, holds, nowMs: NOW_MS }, m, 'c1').state
  }
  expect([cell(module({}), [pin]), cell(module({ updates: 'Once' }), []), cell(module({}), [])]).toEqual([
    'ready',
    'ready',
    'waiting',
  ])
})

it('a deployed revision is not called complete while the Module is not ready', () => {
  const m = (status: 'True' | 'False', observedGeneration: number) =>
    ({
      kind: 'Module',
      metadata: { name: 'shop', namespace: 'platform', generation: 2 },
      spec: { rollout: {} },
      status: {
        rollout: { phase: 'Complete' },
        conditions: [{ type: 'Ready', status, reason: 'SourceUnreachable', observedGeneration }],
      },
    }) as unknown as Stored<Module>
  const lists = { inventories: [], assemblages: [], foreign: [], clusters: [], holds: [] }
  const line = (x: Stored<Module>) => moduleView(t, { modules: [x], ...lists, nowMs: NOW_MS }, x).lines[1]
  expect(line(m('True', 2))).toContain('✔ complete')
  expect(line(m('False', 2))).toContain('⏸ not ready: SourceUnreachable')
  expect(line(m('True', 1))).toContain('⏸ the last change is not published yet')
})
