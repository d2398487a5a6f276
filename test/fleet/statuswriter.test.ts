/** Writes of statuses: their number, their times, and conflicts. */
import { expect, it } from 'vitest'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import {
  type RemoteAssemblage,
  type RemoteAssemblageStatus,
  remoteAssemblageKind,
} from '../../packages/lockstep/src/api/kinds/index.ts'
import type { EventNote } from '../../packages/lockstep/src/controllers/runtime/events.ts'
import {
  type StatusTargets,
  StatusWriter,
} from '../../packages/lockstep/src/controllers/runtime/statuswriter.ts'
import { clientOf, must, NAMESPACE, type SimFleet, simFleet } from './simfleet.ts'

const KEY = { namespace: NAMESPACE, name: 'c1' }
const USER = { purpose: 'user', manager: 'user' } as const

interface UpdateOptions {
  readonly debounceMs?: number
  readonly spacingMs?: number
  readonly urgent?: (before: RemoteAssemblageStatus | undefined, after: RemoteAssemblageStatus) => boolean
  readonly events?: () => readonly EventNote[]
}

/** One RemoteAssemblage on a hub, and a writer whose cache is a variable. */
class WriterStory {
  readonly fleet: SimFleet
  readonly hub: KubeClient
  readonly writer: StatusWriter
  readonly notes: EventNote[] = []
  cached: Stored<RemoteAssemblage>

  private constructor(fleet: SimFleet, hub: KubeClient, made: Stored<RemoteAssemblage>) {
    this.fleet = fleet
    this.hub = hub
    this.cached = made
    const assemblages = {
      kind: remoteAssemblageKind,
      observeWrite: (o: Stored<RemoteAssemblage>) => {
        this.cached = o
      },
    }
    const recorder = { record: (_: Stored, notes: readonly EventNote[]) => void this.notes.push(...notes) }
    this.writer = new StatusWriter(fleet.env, hub, { assemblages } as unknown as StatusTargets, recorder)
  }

  static async begin(name: string): Promise<WriterStory> {
    const fleet = await simFleet(name, [])
    const hub = clientOf(fleet.env, 'hub', 'lockstep-controller')
    const body: RemoteAssemblage = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'RemoteAssemblage',
      metadata: KEY,
      spec: { clusterRef: { kind: 'Secret', name: 'c1' } },
    }
    const made = await during(fleet, fleet.hub.create(remoteAssemblageKind, body, USER))
    return new WriterStory(fleet, hub, must(made))
  }

  /** One call of the writer. */
  update(over: RemoteAssemblageStatus, options: UpdateOptions = {}, object = this.cached) {
    return during(this.fleet, this.writer.update('assemblages', object, over, options))
  }

  async pass(ms: number): Promise<void> {
    await during(this.fleet, sleep(this.fleet.env.clock, ms))
  }

  /** Commits of the object since it was made. */
  get writes(): number {
    const of = this.fleet.commits.filter((c) => c.resource === 'remoteassemblages.lockstep.dev')
    return of.length - 1
  }

  async stored(): Promise<Stored<RemoteAssemblage>> {
    return must(await during(this.fleet, this.hub.get(remoteAssemblageKind, KEY, { purpose: 'user' })))
  }
}

async function during<T>(fleet: SimFleet, work: Promise<T>): Promise<T> {
  let isSettled = false
  void work.finally(() => {
    isSettled = true
  })
  await fleet.env.clock.run(() => isSettled)
  return work
}

const ready = (n: number): RemoteAssemblageStatus => ({ observedGeneration: 1, ready: `${n}/100` })

it('100 changes in one second, none of them urgent: one write', async () => {
  const story = await WriterStory.begin('status debounce')
  const results = []
  for (let n = 0; n < 100; n++) {
    results.push(await story.update(ready(n), { debounceMs: 1000 }))
    await story.pass(10)
  }
  results.push(await story.update(ready(100), { debounceMs: 1000 }))
  expect(story.writes).toBe(1)
  expect(results.filter((r) => r.isWritten)).toHaveLength(1)
  expect((await story.stored()).status?.ready).toBe('100/100')
  // The first difference sets the time of the write, and each reconcile comes back for the rest.
  expect(results[0]).toMatchObject({ ok: true, requeueAfterMs: 1000 })
  expect(results[50]!.requeueAfterMs).toBeLessThan(550)
  expect(results.slice(0, -1).every((r) => r.requeueAfterMs! >= 1)).toBe(true)
})

