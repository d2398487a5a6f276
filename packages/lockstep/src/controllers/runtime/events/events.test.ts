import { describe, expect, it, vi } from 'vitest'
import type { KubeClient } from '../../../../../kube/src/client/client.ts'
import { createSimEnv } from '../../../../../kube/src/env/sim/simenv.ts'
import type { KubernetesEvent } from '../../../../../kube/src/kinds/index.ts'
import type { ModuleStatus } from '../../../api/kinds/module/status.ts'
import { EventRecorder } from './eventrecorder.ts'
import { type EventNote, moduleEvents, unitEvents } from './events.ts'

const AT = '2026-01-01T00:00:00Z'
const ready = (status: 'True' | 'False') => [
  { type: 'Ready', status, reason: 'R', message: '', lastTransitionTime: AT },
]
const older = {
  type: 'ResolvedOlder',
  status: 'True',
  reason: 'ResolvedOlder',
  message: '^1 gives 1.2.2',
  lastTransitionTime: AT,
} as const
const status = (s: object): ModuleStatus => ({ sourceRevision: 'v2@sha1:1', ...s }) as ModuleStatus
const blocker = (reason: string) => ({
  reason,
  message: `${reason} it is`,
  since: AT,
})
const counts = { total: 2, ready: 2 }
const passing = (...stages: readonly object[]) => status({ rollout: { revision: 'v1:2', stages } })

const cases: readonly [string, ModuleStatus | undefined, ModuleStatus, readonly string[]][] = [
  [
    'a first revision',
    undefined,
    status({ currentRevision: 'v1:0123456789abc', release: 'r1' }),
    ['Normal Published: revision 0123456789 of release r1 (v2@sha1:1)'],
  ],
  [
    'the same again',
    status({ currentRevision: 'v1:0123456789' }),
    status({ currentRevision: 'v1:0123456789' }),
    [],
  ],
  [
    'a range that gives less than is published',
    status({}),
    status({ conditions: [older] }),
    ['Warning ResolvedOlder: ^1 gives 1.2.2'],
  ],
  ['the same, told before', status({ conditions: [older] }), status({ conditions: [older] }), []],
  [
    'ready everywhere at the next revision, with no status between',
    status({ rollout: { revision: 'v1:a' }, conditions: ready('True') }),
    status({
      currentRevision: 'v1:b',
      rollout: { revision: 'v1:b', release: '2' },
      conditions: ready('True'),
      clusters: counts,
    }),
    [
      'Normal Published: revision b (v2@sha1:1)',
      'Normal Complete: revision b of release 2 is ready on 2 of 2 clusters',
    ],
  ],
  [
    'ready everywhere',
    status({ currentRevision: 'v1:0123456789', conditions: ready('False') }),
    status({ currentRevision: 'v1:0123456789', conditions: ready('True'), clusters: counts }),
    ['Normal Complete: revision 0123456789 is ready on 2 of 2 clusters'],
  ],
  [
    'nowhere to be ready',
    undefined,
    status({ conditions: ready('True'), clusters: { total: 0, ready: 0 } }),
    [],
  ],
  [
    'a stage that was passed with nobody in it',
    passing({ name: 'canary', total: 2, completedAt: AT }, { name: 'second', total: 0 }),
    passing(
      { name: 'canary', total: 0, completedAt: AT },
      { name: 'second', total: 0, completedAt: AT },
      { name: 'rest', total: 0 },
    ),
    ['Normal StageEmpty: stage second has no clusters: spec.rollout.stages selects no cluster for it'],
  ],
  [
    'somebody has to act: told once for each reason',
    status({ blockers: [blocker('InvalidSpec')] }),
    status({ blockers: [blocker('InvalidSpec'), blocker('Halted'), blocker('Halted')] }),
    ['Warning Halted: Halted it is'],
  ],
  [
    'it passes by itself',
    undefined,
    status({ blockers: [blocker('RolloutLimit'), blocker('DependencyNotReady')] }),
    [],
  ],
]
const lines = (notes: readonly EventNote[]) => notes.map((n) => `${n.type} ${n.reason}: ${n.text}`)

it.each(cases)('%s', (_, before, after, expected) => {
  expect(lines(moduleEvents(before, after))).toEqual(expected)
})

