/** Writes of statuses: their number, their times, and conflicts; one table for embedded and for real API servers. */
import { expect } from 'vitest'
import {
  type CaseContext,
  type ClientCase,
  established,
  READ,
  value,
  WRITE,
} from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import type { Clock } from '../../packages/kube/src/env/env.ts'
import { silentLog } from '../../packages/kube/src/env/log/silentlog.ts'
import { crdKind } from '../../packages/kube/src/kinds/types.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { ownCrds } from '../../packages/lockstep/src/api/crd/crd.ts'
import {
  type RemoteAssemblage,
  type RemoteAssemblageStatus,
  remoteAssemblageKind,
} from '../../packages/lockstep/src/api/kinds/index.ts'
import type { EventNote } from '../../packages/lockstep/src/controllers/runtime/events/events.ts'
import {
  type StatusTargets,
  StatusWriter,
} from '../../packages/lockstep/src/controllers/runtime/statuswriter.ts'

interface UpdateOptions {
  readonly debounceMs?: number
  readonly spacingMs?: number
  readonly urgent?: (before: RemoteAssemblageStatus | undefined, after: RemoteAssemblageStatus) => boolean
  readonly events?: () => readonly EventNote[]
}

const CRD = 'remoteassemblages.lockstep.dev'

/** One RemoteAssemblage on a server, and a writer whose cache and clock are variables. */
class WriterStory {
  readonly client: KubeClient
  readonly writer: StatusWriter
  readonly notes: EventNote[] = []
  readonly key: { readonly namespace: string; readonly name: string }
  cached: Stored<RemoteAssemblage>
  /** Requests that the server answered. */
  writes = 0
  /** Milliseconds of a write. */
  writeMs = 0
  private nowMs = 0

  private constructor(client: KubeClient, made: Stored<RemoteAssemblage>) {
    this.client = client
    this.cached = made
    this.key = { namespace: made.metadata.namespace ?? '', name: made.metadata.name }
    const assemblages = {
      kind: remoteAssemblageKind,
      observeWrite: (o: Stored<RemoteAssemblage>) => {
        this.cached = o
      },
    }
    const clock = { steady: () => this.nowMs } as Clock
    const recorder = { record: (_: Stored, notes: readonly EventNote[]) => void this.notes.push(...notes) }
    const targets = { assemblages } as unknown as StatusTargets
    this.writer = new StatusWriter({ clock, log: silentLog }, this.countingClient(), targets, recorder)
  }

  static async begin({ client, namespace }: CaseContext): Promise<WriterStory> {
    const crd = ownCrds().find((c) => (c.metadata as { name: string }).name === CRD)
    value(await client.apply(crdKind, crd as never, { ...WRITE, precondition: 'any', force: true }))
    await established(client, CRD)
    const body: RemoteAssemblage = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'RemoteAssemblage',
      metadata: { namespace, name: 'c1' },
      spec: { clusterRef: { kind: 'Secret', name: 'c1' } },
    }
    return new WriterStory(client, value(await client.create(remoteAssemblageKind, body, WRITE)))
  }

  private countingClient(): Pick<KubeClient, 'update' | 'patch'> {
    const { client } = this
    const counted = async <T extends { readonly ok: boolean }>(sent: Promise<T>): Promise<T> => {
      const answer = await sent
      this.nowMs += this.writeMs
      if (answer.ok) this.writes++
      return answer
    }
    return {
      update: (...args) => counted(client.update(...args)),
      patch: (...args) => counted(client.patch(...args)),
    } as Pick<KubeClient, 'update' | 'patch'>
  }

  /** One call of the writer. */
  update(over: RemoteAssemblageStatus, options: UpdateOptions = {}, object = this.cached) {
    return this.writer.update('assemblages', object, over, options)
  }

  pass(ms: number): void {
    this.nowMs += ms
  }

  async stored(): Promise<Stored<RemoteAssemblage>> {
    return value(await this.client.get(remoteAssemblageKind, this.key, READ))
  }
}

const ready = (n: number): RemoteAssemblageStatus => ({ observedGeneration: 1, ready: `${n}/100` })

