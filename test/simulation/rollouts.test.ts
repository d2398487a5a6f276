/** What the check of rollouts lets pass, and what not: single commits, at times of their own. */
import { describe, expect, it } from 'vitest'
import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { REQUEST_EXPIRY_MS } from '../../packages/lockstep/src/deliver/step/intents.ts'
import { Rollouts } from './rollouts.ts'

const [OLD, NEW, NEXT] = ['v1:0000000001', 'v1:0000000002', 'v1:0000000003']

/** A module `m` on a cluster `c`, of which three revisions were published one after the other; it is admitted at the second. */
class Watched {
  private readonly rollouts: Rollouts
  private readonly objects = new Map<string, KubeObject>()
  private ms = 0
  private assigned: object = {}
  private admitted: object | undefined

  constructor() {
    const time = () => this.ms
    this.rollouts = new Rollouts({ steady: time, now: time })
    for (const [i, r] of [OLD, NEW, NEXT].entries())
      this.commit('controllerrevisions.apps', { ...meta(`m-${r.slice(3)}`), revision: i + 1 })
    this.leads('Publish', NEW)
    this.record(NEW)
    this.admits(NEW)
  }

  pass(ms: number): void {
    this.ms += ms
  }

  leads(cause: string, revision: string, currentRevision = revision): void {
    this.commit('modules.lockstep.dev', {
      ...meta('m'),
      status: { currentRevision, rollout: { cause, revision } },
    })
  }

  record(revision: string): void {
    this.assigned = { revision, stage: 'all' }
    this.unit()
  }

  /** What is said about it. */
  admits(revision: string): readonly string[] {
    this.admitted = { revision }
    this.unit()
    return this.rollouts.problems
  }

  private unit(): void {
    const { assigned, admitted } = this
    const spec = {
      moduleRef: { name: 'm' },
      clusterRef: { name: 'c' },
      assigned,
      ...(admitted ? { admitted } : {}),
    }
    this.commit('inventories.lockstep.dev', { ...meta('m.m.c'), spec } as KubeObject)
  }

  private commit(resource: string, next: KubeObject): void {
    const key = `platform/${next.metadata.name}`
    const old = this.objects.get(`${resource} ${key}`)
    this.objects.set(`${resource} ${key}`, next)
    this.rollouts.see({ cluster: 'hub', resource, key, next, old } as unknown as CommitRecord)
  }
}

const meta = (name: string) => ({ metadata: { name, uid: name } }) as unknown as KubeObject

/** It is led back, by a record; then what is newest is published, and its record is in the place of that one. */
function overtaken(): Watched {
  const watched = new Watched()
  watched.leads('Undo', OLD, NEW)
  watched.record(OLD)
  watched.pass(50)
  watched.leads('Publish', NEXT)
  watched.record(NEXT)
  return watched
}

describe('I26: no unit moves to an older revision', () => {
  const violation = [`I26: m on c goes from ${NEW} back to ${OLD}`]

  it('unless it is led back', () => {
    const watched = new Watched()
    watched.leads('Undo', OLD, NEW)
    watched.record(OLD)
    expect(watched.admits(OLD)).toEqual([])
  })

  it('of itself', () => expect(new Watched().admits(OLD)).toEqual(violation))

  it('unless what was decided while it was led back is under way when something newer overtakes it', () => {
    const watched = overtaken()
    watched.pass(REQUEST_EXPIRY_MS)
    expect(watched.admits(OLD)).toEqual([])
    expect(watched.admits(NEXT)).toEqual([])
  })

  it('later than a request may be under way', () => {
    const watched = overtaken()
    watched.pass(REQUEST_EXPIRY_MS + 1)
    expect(watched.admits(OLD)).toEqual(violation)
  })
})
