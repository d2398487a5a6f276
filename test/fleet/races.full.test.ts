/** What changes between a look and a write, behind a name, or without being published. */
import { describe, expect, it } from 'vitest'
import { createApiServer } from '../../packages/apiserver/src/server/index.ts'
import { configMapKind, controllerRevisionKind } from '../../packages/kube/src/kinds/types.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

describe('a module that changes while its status is written', () => {
  it('is decided on again before any record: targets that came back remove nothing', async () => {
    const story = await Story.begin('fence', ['edge'])
    await story.config('m', configManifest('m', '1'))
    await story.module('m', 'm')
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    const widen = () =>
      story.fleet.hub.patch(
        moduleKind,
        { namespace: NAMESPACE, name: 'm' },
        { spec: { targets: { clusterSelector: {}, clusters: null } } },
        USER,
      )
    let isWidened = false
    story.fleet.env.net.wire('https://hub.test', {
      async before({ method, path }) {
        if (isWidened || method !== 'PUT' || !path.includes('/modules/m/status')) return undefined
        isWidened = true
        must(await widen())
        return undefined
      },
    })
    const from = story.fleet.commits.length
    await story.module('m', 'm', { targets: { clusters: ['elsewhere'] } })
    expect(await story.until(() => isWidened)).toBe(true)
    await story.pass(10)
    const removals = story.fleet.commits
      .slice(from)
      .filter((c) => at(c.next, 'spec', 'assigned', 'removal') !== undefined)
    expect(removals).toEqual([])
    expect(story.live('edge', 'configmaps', 'm')).toBeDefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('another cluster behind the name', () => {
  it('is not taken for the old one: nothing is written, nobody relies on what was said', async () => {
    const story = await Story.begin('identity', ['edge'])
    await story.config('a', configManifest('a', '1'))
    await story.config('b', configManifest('b', '1'))
    await story.module('a', 'a')
    expect(await story.until(() => story.isReady('a'))).toBe(true)
    story.manager.stop()
    const other = createApiServer(story.fleet.env, { name: 'other' })
    story.fleet.env.net.serve('https://edge.test', other.handle)
    story.manager = story.fleet.startController()
    await story.module('b', 'b', { dependsOn: ['a'] })
    await story.pass(20)
    expect(story.blockers('a')[0]).toMatch(/^IdentityChanged: cluster edge has another identity/)
    expect(story.blockers('b')[0]).toMatch(/^IdentityChanged: cluster edge has another identity/)
    expect(other.local.get('configmaps', 'default', 'a')).toBeUndefined()
    expect(other.local.get('configmaps', 'default', 'b')).toBeUndefined()
    expect(story.see('a').status?.ready).not.toBe('1/1')
  })
})

describe('an edit that is refused', () => {
  it('does not make the module deaf to what its published revision waits for', async () => {
    const story = await Story.begin('deaf', ['edge'])
    const object = { apiVersion: 'v1', kind: 'ConfigMap', name: 'storage', namespace: 'default' }
    await story.config('m', configManifest('m', '1'))
    await story.module('m', 'm', { dependsOn: [{ id: 'o', object }] })
    await story.pass(5)
    expect(story.blockers('m')[0]).toMatch(/^DependencyMissing/)
    await story.module('m', 'nowhere', { dependsOn: [] })
    await story.pass(5)
    const storage = { ...object, metadata: { name: 'storage', namespace: 'default' } }
    const { name: _n, namespace: _s, ...map } = storage
    const edge = story.fleet.clusters.get('edge')!.client
    must(await story.during(edge.apply(configMapKind, map as never, USER)))
    expect(await story.until(() => story.live('edge', 'configmaps', 'm') !== undefined, 10)).toBe(true)
  })
})

describe('a kind that may not be listed', () => {
  it('is said of that kind; the cluster stays reachable, and others are delivered', async () => {
    const story = await Story.begin('forbidden', ['edge'])
    const forbidden = {
      status: 403,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        kind: 'Status',
        status: 'Failure',
        reason: 'Forbidden',
        code: 403,
        message: 'configmaps is forbidden',
      }),
    }
    const { api } = story.fleet.clusters.get('edge')!
    story.fleet.env.net.serve('https://edge.test', async (request) =>
      /\/configmaps\?/.test(request.url) && request.method === 'GET'
        ? (forbidden as never)
        : api.handle(request),
    )
    await story.config('m', configManifest('m', '1'))
    await story.config('n', 'apiVersion: v1\nkind: Secret\nmetadata: {name: other, namespace: default}\n')
    await story.module('m', 'm')
    await story.module('n', 'n')
    await story.pass(120)
    expect(story.isReady('n')).toBe(true)
    expect(story.inventory('m', 'edge')?.status?.blockers?.[0]).toMatchObject({
      reason: 'Forbidden',
      message: expect.stringContaining('configmaps cannot be listed on edge'),
    })
    expect(story.blockers('m').join()).not.toContain('CredentialsRejected')
  })
})

describe('a module that leaves its objects behind', () => {
  it('takes its marks off all of them, also when a controller that has just begun does it', async () => {
    const story = await Story.begin('orphan', ['edge'])
    await story.config('m', `${configManifest('m', '1')}---\n${configManifest('n1', '1')}`)
    await story.module('m', 'm', { apply: { deletionPolicy: 'Orphan' } })
    expect(await story.until(() => story.isReady('m'))).toBe(true)
    story.manager.stop()
    await story.deleteModule('m')
    story.manager = story.fleet.startController()
    expect(await story.until(() => story.inventories.length === 0 && story.manager.idle)).toBe(true)
    await story.pass(5)
    for (const name of ['m', 'n1']) {
      const { labels, annotations } = story.live('edge', 'configmaps', name)!.metadata
      expect([name, JSON.stringify({ labels, annotations }).includes('lockstep.dev')]).toEqual([name, false])
    }
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('a revision whose ControllerRevision was deleted before it was admitted', () => {
  it('is published again, and goes its way', async () => {
    const story = await Story.begin('no revision', ['edge'])
    const { hub } = story.fleet
    const { world } = story.fleet.clusters.get('edge')!
    const failure = { image: 'a:1', outcome: 'ImagePull' } as const
    world.fail(failure)
    await story.config('a', deploymentManifest('a', 'a:1'))
    await story.config('b', configManifest('b', '1'))
    await story.module('a', 'a')
    await story.module('b', 'b', { dependsOn: ['a'] })
    await story.pass(5)
    const name = story.fleet.stored('controllerrevisions.apps').find((r) => r.startsWith('b-'))!
    must(await story.during(hub.delete(controllerRevisionKind, { namespace: NAMESPACE, name }, USER)))
    world.heal(failure)
    expect(await story.until(() => story.isReady('b'))).toBe(true)
    expect(story.fleet.stored('controllerrevisions.apps')).toContain(name)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
