/** Edges that ask for the waves before one, and not for all of a module. */
import { describe, expect, it } from 'vitest'
import type { ModuleEdge, ModuleRef } from '../graph/moduleref.ts'
import { gate, targetGateDigest } from './gate.ts'
import type { Observation, PublishedRevision, UnitObservation } from './observation.ts'
import type { UnitTarget } from './rollback.ts'

const ref = (name: string): ModuleRef => ({ kind: 'Module', namespace: 'platform', name })
const edge = (name: string, more: Partial<ModuleEdge> = {}): ModuleEdge => ({
  id: name,
  to: ref(name),
  release: 'Same',
  optional: false,
  ...more,
})
const published = (revision: string, edges: readonly ModuleEdge[] = []): PublishedRevision => ({
  revision: `v1:${revision}`,
  release: 'r1',
  attempt: 0,
  edges,
})

/** A unit that is at `at`, of which everything before `doneBeforeWave` is done. */
type Facts = Partial<UnitObservation> & {
  readonly published: PublishedRevision
  readonly at?: PublishedRevision
}

function world(modules: Readonly<Record<string, Facts>>): Observation {
  const seen: Observation = {
    module: ({ name }) => {
      const { published: now } = modules[name] ?? {}
      return now && { published: now, edges: now.edges, isDeleting: false }
    },
    unit: ({ name }, cluster) => {
      const facts = modules[name]
      if (!facts) return undefined
      const { published: now, at = now, ...more } = facts
      const digest = targetGateDigest({ module: ref(name), cluster, published: at }, seen)
      const unit: UnitObservation = {
        uid: name,
        resourceVersion: '7',
        releases: [],
        healthy: false,
        current: true,
        admittedRevision: at.revision,
        admittedRelease: at.release,
        admittedGateDigest: digest,
        verifiedGateDigest: undefined,
        doneBeforeWave: undefined,
        detail: 'Subscription x: installing',
      }
      return { ...unit, ...more }
    },
    selects: () => true,
    home: () => undefined,
    silence: () => undefined,
    apart: () => undefined,
    object: () => ({ type: 'Absent' }),
    dependants: () => [],
    set: () => undefined,
    publishedBefore: () => false,
    nowMs: 0,
  }
  return seen
}

const app = (...edges: readonly ModuleEdge[]): UnitTarget => ({
  module: ref('app'),
  cluster: 'edge',
  published: published('app', edges),
})
const said = (unit: UnitTarget, seen: Observation): string[] => {
  const found = gate(unit, seen)
  return found.outcome === 'Open' ? ['Open'] : found.blockers.map((b) => `${b.reason}: ${b.message}`)
}
const GROUP = published('group')
const AT_5 = app(edge('group', { beforeWave: 5 }))
const WAITS =
  'DependencyNotReady: waiting for dependency group@r1 on edge: waves before 5 are not complete: Subscription x: installing'

describe('an edge that asks for the waves before one', () => {
  it.each([
    ['none is said to be done', {}, WAITS],
    ['fewer are', { doneBeforeWave: 4 }, WAITS],
    ['these are, and later ones not', { doneBeforeWave: 5 }, 'Open'],
    ['more are', { doneBeforeWave: 10 }, 'Open'],
    ['all of it is healthy, and nobody has said a wave', { healthy: true }, 'Open'],
  ] as const)('%s', (_, facts, expected) => {
    expect(said(AT_5, world({ group: { published: GROUP, ...facts } }))).toEqual([expected])
  })

  it('is closed again by a revision that is not admitted yet, and by one below that is', () => {
    const done = { doneBeforeWave: 5 }
    const next = world({ group: { published: published('next'), at: GROUP, ...done } })
    expect(said(AT_5, next)).toEqual([
      'DependencyNotStarted: waiting for dependency group@r1 on edge: not deployed',
    ])
    const above = published('group', [edge('base')])
    const admittedTo = { admittedGateDigest: 'v1:before', ...done }
    const base = { published: published('base'), healthy: true }
    const moved = world({ base, group: { published: above, ...admittedTo } })
    expect(said(AT_5, moved)).toEqual([
      'DependencyNotReady: waiting for dependency group@r1 on edge: not verified since base changed',
    ])
  })

  it('says in its evidence what the unit was admitted to, which its digest is made of', () => {
    const seen = world({ group: { published: GROUP, doneBeforeWave: 5 } })
    const found = gate(AT_5, seen)
    const gateDigest = targetGateDigest({ module: ref('group'), cluster: 'edge', published: GROUP }, seen)
    expect(found).toMatchObject({ evidence: [{ edge: 'group', uid: 'group', gateDigest }] })
    expect(found).toMatchObject({ gateDigest: targetGateDigest(AT_5, seen) })
  })

  it('is asked of who is apart, too, beside the group as it stands', () => {
    const apart = { ...AT_5, isApart: true }
    expect(said(apart, world({ group: { published: GROUP } }))).toEqual([WAITS])
    expect(said(apart, world({ group: { published: GROUP, doneBeforeWave: 5 } }))).toEqual(['Open'])
  })
})

describe('below what is needed as a whole', () => {
  /** `mid` was verified on a group that has come back to that revision since. */
  const mid = published('mid', [edge('group', { beforeWave: 5 })])
  const chain = (group: Partial<UnitObservation>): Observation => {
    const seen: Observation = world({ group: { published: GROUP, ...group }, mid: { published: mid } })
    const verified = targetGateDigest({ module: ref('mid'), cluster: 'edge', published: mid }, seen)
    const unit = seen.unit(ref('mid'), 'edge')!
    return {
      ...seen,
      unit: (r, c) =>
        r.name === 'mid' ? { ...unit, healthy: true, verifiedGateDigest: verified } : seen.unit(r, c),
    }
  }
  const top = app(edge('mid'))

  it.each([
    [
      'waves that are not done this time keep it closed',
      {},
      /mid@r1 on edge: not verified since group changed$/,
    ],
    ['waves that are done open it', { doneBeforeWave: 5 }, /^Open$/],
  ] as const)('%s', (_, group, expected) => {
    const [text] = said(top, chain(group))
    expect(text).toMatch(expected)
  })

  it('a unit counts for each wave that it is asked for', () => {
    const both = app(edge('mid'), edge('late'))
    const late = published('late', [edge('group', { beforeWave: 10 }), edge('mid')])
    const low = chain({ doneBeforeWave: 5 })
    const seen: Observation = {
      ...low,
      module: (r) =>
        r.name === 'late' ? { published: late, edges: late.edges, isDeleting: false } : low.module(r),
      unit: (r, c) => {
        if (r.name !== 'late') return low.unit(r, c)
        const verified = targetGateDigest({ module: r, cluster: c, published: late }, seen)
        return { ...low.unit(ref('mid'), c)!, admittedRevision: late.revision, verifiedGateDigest: verified }
      },
    }
    expect(said(both, seen)).toEqual([
      'DependencyNotReady: waiting for dependency late@r1 on edge: not verified since group changed',
    ])
    // The other way round within one list.
    const turned = published('late', [edge('mid'), edge('group', { beforeWave: 10 })])
    const again = {
      ...seen,
      module: (r: ModuleRef) =>
        r.name === 'late' ? { published: turned, edges: turned.edges, isDeleting: false } : low.module(r),
    }
    expect(said(both, again)[0]).toMatch(/^DependencyNotReady: waiting for dependency late/)
  })
})
