import { describe, expect, it } from 'vitest'
import type { ModuleStatus } from '../../api/kinds/module/status.ts'
import { isUrgentStatus } from './urgentstatus.ts'

const entry = {
  cluster: 'c1',
  revision: 'v1:aa',
  stage: 'all',
  kind: 'Update',
  runSeconds: 0,
  readySeconds: 0,
} as const

const status = (over: Partial<ModuleStatus> = {}): ModuleStatus => ({
  observedGeneration: 1,
  currentRevision: 'v1:aa',
  bundle: 'v1:bb',
  ready: '0/1',
  updated: '0/1',
  rollout: { phase: 'Progressing', revision: 'v1:aa', ledger: [entry] },
  conditions: [],
  ...over,
})

const rollout = (over: Partial<NonNullable<ModuleStatus['rollout']>>) =>
  status({ rollout: { ...status().rollout!, ...over } })

const ready = (value: 'True' | 'False') => ({
  type: 'Ready',
  status: value,
  reason: 'x',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

describe('what is written at once', () => {
  it.each<[string, ModuleStatus]>([
    ['a start', rollout({ ledger: [entry, { ...entry, cluster: 'c2' }] })],
    ['a failure', rollout({ ledger: [{ ...entry, failed: 'deadline' }] })],
    ['a halt', rollout({ haltedAt: 'v1:aa' })],
    ['a phase', rollout({ phase: 'Complete' })],
    ['another revision', status({ currentRevision: 'v1:cc' })],
    ['a generation that was looked at', status({ observedGeneration: 2 })],
    ['a condition', status({ conditions: [ready('True')] })],
  ])('%s', (_, after) => {
    expect(isUrgentStatus(status(), after)).toBe(true)
  })

  it('the first status', () => {
    expect(isUrgentStatus(undefined, status())).toBe(true)
  })

  it('an end, where others wait for its place', () => {
    expect(isUrgentStatus(status(), rollout({ ledger: [] }), true)).toBe(true)
    expect(isUrgentStatus(status(), status(), true)).toBe(false)
  })
})

describe('what can wait', () => {
  it.each<[string, ModuleStatus]>([
    ['counters', status({ ready: '1/1' })],
    ['an end that nothing follows', rollout({ ledger: [] })],
    ['clocks of the ledger', rollout({ ledger: [{ ...entry, runSeconds: 30 }] })],
    [
      'blockers',
      status({
        blockers: [{ reason: 'RolloutLimit', message: 'y', since: '2026-01-01T00:00:00Z' }],
      }),
    ],
  ])('%s', (_, after) => {
    expect(isUrgentStatus(status(), after)).toBe(false)
  })
})
