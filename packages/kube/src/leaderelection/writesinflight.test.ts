import { expect, it } from 'vitest'
import { createHttpClient } from '../client/httpclient.ts'
import { ok } from '../env/result.ts'
import { createSimEnv } from '../env/sim/simenv.ts'
import { configMapKind } from '../kinds/types.ts'
import { WritesInFlight } from './writesinflight.ts'

const BODY = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: 'a' } }
const WRITE = { purpose: 'user', manager: 'm' } as const

/** A server that answers when it is asked to. */
function slowClient() {
  const answers: (() => void)[] = []
  const client = createHttpClient(createSimEnv('writes'), 'hub', {
    request: () =>
      new Promise((resolve) =>
        answers.push(() =>
          resolve(
            ok({
              status: 409,
              headers: {},
              text: async () => ok('{}'),
              boundedPieces: async function* () {},
              pieces: async function* () {},
              lines: async function* () {},
            }),
          ),
        ),
      ),
    close: async () => {},
  })
  return { client, answers }
}

it('a process that stops waits for the writes in flight, and begins none', async () => {
  const { client, answers } = slowClient()
  const writes = new WritesInFlight()
  const guarded = writes.guard(client)
  const first = guarded.create(configMapKind, BODY, WRITE)
  await Promise.resolve()
  let isOver = false
  const closed = writes.close().then(() => {
    isOver = true
  })
  expect(
    await guarded.apply(configMapKind, BODY, { ...WRITE, precondition: 'any', force: true }),
  ).toMatchObject({
    ok: false,
    error: {
      kind: 'Aborted',
      wrote: 'no',
      verb: 'apply',
      ref: { kind: 'ConfigMap', namespace: 'n', name: 'a' },
    },
  })
  expect([answers.length, isOver]).toEqual([1, false])
  answers[0]!()
  expect(await first).toMatchObject({ ok: false })
  await closed
})

it('a write that throws ends, too', async () => {
  const writes = new WritesInFlight()
  await expect(writes.track(() => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
  await writes.close()
})

it('reads continue', async () => {
  const { client, answers } = slowClient()
  const writes = new WritesInFlight()
  await writes.close()
  void writes.guard(client).get(configMapKind, BODY.metadata, WRITE)
  expect(answers).toHaveLength(1)
})