it('an urgent change is written by the same reconcile', async () => {
  const story = await WriterStory.begin('status urgent')
  const options = {
    debounceMs: 1000,
    urgent: (before?: RemoteAssemblageStatus, after?: RemoteAssemblageStatus) =>
      before?.clusterUid !== after?.clusterUid,
  }
  expect(await story.update(ready(1), options)).toMatchObject({ isWritten: false })
  const written = await story.update({ ...ready(2), clusterUid: 'u1' }, options)
  expect(written).toMatchObject({ ok: true, isWritten: true, object: { status: { clusterUid: 'u1' } } })
  expect(written.requeueAfterMs).toBeUndefined()
  expect(story.writes).toBe(1)
})

it('a conflict loses no field, and asks for the conflict back-off', async () => {
  const story = await WriterStory.begin('status conflict')
  const old = story.cached
  await story.update({ ...ready(1), clusterUid: 'u1' })
  const lost = await story.update(ready(2), {}, old)
  expect(lost).toMatchObject({
    ok: true,
    isOvertaken: true,
    isWritten: false,
    object: old,
    error: { kind: 'FenceLost' },
  })
  expect((await story.stored()).status).toMatchObject({ ready: '1/100', clusterUid: 'u1' })
  const again = await story.update({ ...story.cached.status!, ready: '2/100' })
  expect(again.isWritten).toBe(true)
  expect((await story.stored()).status).toMatchObject({ ready: '2/100', clusterUid: 'u1' })
})

it('an equal status is not written, and ends the debounce', async () => {
  const story = await WriterStory.begin('status rest')
  await story.update(ready(1))
  expect(story.writes).toBe(1)
  for (let n = 0; n < 20; n++) {
    expect(await story.update(ready(1), { debounceMs: 1000 })).toMatchObject({ ok: true, isWritten: false })
    await story.pass(500)
  }
  expect(story.writes).toBe(1)
  await story.update(ready(2), { debounceMs: 1000 })
  await story.pass(900)
  await story.update(ready(1), { debounceMs: 1000 })
  await story.pass(900)
  // The difference began again.
  expect(await story.update(ready(3), { debounceMs: 1000 })).toMatchObject({ requeueAfterMs: 1000 })
  expect(story.writes).toBe(1)
})

it('spaced writes: the first one at once, the next one when the time since it has passed', async () => {
  const story = await WriterStory.begin('status spacing')
  expect((await story.update(ready(1), { spacingMs: 1000 })).isWritten).toBe(true)
  await story.pass(400)
  const held = await story.update(ready(2), { spacingMs: 1000 })
  expect([held.isWritten, held.requeueAfterMs! <= 600]).toEqual([false, true])
  await story.pass(600)
  expect((await story.update(ready(3), { spacingMs: 1000 })).isWritten).toBe(true)
  expect(story.writes).toBe(2)
})

it('a patch keeps the fields of other writers, and removes its own', async () => {
  const story = await WriterStory.begin('status patch')
  await story.update({ ...ready(1), clusterUid: 'u1' })
  const next = during(story.fleet, story.writer.patch('assemblages', story.cached, { observedGeneration: 1 }))
  expect(await next).toMatchObject({ isWritten: true })
  expect((await story.stored()).status).toEqual({ observedGeneration: 1 })
})

it('a write records Events, a debounce does not', async () => {
  const story = await WriterStory.begin('status events')
  const note: EventNote = { type: 'Normal', reason: 'Complete', action: 'Rollout', text: 'ready' }
  const options = { debounceMs: 1000, events: () => [note] }
  await story.update(ready(1), options)
  expect(story.notes).toEqual([])
  await story.pass(1000)
  await story.update(ready(1), options)
  expect(story.notes).toEqual([note])
})

it('a later object of the same name waits from its own first difference', async () => {
  const story = await WriterStory.begin('status forget')
  await story.update(ready(1), { debounceMs: 1000 })
  await story.pass(900)
  story.writer.forget('assemblages', KEY)
  expect(await story.update(ready(2), { debounceMs: 1000 })).toMatchObject({ requeueAfterMs: 1000 })
})