export const statusWriterCases: readonly ClientCase[] = [
  {
    name: '100 changes in one second, none of them urgent: one write',
    async run(c) {
      const story = await WriterStory.begin(c)
      const results = []
      for (let n = 0; n < 100; n++) {
        results.push(await story.update(ready(n), { debounceMs: 1000 }))
        story.pass(10)
      }
      results.push(await story.update(ready(100), { debounceMs: 1000 }))
      expect(story.writes).toBe(1)
      expect(results.filter((r) => r.isWritten)).toHaveLength(1)
      expect((await story.stored()).status?.ready).toBe('100/100')
      // The first difference sets the time of the write, and each reconcile comes back for the rest.
      expect(results[0]).toMatchObject({ ok: true, requeueAfterMs: 1000 })
      expect(results[50]!.requeueAfterMs).toBe(500)
      expect(results.slice(0, -1).every((r) => r.requeueAfterMs! >= 1)).toBe(true)
    },
  },
  {
    name: 'progress waits longer while writes take long, at most ten times; an urgent change does not',
    async run(c) {
      const story = await WriterStory.begin(c)
      story.writeMs = 10_000
      const waitMs = async (n: number) => (await story.update(ready(n), { debounceMs: 1000 })).requeueAfterMs
      expect(await waitMs(1)).toBe(1000)
      for (let n = 2; n < 10; n++) await story.update(ready(n))
      expect(await waitMs(10)).toBe(10_000)
      expect(await story.update(ready(11), { debounceMs: 1000, urgent: () => true })).toMatchObject({
        isWritten: true,
      })
      story.writeMs = 1
      for (let n = 12; n < 60; n++) await story.update(ready(n))
      expect(await waitMs(60)).toBe(1000)
    },
  },
  {
    name: 'an urgent change is written by the same reconcile',
    async run(c) {
      const story = await WriterStory.begin(c)
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
      expect((await story.stored()).status).toEqual({ ...ready(2), clusterUid: 'u1' })
    },
  },
  {
    name: 'a conflict loses no field, and asks for the conflict back-off',
    async run(c) {
      const story = await WriterStory.begin(c)
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
      expect((await story.stored()).status).toEqual({ ...ready(1), clusterUid: 'u1' })
      const again = await story.update({ ...story.cached.status!, ready: '2/100' })
      expect(again.isWritten).toBe(true)
      expect((await story.stored()).status).toEqual({ ...ready(2), clusterUid: 'u1' })
    },
  },
  {
    name: 'an equal status is not written, and ends the debounce',
    async run(c) {
      const story = await WriterStory.begin(c)
      await story.update(ready(1))
      expect(story.writes).toBe(1)
      const { resourceVersion } = (await story.stored()).metadata
      for (let n = 0; n < 20; n++) {
        expect(await story.update(ready(1), { debounceMs: 1000 })).toMatchObject({
          ok: true,
          isWritten: false,
        })
        story.pass(500)
      }
      expect(story.writes).toBe(1)
      expect((await story.stored()).metadata.resourceVersion).toBe(resourceVersion)
      await story.update(ready(2), { debounceMs: 1000 })
      story.pass(900)
      await story.update(ready(1), { debounceMs: 1000 })
      story.pass(900)
      // The difference began again.
      expect(await story.update(ready(3), { debounceMs: 1000 })).toMatchObject({ requeueAfterMs: 1000 })
      expect(story.writes).toBe(1)
    },
  },
  {
    name: 'spaced writes: the first one at once, the next one when the time since it has passed',
    async run(c) {
      const story = await WriterStory.begin(c)
      expect((await story.update(ready(1), { spacingMs: 1000 })).isWritten).toBe(true)
      story.pass(400)
      const held = await story.update(ready(2), { spacingMs: 1000 })
      expect([held.isWritten, held.requeueAfterMs]).toEqual([false, 600])
      story.pass(600)
      expect((await story.update(ready(3), { spacingMs: 1000 })).isWritten).toBe(true)
      expect(story.writes).toBe(2)
    },
  },
  {
    name: 'a patch keeps the fields of other writers, and removes its own',
    async run(c) {
      const story = await WriterStory.begin(c)
      await story.update({ ...ready(1), clusterUid: 'u1' })
      const next = await story.writer.patch('assemblages', story.cached, { observedGeneration: 1 })
      expect(next).toMatchObject({ isWritten: true })
      expect((await story.stored()).status).toEqual({ observedGeneration: 1 })
    },
  },
  {
    name: 'a write records Events, a debounce does not',
    async run(c) {
      const story = await WriterStory.begin(c)
      const note: EventNote = {
        type: 'Normal',
        reason: 'Complete',
        action: 'Rollout',
        text: 'ready',
        of: 'r1',
      }
      const options = { debounceMs: 1000, events: () => [note] }
      await story.update(ready(1), options)
      expect(story.notes).toEqual([])
      story.pass(1000)
      await story.update(ready(1), options)
      expect(story.notes).toEqual([note])
    },
  },
  {
    name: 'a later object of the same name waits from its own first difference',
    async run(c) {
      const story = await WriterStory.begin(c)
      await story.update(ready(1), { debounceMs: 1000 })
      story.pass(900)
      story.writer.forget('assemblages', story.key)
      expect(await story.update(ready(2), { debounceMs: 1000 })).toMatchObject({ requeueAfterMs: 1000 })
    },
  },
]
