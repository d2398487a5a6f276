/** The log of each outage: its cause once, its end once, in order; and none at rest. */
import { describe, expect, it } from 'vitest'
import { TIER } from '../tier.ts'
import { NAMESPACE } from './simfleet.ts'
import { configManifest, deploymentManifest, type ModuleOptions, Story } from './steps.ts'

const STATUS = { kind: 'Status', status: 'Failure', reason: 'Unauthorized', code: 401, message: 'no' }
const UNAUTHORIZED = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(STATUS),
}

/** Lines at info and above since `from`: level, reason, and their object. */
const linesOf = ({ fleet }: Story, from: number): string[] =>
  fleet.env.lines
    .slice(from)
    .filter((l) => l.level !== 'debug')
    .map(({ level, fields }) => {
      const { reason, unit, module, cluster } = fields
      return [level, reason, unit ?? module ?? cluster].filter((f) => f !== undefined).join(' ')
    })

async function delivered(name: string, options: ModuleOptions = {}, clusters: readonly string[] = ['c0']) {
  const story = await Story.begin(name, clusters)
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web', options)
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  await story.pass(5)
  return { story, from: story.fleet.env.lines.length }
}

describe('the log', () => {
  it.skipIf(TIER === 'short')('has no line in ten minutes at rest', async () => {
    const { story, from } = await delivered('log-rest')
    await story.pass(600)
    expect(linesOf(story, from)).toEqual([])
  })

  it('has each decision of a release', async () => {
    const { story } = await delivered('log-release')
    expect(linesOf(story, 0)).toEqual([
      'info Published platform/web',
      'info RolloutStarted platform/web',
      'info ClusterConnected platform/c0',
      'info DeployStarted platform/web@c0',
      'info Ready platform/web@c0',
      'info Complete platform/web',
    ])
  })

  it('a cluster that is away, then back', async () => {
    const { story, from } = await delivered('log-cluster')
    const { net } = story.fleet.env
    const { api } = story.fleet.clusters.get('c0')!
    net.unserve('https://c0.test')
    net.cut('https://c0.test')
    await story.pass(300)
    net.serve('https://c0.test', api.handle)
    await story.pass(60)
    expect(linesOf(story, from)).toEqual([
      'warn ClusterUnreachable platform/c0',
      'info ClusterConnected platform/c0',
      'info Complete platform/web',
    ])
  })

  it.skipIf(TIER === 'short')('a hub that is away, then back', async () => {
    const { story, from } = await delivered('log-hub')
    const { net } = story.fleet.env
    net.unserve('https://hub.test')
    net.cut('https://hub.test')
    await story.pass(300)
    net.serve('https://hub.test', story.fleet.hubApi.handle)
    await story.pass(60)
    expect(linesOf(story, from)).toEqual(['warn HubUnreachable', 'info HubConnected'])
  })

  it.skipIf(TIER === 'short')('an expired credential, then a new one', async () => {
    const { story, from } = await delivered('log-credential')
    const { net } = story.fleet.env
    const { api } = story.fleet.clusters.get('c0')!
    net.serve('https://c0.test', async () => UNAUTHORIZED)
    net.cut('https://c0.test')
    await story.pass(300)
    net.serve('https://c0.test', api.handle)
    await story.pass(60)
    expect(linesOf(story, from)).toEqual([
      'warn CredentialsRejected platform/c0',
      'info ClusterConnected platform/c0',
      'info Complete platform/web',
    ])
  })

  it.skipIf(TIER === 'short')('a refused request, then an accepted one', async () => {
    const { story, from } = await delivered('log-refused', { rollout: { maxFailed: 1 } })
    const { net } = story.fleet.env
    const { api } = story.fleet.clusters.get('c0')!
    const body = JSON.stringify({ ...STATUS, reason: 'Forbidden', code: 403, message: 'not today' })
    net.serve('https://c0.test', async (request) =>
      request.method === 'PATCH' && request.url.includes('/configmaps/web')
        ? { ...UNAUTHORIZED, status: 403, body }
        : api.handle(request),
    )
    await story.config('web', configManifest('web', '2'))
    await story.pass(600)
    net.serve('https://c0.test', api.handle)
    await story.pass(600)
    expect(linesOf(story, from)).toEqual([
      'info Published platform/web',
      'info RolloutStarted platform/web',
      'info DeployStarted platform/web@c0',
      'warn Forbidden platform/web@c0',
      'info Forbidden platform/web@c0',
      'info Ready platform/web@c0',
      'info Complete platform/web',
    ])
  })

  it.skipIf(TIER === 'short')('a rollout that halts, then one that completes', async () => {
    const { story, from } = await delivered('log-halted', { health: { timeoutSeconds: 20 } }, ['c0', 'c1'])
    for (const { world } of story.fleet.clusters.values())
      world.fail({ image: 'web:2', outcome: 'ImagePull' })
    await story.config('web', deploymentManifest('web', 'web:2'))
    expect(await story.until(() => story.see('web').status?.rollout?.phase === 'Halted')).toBe(true)
    await story.pass(60)
    await story.config('web', deploymentManifest('web', 'web:3'))
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await story.pass(60)
    expect(linesOf(story, from)).toEqual([
      'info Published platform/web',
      'info RolloutStarted platform/web',
      'info DeployStarted platform/web@c0',
      'warn HealthTimeout platform/web@c0',
      'warn Halted platform/web',
      'info Published platform/web',
      'info RolloutStarted platform/web',
      'info Halted platform/web',
      'info DeployStarted platform/web@c0',
      'info HealthTimeout platform/web@c0',
      'info Pruned platform/web@c0',
      'info Ready platform/web@c0',
      'info DeployStarted platform/web@c1',
      'info Pruned platform/web@c1',
      'info Ready platform/web@c1',
      'info Complete platform/web',
    ])
  })

  it.skipIf(TIER === 'short')(
    'of a new leader says again what no Event says, and of a cluster that it is connected',
    async () => {
      const { story, from } = await delivered('log-leader')
      story.restart()
      await story.pass(60)
      expect(linesOf(story, from)).toEqual([`info ClusterConnected ${NAMESPACE}/c0`])
    },
  )
})
