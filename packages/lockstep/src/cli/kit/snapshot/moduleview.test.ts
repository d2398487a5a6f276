import { expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import type { Module } from '../../../api/kinds/index.ts'
import { createTerminal } from '../terminal/terminal.ts'
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
