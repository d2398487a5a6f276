import { expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import { blocked } from '../../../api/blocker.ts'
import type { Module } from '../../../api/kinds/index.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { widthOf } from '../terminal/texttable.ts'
import { drawWhy } from '../why/drawwhy.ts'
import { moduleView } from './moduleview.ts'
import { moduleWarnings } from './modulewarnings.ts'
import type { FleetSnapshot } from './snapshot.ts'

const AT = '2026-01-01T00:00:00Z'
const MESSAGE =
  "certs: certs sets no release; web may start before certs's next revision is published; set spec.release on both"

const condition = (type: string, status: string) => ({
  type,
  status,
  reason: type,
  message: type === 'Ready' ? '1 of 1 clusters ready' : MESSAGE,
  lastTransitionTime: AT,
})

const module = (...conditions: readonly object[]): Stored<Module> =>
  ({
    kind: 'Module',
    metadata: { name: 'web', namespace: 'platform' },
    spec: { targets: { hub: true } },
    status: { release: '1', clusters: { total: 1, ready: 1 }, rollout: { phase: 'Complete' }, conditions },
  }) as unknown as Stored<Module>

const snapshotOf = (m: Stored<Module>): FleetSnapshot => ({
  modules: [m],
  inventories: [],
  assemblages: [],
  foreign: [],
  holds: [],
  clusters: [],
  nowMs: Date.parse(AT),
})

const terminal = (o: { readonly wraps: boolean; readonly unicode?: boolean; readonly width?: number }) => {
  const out: string[] = []
  const look = { color: false, unicode: o.unicode ?? true, live: false, wraps: o.wraps, width: o.width ?? 80 }
  return { t: createTerminal(look, { out: (text) => out.push(text), err() {} }), out }
}

it('is what holds now, and no other condition', () => {
  const m = module(condition('Ready', 'True'), condition('ReleaseNotCompared', 'True'))
  expect(moduleWarnings(m)).toEqual([{ reason: 'ReleaseNotCompared', message: MESSAGE, since: AT }])
  expect(moduleWarnings(module(condition('ReleaseNotCompared', 'False')))).toEqual([])
})

it('is in the status of a module that is complete, and does not make it fail', () => {
  const m = module(condition('Ready', 'True'), condition('ReleaseNotCompared', 'True'))
  const { t } = terminal({ wraps: true })
  const { lines, facts, hasFailed } = moduleView(t, snapshotOf(m), m)
  const from = lines.findIndex((l) => l.startsWith('⚠ ReleaseNotCompared: certs: '))
  expect(lines.slice(from).join(' ').replace(/ +/g, ' ')).toContain(MESSAGE)
  for (const line of lines) expect([line.includes('\n'), widthOf(line) <= 80]).toEqual([false, true])
  expect(facts).toMatchObject({ warnings: [{ message: MESSAGE }] })
  expect(hasFailed).toBe(false)
})

const unit = { kind: 'Unit', name: 'shop-v2', cluster: 'c1' } as const
const handovers = [
  blocked('HandoverPending', [unit], { objects: 4, giver: 'shop-v1', receiver: 'shop-v2', cluster: 'c1' }),
  blocked('HandedOver', [unit], { objects: 2, owner: 'shop-v2', cluster: 'c1' }),
]

for (const { reason, message } of handovers)
  it(`is ${reason}, at each width`, () => {
    const m = module(condition('Ready', 'True'), { ...condition(reason, 'True'), message })
    for (const width of [60, 120]) {
      const { lines, facts, hasFailed } = moduleView(terminal({ wraps: true, width }).t, snapshotOf(m), m)
      const from = lines.findIndex((l) => l.startsWith(`⚠ ${reason}: `))
      expect(lines.slice(from).join(' ').replace(/ +/g, ' ')).toContain(message)
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
      expect(facts).toMatchObject({ warnings: [{ reason, message }] })
      expect(hasFailed).toBe(false)
    }
  })

it('is below what a unit waits for, and of one that is ready; in a pipe on one line', () => {
  const warned = module(condition('ReleaseNotCompared', 'True'))
  const { t } = terminal({ wraps: false })
  const warnings = moduleWarnings(warned)
  const tree = { namespace: 'platform', module: 'web', cluster: 'hub', has: '', wants: '', causes: [] }
  const behind = { clustersBehind: 0, modulesBehind: [], warnings }
  for (const state of ['waits', 'ready'] as const)
    expect(drawWhy(t, { ...tree, ...behind, state }, 0)).toContain(`⚠ ReleaseNotCompared: ${MESSAGE}`)
})

it('is ! where there are no glyphs', () => {
  const m = module(condition('ReleaseNotCompared', 'True'))
  const { t, out } = terminal({ wraps: true, unicode: false })
  for (const line of moduleView(t, snapshotOf(m), m).lines) t.print(line)
  expect(out.join('')).toContain('! ReleaseNotCompared: ')
})
