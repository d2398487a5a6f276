import { expect, it } from 'vitest'
import type { NetRequest } from '../../../../../kube/src/env/net.ts'
import { err, ok } from '../../../../../kube/src/env/result.ts'
import { createSimEnv } from '../../../../../kube/src/env/sim/simenv.ts'
import { ownKinds } from '../../../api/registry.ts'
import { HubProbe } from './hubprobe.ts'

/** A hub that answers with these resources, with a status, or not at all. */
function stage(first: readonly string[] | number | undefined) {
  const env = createSimEnv('probe')
  let answer = first
  const asked: string[] = []
  const probe = new HubProbe(env, {
    connection: {
      request: async ({ path }: NetRequest) => {
        asked.push(path)
        if (answer === undefined) return err({ phase: 'connect', detail: 'away' } as const)
        const resources = typeof answer === 'number' ? [] : answer.map((name) => ({ name }))
        const nothing = {
          pieces: async function* () {},
          boundedPieces: async function* () {},
          lines: async function* () {},
        }
        const status = typeof answer === 'number' ? answer : 200
        return ok({ status, headers: {}, text: async () => ok(JSON.stringify({ resources })), ...nothing })
      },
      close: async () => {},
    },
  })
  const pass = (ms: number) => {
    env.clock.at(env.clock.steady() + ms, () => {})
    return env.clock.run(() => false, ms)
  }
  const set = (next: typeof answer): void => {
    answer = next
  }
  return { probe, pass, asked, set }
}

const ALL = ownKinds.flatMap((k) => [k.plural, `${k.plural}/status`])

it('asks at most once in 10 s, and answers from memory', async () => {
  const s = stage(ALL)
  expect(s.probe.problem()).toBe('not read yet')
  await s.pass(1)
  expect([s.probe.problem(), s.probe.problem(), s.asked]).toEqual([
    undefined,
    undefined,
    ['/apis/lockstep.dev/v1alpha1'],
  ])
  await s.pass(10_000)
  s.probe.problem()
  expect(s.asked).toHaveLength(2)
})

it.each([
  [
    'a kind that is not served',
    ALL.filter((n) => !n.startsWith('holds')),
    'holds.lockstep.dev not served; apply the CRDs of this version',
  ],
  [
    'no kind',
    404,
    `${ownKinds.map((k) => `${k.plural}.lockstep.dev`).join(', ')} not served; apply the CRDs of this version`,
  ],
])('%s is a problem', async (_, answer, problem) => {
  const s = stage(answer)
  s.probe.problem()
  await s.pass(1)
  expect(s.probe.problem()).toBe(problem)
})

it('an answer that is none changes nothing', async () => {
  const s = stage(ALL)
  s.probe.problem()
  for (const answer of [undefined, 503, 403]) {
    s.set(answer)
    await s.pass(10_000)
    s.probe.problem()
    await s.pass(1)
    expect(s.probe.problem()).toBeUndefined()
  }
})
