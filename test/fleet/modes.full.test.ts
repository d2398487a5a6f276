/** How single objects are written, and what becomes of them when that changes. */
import { describe, expect, it } from 'vitest'
import { configMapKind, namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { must } from './simfleet.ts'
import {
  dataOf,
  edge,
  KEY,
  listed,
  liveOf,
  marked,
  publish,
  ready,
  reasons,
  released,
  said,
  USER,
  unit,
} from './single.ts'
import { configManifest, Story } from './steps.ts'

const mode = (value: string, word: string, name = 'x'): string =>
  said(name, value, 'lockstep.dev/apply', word)

async function theirs(story: Story, data: Record<string, string>, name = 'x', manager = 'somebody') {
  const body: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...KEY, name }, data }
  return must(await story.during(edge(story).create(configMapKind, body as never, { ...USER, manager })))
}

describe('Observe', () => {
  it('waits for what is not there, says so, and goes on once somebody makes it; never writes, lists or deletes it', async () => {
    const story = await Story.begin('observe', ['edge'])
    const from = story.fleet.commits.length
    await publish(story, mode('ours', 'Observe'))
    expect(reasons(story)).toEqual([
      'WaitingForObject: ConfigMap default/x does not exist, and its mode is Observe; create it through its owner',
    ])
    await theirs(story, { value: 'theirs' })
    await ready(story, 5)
    expect([dataOf(story), listed(story), story.writes('edge', from)]).toEqual([{ value: 'theirs' }, [], []])
    must(await story.during(edge(story).delete(configMapKind, KEY, USER)))
    expect(await story.until(() => !story.isReady('m'), 5)).toBe(true)
    await theirs(story, { value: 'again' })
    await ready(story, 5)
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0)).toBe(true)
    expect([dataOf(story), story.writes('edge', from)]).toEqual([{ value: 'again' }, []])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('fails after health.timeoutSeconds, and is well again when the object comes later', async () => {
    const story = await Story.begin('observelate', ['edge'])
    await publish(story, mode('ours', 'Observe'), { health: { timeoutSeconds: 60 } })
    expect(await story.until(() => unit(story)?.status?.state === 'Failed', 70)).toBe(true)
    expect(reasons(story)[0]).toMatch(/^HealthTimeout: .* after 60s$/)
    await theirs(story, {})
    expect(await story.until(() => unit(story)?.status?.state === 'Ready', 5)).toBe(true)
  })

  it('a Secret: what is in it is not asked for', async () => {
    const story = await Story.begin('observe-secret', ['edge'])
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: KEY, data: { key: 'aHVudGVyMg==' } }
    must(await story.during(edge(story).create(secretKind, secret, USER)))
    const accepted: unknown[] = []
    story.fleet.env.net.wire('https://edge.test', {
      async before({ method, path, headers }) {
        if (method === 'GET' && path.includes('/secrets')) accepted.push(headers.accept)
        return undefined
      },
    })
    await publish(
      story,
      'apiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: default, annotations: {lockstep.dev/apply: Observe}}\n',
    )
    await ready(story)
    expect(accepted.length).toBeGreaterThan(1)
    for (const accept of accepted) expect(accept).toMatch(/PartialObjectMetadata/)
  })

  it('after Override: our marks go, the object stays, and is not deleted with its unit', async () => {
    const story = await Story.begin('override-observe', ['edge'])
    await publish(story, configManifest('x', '1'))
    await ready(story)
    await publish(story, mode('2', 'Observe'))
    await ready(story)
    expect([dataOf(story), marked(liveOf(story)), listed(story)]).toEqual([{ value: '1' }, false, []])
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0)).toBe(true)
    expect(dataOf(story)).toEqual({ value: '1' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('is let go of at once, though another object fails: a unit that leaves then does not delete it', async () => {
    const story = await Story.begin('observe-early', ['edge'])
    await publish(story, configManifest('x', '1'))
    await ready(story)
    const broken =
      'apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: default}\nspec: {ports: [{port: 99999}]}\n'
    await publish(story, [mode('1', 'Observe'), broken].join('---\n'))
    expect(await story.until(() => unit(story)?.status?.state === 'Failed')).toBe(true)
    await story.deleteModule('m')
    expect(await story.until(() => story.inventories.length === 0)).toBe(true)
    expect(dataOf(story)).toEqual({ value: '1' })
  })

  it('by kapp exists, and back to Override by the rules of adoption', async () => {
    const story = await Story.begin('exists', ['edge'])
    await publish(story, said('x', 'ours', 'kapp.k14s.io/exists', ''))
    await theirs(story, { other: 'stays' })
    await ready(story)
    await publish(story, configManifest('x', 'ours'))
    await ready(story)
    expect([dataOf(story), listed(story)]).toEqual([{ other: 'stays', value: 'ours' }, ['x']])
  })
})

describe('Ignore', () => {
  it('is neither read nor written; what was delivered is let go of', async () => {
    const story = await Story.begin('ignore', ['edge'])
    await publish(story, [configManifest('x', '1'), configManifest('z', '1')].join('---\n'))
    await ready(story)
    const from = story.fleet.commits.length
    await publish(
      story,
      [said('x', '2', 'kustomize.toolkit.fluxcd.io/reconcile', 'disabled'), configManifest('z', '1')].join(
        '---\n',
      ),
    )
    await ready(story)
    expect([dataOf(story), marked(liveOf(story)), listed(story)]).toEqual([{ value: '1' }, false, ['z']])
    expect(story.writes('edge', from)).toEqual(['patch configmaps default/x'])
    await story.pass(2)
    expect(released(story)).toEqual(['ConfigMap default/x: kept on edge, no longer managed'])
  })
})

describe('IfNotPresent', () => {
  it('leaves what is there as it is, without our marks, and never deletes it', async () => {
    const story = await Story.begin('present', ['edge'])
    await theirs(story, { value: 'theirs' })
    const from = story.fleet.commits.length
    await publish(story, mode('ours', 'IfNotPresent'))
    await ready(story)
    expect([dataOf(story), listed(story), story.writes('edge', from)]).toEqual([{ value: 'theirs' }, [], []])
    await publish(story, configManifest('z', '1'))
    await ready(story)
    expect(dataOf(story)).toEqual({ value: 'theirs' })
  })

  it('creates what is missing, leaves changes of others alone, and prunes it as ours', async () => {
    const story = await Story.begin('absent', ['edge'])
    await publish(story, mode('ours', 'IfNotPresent'))
    await ready(story)
    expect([dataOf(story), listed(story)]).toEqual([{ value: 'ours' }, ['x']])
    must(await story.during(edge(story).patch(configMapKind, KEY, { data: { value: 'edited' } }, USER)))
    const from = story.fleet.commits.length
    await publish(story, mode('new', 'IfNotPresent'))
    await ready(story)
    await story.pass(60)
    expect([dataOf(story), story.writes('edge', from)]).toEqual([{ value: 'edited' }, []])
    await publish(story, configManifest('z', '1'))
    await ready(story)
    expect(liveOf(story)).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('what somebody creates between the look and the create is left alone; Override then adopts it', async () => {
    const story = await Story.begin('race', ['edge'])
    let isArmed = true
    const { client } = story.fleet.clusters.get('edge')!
    story.fleet.env.net.wire('https://edge.test', {
      async before(request) {
        if (!isArmed || request.method !== 'PATCH' || !request.path.includes('configmaps/x')) return undefined
        isArmed = false
        must(
          await client.create(
            configMapKind,
            { apiVersion: 'v1', kind: 'ConfigMap', metadata: KEY, data: { value: 'theirs' } },
            USER,
          ),
        )
        return undefined
      },
    })
    await publish(story, mode('ours', 'IfNotPresent'))
    await ready(story)
    expect([isArmed, dataOf(story), marked(liveOf(story)), listed(story)]).toEqual([
      false,
      { value: 'theirs' },
      false,
      [],
    ])
    await publish(story, configManifest('x', 'ours'))
    await ready(story)
    expect([dataOf(story), marked(liveOf(story)), listed(story)]).toEqual([{ value: 'ours' }, true, ['x']])
  })
})

describe('Merge', () => {
  it.each([
    ['Merge', { old: 'stays', value: 'new' }],
    ['Override', { value: 'new' }],
  ])('%s: an adopted object keeps what the manifest lacks, or loses it', async (word, data) => {
    const story = await Story.begin(`adopt ${word}`, ['edge'])
    await theirs(story, { old: 'stays', value: 'old' }, 'x', 'kubectl-client-side-apply')
    await publish(story, mode('new', word))
    await ready(story)
    expect(dataOf(story)).toEqual(data)
  })

  it('removes what it has applied itself', async () => {
    const story = await Story.begin('merge-own', ['edge'])
    await publish(story, mode('1', 'Merge').replace('\ndata: {', '\ndata: {more: "1", '))
    await ready(story)
    await publish(story, mode('2', 'Merge'))
    await ready(story)
    expect(dataOf(story)).toEqual({ value: '2' })
  })
})

describe('Replace', () => {
  const puts = (story: Story, from: number): string[] => story.writes('edge', from)

  it('puts the whole in its place when the content changes: what others added goes; nothing when it does not', async () => {
    const story = await Story.begin('put', ['edge'])
    await publish(story, mode('1', 'Replace'))
    await ready(story)
    must(
      await story.during(
        edge(story).patch(
          configMapKind,
          KEY,
          { data: { added: 'x' }, metadata: { finalizers: ['example.com/f'] } },
          USER,
        ),
      ),
    )
    const from = story.fleet.commits.length
    await story.pass(60)
    expect(puts(story, from)).toEqual([])
    await publish(story, mode('2', 'Replace'))
    await ready(story)
    expect([dataOf(story), liveOf(story)!.metadata.finalizers]).toEqual([{ value: '2' }, ['example.com/f']])
    await story.pass(700)
    expect(puts(story, from)).toEqual(['update configmaps default/x'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('repairs what was changed, before and after it was put', async () => {
    const story = await Story.begin('put-drift', ['edge'])
    await publish(story, mode('1', 'Replace'))
    await ready(story)
    for (const value of ['2', '3']) {
      must(await story.during(edge(story).patch(configMapKind, KEY, { data: { value: 'edited' } }, USER)))
      expect(
        await story.until(() => (dataOf(story) as { value: string }).value !== 'edited', 30),
        value,
      ).toBe(true)
      await story.pass(20)
      await publish(story, mode(value, 'Replace'))
      await ready(story)
      expect(dataOf(story)).toEqual({ value })
    }
  })

  it('a Namespace is applied, and not put: what others have added stays', async () => {
    const story = await Story.begin('put-namespace', ['edge'])
    const namespace = (v: string) =>
      `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {v: "${v}"}, annotations: {argocd.argoproj.io/sync-options: Replace=true}}\n`
    await publish(story, namespace('1'))
    await ready(story)
    const added = { metadata: { labels: { added: 'yes' } } }
    must(await story.during(edge(story).patch(namespaceKind, { name: 'shop' }, added, USER)))
    await publish(story, namespace('2'))
    await ready(story)
    expect(story.live('edge', 'namespaces', 'shop', '')?.metadata.labels).toMatchObject({
      v: '2',
      added: 'yes',
    })
  })

  it('with Force: what cannot be put is made anew', async () => {
    const story = await Story.begin('put-force', ['edge'])
    const sealed = (v: string) =>
      `${said('x', v, 'argocd.argoproj.io/sync-options', 'Replace=true,Force=true')}immutable: true\n`
    await publish(story, sealed('1'))
    await ready(story)
    await publish(story, sealed('2'))
    await ready(story)
    expect(dataOf(story)).toEqual({ value: '2' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('then Override: what its manifest no longer says goes', async () => {
    const story = await Story.begin('put-override', ['edge'])
    await publish(story, mode('1', 'Replace').replace('\ndata: {', '\ndata: {more: "1", '))
    await ready(story)
    await publish(story, mode('2', 'Replace').replace('\ndata: {', '\ndata: {more: "2", '))
    await ready(story)
    await publish(story, configManifest('x', '3'))
    await ready(story)
    expect(dataOf(story)).toEqual({ value: '3' })
  })
})