it('a unit tells what was put right, once', () => {
  const lastDrift = { at: AT, message: 'ConfigMap app/a (deleted)' }
  expect(lines(unitEvents(undefined, { lastDrift }))).toEqual([
    'Normal DriftReverted: drift reverted: ConfigMap app/a (deleted)',
  ])
  expect(unitEvents({ lastDrift }, { lastDrift: { ...lastDrift } })).toEqual([])
  expect(unitEvents({ lastDrift }, { lastDrift: { ...lastDrift, at: '2026-01-01T00:00:09Z' } })).toHaveLength(
    1,
  )
})

it('a unit tells of its objects, not of what it depends on', () => {
  const on = [{ kind: 'Unit', name: 'b', namespace: 'platform', cluster: 'edge' }] as const
  const blockers = [blocker('ApplyFailed'), { ...blocker('ReleaseMismatch'), on, facts: { edge: 'b' } }]
  expect(lines(unitEvents(undefined, { blockers }))).toEqual(['Warning ApplyFailed: ApplyFailed it is'])
})

it('an Event that comes again within ten minutes is counted later, in its series; a note has at most 1024 bytes', async () => {
  const { recorder, events, counted, pass, about } = recording('announcer')
  const say = (uid: string, text = 'x') =>
    recorder.record(about(uid), [{ type: 'Warning', reason: 'ApplyFailed', action: 'Deliver', text, of: '' }])
  say('u1')
  say('u1', 'y')
  say('u2', 'ü'.repeat(900))
  await pass(9 * 60_000)
  say('u1')
  expect([events.length, counted]).toEqual([2, []])
  await pass(2 * 60_000)
  say('u1')
  expect(events.map((e) => e.note!.slice(0, 40))).toEqual(['x', 'ü'.repeat(40)])
  expect(counted).toEqual([`4 ${events[0]!.metadata.name}`])
  expect(new TextEncoder().encode(events[1]!.note!).length).toBeLessThanOrEqual(1024)
})

describe('names of Events', () => {
  const note = { type: 'Warning', reason: 'ApplyFailed', action: 'Deliver', text: 'x', of: 'c1' } as const

  it('are the same in each process, whatever their text and time', async () => {
    const one = recording('one process')
    const other = recording('another process')
    one.recorder.record(one.about('u'), [note])
    await other.pass(5000)
    other.recorder.record(other.about('u'), [{ ...note, text: 'y' }])
    expect(other.events[0]!.metadata.name).toBe(one.events[0]!.metadata.name)
    expect(other.events[0]!.eventTime).not.toBe(one.events[0]!.eventTime)
  })

  it.each([
    ['object', 'u2', note],
    ['reason', 'u', { ...note, reason: 'Forbidden' }],
    ['cause', 'u', { ...note, of: 'c2' }],
  ] as const)('differ by %s', (_, uid, other) => {
    const { recorder, events, about } = recording('names')
    recorder.record(about('u'), [note])
    recorder.record(about(uid), [other])
    expect(new Set(events.map((e) => e.metadata.name)).size).toBe(2)
  })

  it('are DNS names where the name of the object is cut', () => {
    const { recorder, events, about } = recording('long names')
    recorder.record(about('u', `${'a'.repeat(239)}-b`), [note])
    expect(events[0]!.metadata.name).toMatch(/^a{239}\.[0-9a-f]{10}$/)
  })
})

describe('an Event that the server', () => {
  const note = { type: 'Normal', reason: 'Published', action: 'Publish', text: 'x', of: 'a' } as const

  it('has of an earlier process, and that happens again: is counted', () => {
    const { recorder, counted, about } = recording('known event', ['AlreadyExists'])
    recorder.record(about('u'), [note])
    return vi.waitFor(() => expect(counted).toEqual([expect.stringMatching(/^2 web\./)]))
  })

  it('has deleted since: is created again', async () => {
    const { recorder, events, pass, about } = recording('expired event', [undefined, 'NotFound'])
    recorder.record(about('u'), [note])
    await pass(11 * 60_000)
    recorder.record(about('u'), [note])
    await pass(1000)
    expect(events.map((e) => e.metadata.name)).toEqual([events[0]!.metadata.name, events[0]!.metadata.name])
  })

  it('did not answer for: is tried again until it does, once every 10 seconds', async () => {
    const { recorder, events, counted, pass, about } = recording('lost event', [
      'Unreachable',
      'Server',
      'AlreadyExists',
    ])
    recorder.record(about('u'), [note])
    await pass(9_000)
    expect(events).toHaveLength(1)
    await pass(60_000)
    expect([events.length, counted]).toEqual([3, []])
  })

  it('refuses: is not tried again', async () => {
    const { recorder, events, pass, about } = recording('refused event', ['Forbidden'])
    recorder.record(about('u'), [note])
    await pass(60_000)
    expect(events).toHaveLength(1)
  })
})

