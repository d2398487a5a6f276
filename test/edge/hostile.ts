/** One hostile answer in a fleet of two clusters: the controllers report it, and recover at its end. */
import { expect } from 'vitest'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { connectInProcess } from '../../packages/kube/src/env/inprocess.ts'
import { createSimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { supervise } from '../../packages/kube/src/env/supervise.ts'
import { at } from '../../packages/kube/src/object/json.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import {
  Incidents,
  SupervisedManager,
} from '../../packages/lockstep/src/controllers/manager/supervisedmanager.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'
import { publish, ready, reasons } from '../fleet/single.ts'
import { configManifest, Story } from '../fleet/steps.ts'
import { type HostileAnswer, hostileHandler, problemOf, type Target } from './hostile.cases.ts'

export interface HostileRow {
  readonly answer: HostileAnswer
  readonly target: Target
  readonly side: 'hub' | 'edge'
}

/** Requests that only one of two equal runs has: watches that begin a moment earlier, and the like. */
const SPARE = 10

/** `m` on `edge` and `other` on `calm`, delivered by controllers that start while `row` holds. */
export async function playHostile({ answer, target, side }: HostileRow): Promise<void> {
  const story = await Story.begin(`hostile ${side} ${target} ${answer.name}`, ['edge', 'calm'])
  const { env, hubApi, clusters } = story.fleet
  await publish(story, configManifest('mine', '1'), { targets: { clusters: ['edge'] } })
  await story.config('other', configManifest('other', '1'))
  await story.module('other', 'other', { targets: { clusters: ['calm'] } })
  await ready(story)
  expect(await story.until(() => story.isReady('other'))).toBe(true)
  story.manager.stop()

  let isOn = true
  const honest = side === 'hub' ? hubApi : clusters.get(side)!.api
  env.net.serve(
    `https://${side}.test`,
    hostileHandler(env, honest.handle, answer, target, () => isOn),
  )
  const requestsToCalm = countRequests(story, 'calm')
  const exceptions: unknown[] = []
  const managed = new SupervisedManager(env, new Incidents(), (scope) => {
    const client = createHttpClient(
      scope,
      'hub',
      scope.net.connect({ url: 'https://hub.test' }, 'operator'),
      'lockstep-controller',
    )
    return { manager: startManager(scope, client), close: () => client.close() }
  })
  supervise(env, async () => exceptions.push(await managed.ended))
  const from = story.fleet.commits.length
  await publish(story, configManifest('mine', '2'), { targets: { clusters: ['edge'] } })
  await story.config('other-2', configManifest('other', '2'))
  await story.module('other', 'other-2', { targets: { clusters: ['calm'] } })

  const isAt = (cluster: string, name: string, version: string) => () =>
    at(story.live(cluster, 'configmaps', name), 'data', 'value') === version
  if (side === 'edge') {
    expect(await story.until(isAt('calm', 'other', '2'), 30)).toBe(true)
    const said = () => [conditionText(managed, 'edge'), ...reasons(story)].join('\n')
    const problem = problemOf(answer, target)
    if (problem) {
      const isReported = () => said().includes('AnswerRefused') && problem.test(said())
      expect(await story.until(isReported, limitOf(answer, target)), said()).toBe(true)
    }
    await story.pass(WINDOW_S)
    expect(requestsToCalm()).toBeLessThanOrEqual(1.25 * CALM_REQUESTS + SPARE)
  } else await story.pass(WINDOW_S)
  expect(deletesSince(story, from)).toEqual([])

  isOn = false
  env.net.cut(`https://${side}.test`)
  const isBack = () => isAt('edge', 'mine', '2')() && isAt('calm', 'other', '2')()
  expect(await story.until(isBack, 30), [conditionText(managed, 'edge'), ...reasons(story)].join('\n')).toBe(
    true,
  )
  // A watch is trusted again at its next event; bookmarks come each minute.
  await story.pass(90)
  expect(conditionText(managed, 'edge')).toBe('Connected undefined: ')
  expect(deletesSince(story, from)).toEqual([])
  const failed = env.meters.read().filter((s) => s.name === 'lockstep_exceptions_total')
  expect([failed, exceptions, story.fleet.oracles.violations]).toEqual([[], [], []])
  expect(env.lines.filter((l) => l.fields.error !== undefined && /by a bug/.test(l.message))).toEqual([])
  await managed.stop()
}

/** Requests to `calm` in a run of the same length in which all servers are honest. */
const CALM_REQUESTS = 24

/** Seconds in which the hostile answer continues. */
const WINDOW_S = 60

/** Seconds until the answer is reported. */
function limitOf({ rule }: HostileAnswer, target: Target): number {
  // A watch says nothing before something happens, or a minute has passed.
  if (target === 'watch') return 240
  const limit = target === 'write' ? 60 : 30
  return rule === 'slow' ? limit + 60 : limit
}

function countRequests(story: Story, cluster: string): () => number {
  const { env, clusters } = story.fleet
  const { api } = clusters.get(cluster)!
  let count = 0
  env.net.serve(`https://${cluster}.test`, (request) => {
    if (request.headers['user-agent'] === 'lockstep-controller') count++
    return api.handle(request)
  })
  return () => count
}

function conditionText(managed: SupervisedManager, cluster: string): string {
  const fleet = managed.current?.fleet
  const view = fleet?.view(NAMESPACE, cluster)
  if (!fleet || !view) return ''
  const { state, reason, message } = fleet.condition(view)
  return `${state} ${reason}: ${message}`
}

const deletesSince = (story: Story, from: number): string[] =>
  ['edge', 'calm'].flatMap((cluster) => story.writes(cluster, from).filter((w) => w.startsWith('delete ')))

/** A log is read, or refused; nothing is thrown, and nothing is left open. */
export async function readLog(answer: HostileAnswer): Promise<string> {
  const env = createSimEnv(`log ${answer.name}`)
  const honest = async () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'line\n' })
  const connection = connectInProcess(() => answer.spoil(honest, env, '/log'), { clock: env.clock })
  const client = createHttpClient(env, 'c1', connection, 'lockstep-controller')
  const o = { container: 'c', tailLines: 10, limitBytes: 1000, purpose: 'user' } as const
  let said: string | undefined
  supervise(env, async () => {
    const read = await client.logs({ namespace: 'default', name: 'p' }, o)
    said = read.ok ? read.value.slice(0, 100) : read.error.kind
  })
  await env.clock.run(() => said !== undefined, 120_000)
  return said ?? 'no end'
}