describe('what a former leader may have written', () => {
  const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`
  const published = { type: 'Normal', reason: 'Published', action: 'Publish', text: 'x' } as const
  const warning = { type: 'Warning', reason: 'Halted', action: 'Rollout', text: 'x', of: '' } as const

  it('is written with the time at which it happened, after what happens now', async () => {
    const { recorder, events, pass, about } = recording('repeats')
    await pass(20 * 60_000)
    const many = Array.from({ length: 30 }, (_, i) => ({ ...published, of: `${i}`, at: at(5) }))
    recorder.repeat(about('u'), many)
    recorder.record(about('u'), [{ ...published, of: 'now' }])
    await pass(3000)
    expect(events).toHaveLength(31)
    expect(events[0]!.eventTime).toBe('2026-01-01T00:05:00.000000Z')
    expect(events.slice(0, 21).at(-1)!.eventTime).toMatch(/^2026-01-01T00:20:0/)
  })

  it('stays as it is where it exists, and has a line of the log only where it does not', async () => {
    const { recorder, env, events, counted, pass, about } = recording('existing', ['AlreadyExists'])
    recorder.repeat(about('u'), [
      { ...published, of: 'a' },
      { ...published, of: 'b' },
    ])
    await pass(1000)
    expect([events.length, counted]).toEqual([2, []])
    expect(env.lines.map((l) => l.fields.id)).toEqual([events[1]!.metadata.name])
  })

  it('is not written after an hour, when the server has deleted it, but for a warning that holds', async () => {
    const { recorder, events, pass, about } = recording('old')
    await pass(61 * 60_000)
    recorder.repeat(about('u'), [
      { ...published, of: '', at: at(0) },
      { ...warning, at: at(0) },
    ])
    await pass(1000)
    expect(events.map((e) => e.reason)).toEqual(['Halted'])
  })
})

it('two things of one text at one instant are two Events', async () => {
  const { recorder, events, pass, about } = recording('announcer of two')
  const note = { type: 'Warning', reason: 'ApplyFailed', action: 'Deliver', text: 'x' } as const
  recorder.record(about('u'), [
    { ...note, of: 'c1' },
    { ...note, of: 'c2' },
  ])
  await pass(1000)
  expect(new Set(events.map((e) => e.metadata.name)).size).toBe(2)
})

describe('Events of many objects at one instant', () => {
  const note = { type: 'Normal', reason: 'Published', action: 'Publish', text: 'x', of: '' } as const

  it('are written in turn, 20 a second, with the time at which they happened', async () => {
    const { recorder, events, pass, about } = recording('announcer of many')
    await pass(1000)
    for (let i = 0; i < 100; i++) recorder.record(about(`u${i}`), [note])
    expect(events).toHaveLength(20)
    await pass(999)
    expect(events).toHaveLength(20)
    await pass(2)
    expect(events).toHaveLength(40)
    await pass(3000)
    expect(events.map((e) => e.regarding!.uid)).toEqual(Array.from({ length: 100 }, (_, i) => `u${i}`))
    expect(new Set(events.map((e) => e.eventTime)).size).toBe(1)
  })

  it('beyond 1,000 that wait are dropped and counted; none is written after a stop', async () => {
    const { recorder, events, pass, about, stop } = recording('announcer of too many')
    for (let i = 0; i < 1500; i++) recorder.record(about(`u${i}`), [note])
    await pass(60_000)
    expect(events).toHaveLength(1020)
    recorder.record(about('u1499'), [note])
    expect(events.at(-1)!.note).toBe('x (1 Event suppressed before)')
    for (let i = 0; i < 30; i++) recorder.record(about(`later${i}`), [note])
    stop()
    await pass(60_000)
    expect(events).toHaveLength(1040)
  })
})

/** A recorder on a clock, the requests that it sent, and time that passes. `failures`: of the first requests, in order. */
function recording(name: string, failures: readonly (string | undefined)[] = []) {
  const env = createSimEnv(name)
  const events: KubernetesEvent[] = []
  const written: string[] = []
  const counted: string[] = []
  const left = [...failures]
  const answer = (value: unknown) => {
    const kind = left.shift()
    const ref = { group: '', kind: 'Event', name: 'e' }
    return kind === undefined
      ? { ok: true, value }
      : {
          ok: false,
          error: { kind, ref, verb: 'create', cluster: 'hub', wrote: 'no', message: '', status: 500 },
        }
  }
  const create = async (_: unknown, event: KubernetesEvent) => {
    events.push(event)
    written.push(`${event.reason}: ${event.note}`)
    return answer(event)
  }
  const patch = async (_: unknown, key: { name: string }, body: Pick<KubernetesEvent, 'series'>) => {
    const done = answer(body)
    if (done.ok) counted.push(`${body.series?.count} ${key.name}`)
    return done
  }
  const stopping = new AbortController()
  const recorder = new EventRecorder(env, { create, patch } as unknown as KubeClient, stopping.signal)
  const pass = async (ms: number): Promise<void> => {
    let isOver = false
    env.clock.at(env.clock.steady() + ms, () => {
      isOver = true
    })
    await env.clock.run(() => isOver)
  }
  const about = (uid: string, objectName = 'web') => ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name: objectName, namespace: 'platform', uid, resourceVersion: '1', creationTimestamp: AT },
  })
  return { env, recorder, events, written, counted, pass, about, stop: () => stopping.abort() }
}

it('200 drifts of 40 objects in ten minutes are at most 27 Events, the late ones with a count', async () => {
  const { recorder, written, pass, about } = recording('many drifts')
  for (let i = 0; i < 200; i++) {
    const lastDrift = { at: `${i}`, message: `ConfigMap app/c${i % 40} (deleted)` }
    recorder.record(about('u'), unitEvents(undefined, { lastDrift }))
    await pass(3000)
  }
  expect(written).toHaveLength(26)
  expect(written.at(-1)).toMatch(/\(30 Events suppressed before\)$/)
  recorder.record(about('other'), unitEvents(undefined, { lastDrift: { at: AT, message: 'x' } }))
  expect(written).toHaveLength(27)
})

it('each release within a minute has its Events, one that comes back too', async () => {
  const { recorder, written, pass, about } = recording('three releases')
  let before: ModuleStatus | undefined
  const next = (after: ModuleStatus) => {
    recorder.record(about('u'), moduleEvents(before, after))
    before = after
  }
  for (const [i, v] of ['a', 'b', 'a'].entries()) {
    const published = { currentRevision: `v1:${v}`, release: v, clusters: counts }
    const rollout = { revision: `v1:${v}`, release: v, startedAt: `2026-01-01T00:00:${10 + i}Z` }
    next(status({ ...published, rollout, conditions: ready('False'), blockers: [blocker('Halted')] }))
    next(status({ ...published, rollout, conditions: ready('True') }))
    await pass(10_000)
  }
  const each = (v: string) => [
    `Published: revision ${v} of release ${v} (v2@sha1:1)`,
    'Halted: Halted it is',
    `Complete: revision ${v} of release ${v} is ready on 2 of 2 clusters`,
  ]
  expect(written).toEqual(['a', 'b', 'a'].flatMap(each))
})

it('a blocker is the same with other counts and times, and another one with another object or name', () => {
  const of = (facts: object, name = 'web') => {
    const on = [{ kind: 'Object', name, object: { apiVersion: 'apps/v1', kind: 'Deployment' } }] as const
    return unitEvents(undefined, { blockers: [{ ...blocker('ApplyFailed'), on, facts } as never] })[0]?.of
  }
  const first = of({ n: 1, since: AT, detail: '0 of 3 replicas', release: '2026.10' })
  expect(of({ n: 2, since: '2026-01-02T00:00:00Z', detail: '1 of 3 replicas', release: '2026.10' })).toBe(
    first,
  )
  expect(of({ n: 1, since: AT, detail: '0 of 3 replicas', release: '2026.11' })).not.toBe(first)
  expect(of({ n: 1, since: AT, detail: '0 of 3 replicas', release: '2026.10' }, 'api')).not.toBe(first)
})

it('ready again after a warning is another Event than ready before it', () => {
  const at = (text: string) =>
    status({
      rollout: { revision: 'v1:a', startedAt: AT },
      clusters: counts,
      conditions: [{ ...ready('True')[0], lastTransitionTime: text }],
    })
  const ofs = ['2026-01-01T00:01:00Z', '2026-01-01T00:05:00Z'].map(
    (text) => moduleEvents(status({ conditions: ready('False') }), at(text))[0],
  )
  expect(ofs.map((n) => n?.reason)).toEqual(['Complete', 'Complete'])
  expect(ofs[0]?.of).not.toBe(ofs[1]?.of)
})
