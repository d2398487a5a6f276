/** Values of bindings on clusters that deliver. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { CommitRecord } from '../../packages/apiserver/src/server/tracewrites.ts'
import { configMapKind, eventKind } from '../../packages/kube/src/kinds/types.ts'
import { encodeJson } from '../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import {
  begun,
  blockers,
  clusters,
  config,
  dataOf,
  FORCE,
  label,
  ledgerIn,
  map,
  objects,
  password,
  REGION,
  REPLACE,
  region,
  written,
} from './bindingstory.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { Story } from './steps.ts'

describe('what the hub knows of each cluster', () => {
  it('is bound there; where it lacks, only that cluster waits and says so', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `edge-${i}`)
    const story = await Story.begin('bindings', names)
    for (const n of names) if (n !== 'edge-7') await label(story, n, { [REGION]: `eu-${n}` })
    const data = { region: '$(region) of $(CLUSTER_NAME)', pod: '$(POD_IP)', kept: '$$(region)' }
    await story.module('web', objects(config(data)), { ...REPLACE, bindings: [region] })
    const isThere = (n: string) => dataOf(story, n) !== undefined
    expect(await story.until(() => names.filter(isThere).length === 99)).toBe(true)
    expect(dataOf(story, 'edge-3')).toEqual({
      region: 'eu-edge-3 of edge-3',
      pod: '$(POD_IP)',
      kept: '$(region)',
    })
    await story.pass(60)
    expect(isThere('edge-7')).toBe(false)
    const message = `region: cluster edge-7 has no label ${REGION}; set it or give a default`
    expect(story.see('web').status?.blockers).toMatchObject([{ reason: 'BindingUnresolved', message }])
    await label(story, 'edge-7', { [REGION]: 'eu' })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a value that goes blocks its cluster, and what is there stays and is put right', async () => {
    const story = await begun('lost', clusters(2), objects(config({ r: '$(region)' })), {
      bindings: [region],
    })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await label(story, 'c0', {})
    expect(await story.until(() => !story.isReady('web'))).toBe(true)
    expect(blockers(story)).toEqual([
      `BindingUnresolved: region: cluster c0 has no label ${REGION}; set it or give a default`,
    ])
    const { client } = story.fleet.clusters.get('c0')!
    const key = { namespace: 'default', name: 'a' }
    must(await story.during(client.patch(configMapKind, key, { data: { r: 'other' } }, USER)))
    expect(await story.until(() => dataOf(story, 'c0')?.r === 'eu-c0')).toBe(true)
    await label(story, 'c0', { [REGION]: 'us' })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(dataOf(story, 'c0')).toEqual({ r: 'us' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('five bindings, restarts and many looks: nothing is written after the first pass', async () => {
    const names = ['e', 'd', 'c', 'b', 'a']
    const bindings = [
      ...names.slice(0, 3).map((name) => ({ name, value: `$(CLUSTER_NAME)-${name}` })),
      ...[
        { ...region, name: 'b' },
        { name: 'a', value: '$(b)/$(c)' },
      ],
    ]
    const data = Object.fromEntries(names.map((n) => [n, `$(${n})`]))
    const story = await begun('quiet', clusters(3), objects(config(data)), { bindings })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(dataOf(story, 'c1')).toEqual({ a: 'eu-c1/c1-c', b: 'eu-c1', c: 'c1-c', d: 'c1-d', e: 'c1-e' })
    await story.pass(10)
    const since = story.fleet.commits.length
    for (let i = 0; i < 10; i++) {
      story.manager.stop()
      story.manager = story.fleet.startController()
      await story.pass(700)
    }
    expect(story.fleet.commits.slice(since).map((c) => `${c.cluster} ${c.resource} ${c.key}`)).toEqual([])
    for (let i = 0; i < 100; i++) {
      const patch = { metadata: { annotations: { 'example.com/note': `look ${i}` } } }
      must(
        await story.during(
          story.fleet.hub.patch(moduleKind, { namespace: NAMESPACE, name: 'web' }, patch, USER),
        ),
      )
      await story.pass(1)
    }
    const ours = story.fleet.commits.slice(since).filter((c) => c.actor !== 'test' && c.actor !== 'user')
    expect(ours.map((c) => `${c.cluster} ${c.resource} ${c.key}`)).toEqual([])
  })
})

describe('a value of one cluster that changes', () => {
  const CANARY = 'canary-7f3a91'
  const NEXT = 'canary-c0ffee'
  const secret = { name: 'password', secretKeyRef: { name: 'db-$(CLUSTER_NAME)', key: 'password' } }
  const manifests = [
    config({ url: 'db://user:$(password)@host' }),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'default' },
      data: { conf: Buffer.from('password=$(password)').toString('base64') },
    },
  ]

  const isIn = (text: string) => (c: CommitRecord) =>
    c.cluster === 'hub' && c.resource !== 'secrets' && encodeJson(c.next).includes(text)

  it('reaches that cluster alone, and no text of the hub', async () => {
    const names = clusters(4)
    const story = await Story.begin('canary', names)
    for (const n of names) await password(story, `db-${n}`, n === 'c2' ? CANARY : `other-${n}`)
    await story.config('v1', manifests.map(encodeJson).join('\n---\n'))
    await story.module('web', 'v1', { ...REPLACE, bindings: [secret] })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(dataOf(story, 'c2')).toEqual({ url: `db://user:${CANARY}@host` })
    const since = story.fleet.commits.length
    await password(story, 'db-c2', NEXT)
    expect(await story.until(() => dataOf(story, 'c2')?.url?.includes(NEXT) === true)).toBe(true)
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(written(story, since).sort()).toEqual(['c2', 'hub'])
    const live = story.live('c2', 'secrets', 's')?.data as Record<string, string>
    expect(Buffer.from(live.conf!, 'base64').toString()).toBe(`password=${NEXT}`)
    for (const text of [CANARY, NEXT, Buffer.from(CANARY).toString('base64')])
      expect(story.fleet.commits.filter(isIn(text))).toEqual([])
    const events = must(await story.during(story.fleet.hub.list(eventKind, { purpose: 'user' })))
    expect(encodeJson(events.items)).not.toMatch(/canary-/)
    // Nor in the log, nor as a digest that anybody could compare: those over secrets are keyed.
    const told = encodeJson(story.fleet.env.lines as never)
    const isOpen = (c: CommitRecord) => c.cluster === 'hub' && c.resource !== 'secrets'
    const kept = encodeJson(story.fleet.commits.filter(isOpen).map((c) => c.next ?? null) as never)
    for (const text of [CANARY, NEXT]) {
      const digest = createHash('sha256').update(text)
      const hex = digest.copy().digest('hex')
      for (const form of [text, hex, hex.slice(0, 16), digest.digest('base64')])
        for (const all of [told, kept]) expect(all).not.toContain(form)
    }
    const slots = story.fleet.commits.slice(since).flatMap((c) => ledgerIn(c))
    expect(new Set(slots.flat().map((e) => `${e.cluster} ${e.kind}`))).toEqual(new Set(['c2 Rebind']))
    expect(Math.max(...slots.map((l) => l.length))).toBe(1)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('takes a slot: one after the other, whatever stages there are', async () => {
    const names = clusters(6)
    const stages = [
      { name: 'first', clusters: ['c0'], approval: 'Required' },
      { name: 'rest', clusterSelector: {} },
    ]
    const rollout = { strategy: 'Staged', maxUnavailable: 1, stages }
    const story = await begun('slots', names, objects(config({ r: '$(region)', v: '1' })), {
      bindings: [region],
    })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await story.module('web', objects(config({ r: '$(region)', v: '2' })), { bindings: [region], rollout })
    expect(await story.until(() => dataOf(story, 'c0')?.v === '2')).toBe(true)
    // The others wait for consent; their own values do not.
    const since = story.fleet.commits.length
    for (const n of names.slice(2)) await label(story, n, { [REGION]: `us-${n}` })
    const isThere = () => names.slice(2).every((n) => dataOf(story, n)?.r === `us-${n}`)
    expect(await story.until(isThere)).toBe(true)
    expect(names.map((n) => dataOf(story, n)?.v)).toEqual(['2', '1', '1', '1', '1', '1'])
    const ledgers = story.fleet.commits.slice(since).flatMap((c) => ledgerIn(c))
    expect(new Set(ledgers.flat().map((e) => e.kind))).toEqual(new Set(['Rebind']))
    expect(Math.max(...ledgers.map((l) => l.length))).toBe(1)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('waits for a Hold to end', async () => {
    const story = await begun('held', clusters(2), objects(config({ r: '$(region)' })), {
      bindings: [region],
    })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    const hold = {
      apiVersion: API_VERSION,
      kind: 'Hold',
      metadata: { name: 'h', namespace: NAMESPACE },
      spec: { targetRef: { kind: 'Module' as const, name: 'web' }, reason: 'test' },
    }
    must(await story.during(story.fleet.hub.apply(holdKind, hold, FORCE)))
    await label(story, 'c1', { [REGION]: 'us' })
    await story.pass(300)
    expect(dataOf(story, 'c1')).toEqual({ r: 'eu-c1' })
    must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'h' }, USER)))
    expect(await story.until(() => dataOf(story, 'c1')?.r === 'us')).toBe(true)
  })

  it('is not followed where somebody pins the cluster, until the pin is gone', async () => {
    const story = await begun('pinned', clusters(2), objects(config({ r: '$(region)', v: '1' })), {
      bindings: [region],
    })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    const revision = story.see('web').status!.currentRevision!
    const hold = {
      apiVersion: API_VERSION,
      kind: 'Hold',
      metadata: { name: 'h', namespace: NAMESPACE },
      spec: {
        targetRef: { kind: 'Module' as const, name: 'web' },
        reason: 'test',
        action: 'Pin' as const,
        revision,
        clusters: ['c1'],
      },
    }
    must(await story.during(story.fleet.hub.apply(holdKind, hold, FORCE)))
    await story.module('web', objects(config({ r: '$(region)', v: '2' })), { ...REPLACE, bindings: [region] })
    for (const n of clusters(2)) await label(story, n, { [REGION]: `us-${n}` })
    expect(await story.until(() => dataOf(story, 'c0')?.r === 'us-c0')).toBe(true)
    await story.pass(60)
    expect(clusters(2).map((n) => dataOf(story, n))).toEqual([
      { r: 'us-c0', v: '2' },
      { r: 'eu-c1', v: '1' },
    ])
    must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'h' }, USER)))
    expect(await story.until(() => dataOf(story, 'c1')?.v === '2')).toBe(true)
    expect(dataOf(story, 'c1')).toEqual({ r: 'us-c1', v: '2' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('of a cluster that joins before its stage: it gets what was complete last, with its own values', async () => {
    const names = clusters(3)
    const story = await Story.begin('joins', names)
    for (const n of names.slice(0, 2)) await label(story, n, { [REGION]: `eu-${n}`, tier: 'in' })
    const targets = { targets: { clusterSelector: { matchLabels: { tier: 'in' } } } }
    const at = (v: string) => objects(config({ r: '$(region)', v }))
    await story.module('web', at('1'), { ...REPLACE, ...targets, bindings: [region] })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    const stages = [
      { name: 'first', clusters: ['c0'], approval: 'Required' },
      { name: 'rest', clusterSelector: {} },
    ]
    const rollout = { strategy: 'Staged', maxUnavailable: '100%', stages }
    await story.module('web', at('2'), { ...targets, bindings: [region], rollout })
    expect(await story.until(() => dataOf(story, 'c0')?.v === '2')).toBe(true)
    await label(story, 'c2', { [REGION]: 'asia', tier: 'in' })
    expect(await story.until(() => dataOf(story, 'c2') !== undefined)).toBe(true)
    expect(dataOf(story, 'c2')).toEqual({ r: 'asia', v: '1' })
    await story.pass(5)
    await label(story, 'c2', { [REGION]: 'africa', tier: 'in' })
    expect(await story.until(() => dataOf(story, 'c2')?.r === 'africa')).toBe(true)
    expect(dataOf(story, 'c2')).toEqual({ r: 'africa', v: '1' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('may be on the cluster itself, and comes by a watch', async () => {
    const host = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 'net',
      fieldPath: 'data.host',
    }
    const bindings = [{ name: 'host', workloadFieldRef: host }]
    const story = await Story.begin('workload', clusters(2))
    const put = async (cluster: string, value: string) => {
      const { client } = story.fleet.clusters.get(cluster)!
      must(await story.during(client.apply(configMapKind, config({ host: value }, 'net'), FORCE)))
    }
    await put('c0', 'one')
    await story.module('web', objects(config({ h: '$(host)' })), { ...REPLACE, bindings })
    expect(await story.until(() => dataOf(story, 'c0')?.h === 'one')).toBe(true)
    expect(blockers(story)).toEqual([
      'BindingUnresolved: host: ConfigMap default/net on c1 does not exist; create it or give a default',
    ])
    await put('c1', 'two')
    expect(await story.until(() => story.isReady('web'), 5)).toBe(true)
    await put('c0', 'three')
    expect(await story.until(() => dataOf(story, 'c0')?.h === 'three', 5)).toBe(true)
    expect(dataOf(story, 'c1')).toEqual({ h: 'two' })
  })
})

describe('a value that all clusters share', () => {
  const shared = { name: 'mode', configMapKeyRef: { name: 'settings', key: 'mode' } }

  it('makes another revision when it changes', async () => {
    const story = await Story.begin('shared', clusters(2))
    await map(story, 'settings', { mode: 'slow' })
    await story.module('web', objects(config({ m: '$(mode)' })), { ...REPLACE, bindings: [shared] })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    const before = story.see('web').status!.currentRevision
    await map(story, 'settings', { mode: 'fast' })
    const isThere = () => clusters(2).every((n) => dataOf(story, n)?.m === 'fast')
    expect(await story.until(isThere)).toBe(true)
    expect(story.see('web').status!.currentRevision).not.toBe(before)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('is frozen by a release, until the release or the bindings change', async () => {
    const story = await Story.begin('frozen', clusters(1))
    await map(story, 'settings', { mode: 'slow' })
    const source = objects(config({ m: '$(mode) $(what)' }))
    const at = (release: string, what: string) => ({
      release,
      bindings: [shared, { name: 'what', value: what }],
    })
    await story.module('web', source, { ...REPLACE, ...at('v1', 'a') })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await map(story, 'settings', { mode: 'fast' })
    await story.pass(60)
    expect(dataOf(story, 'c0')).toEqual({ m: 'slow a' })
    await story.module('web', source, { ...REPLACE, ...at('v2', 'a') })
    expect(await story.until(() => dataOf(story, 'c0')?.m === 'fast a')).toBe(true)
    await story.module('web', source, { ...REPLACE, ...at('v2', 'b') })
    expect(await story.until(() => dataOf(story, 'c0')?.m === 'fast b')).toBe(true)
  })

  it('that is not there publishes nothing, and what is delivered stays', async () => {
    const story = await Story.begin('missing', clusters(1))
    await map(story, 'settings', { mode: 'slow' })
    await story.module('web', objects(config({ m: '$(mode)' })), { ...REPLACE, bindings: [shared] })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    must(
      await story.during(
        story.fleet.hub.delete(configMapKind, { namespace: NAMESPACE, name: 'settings' }, USER),
      ),
    )
    expect(await story.until(() => blockers(story).length > 0)).toBe(true)
    expect(blockers(story)).toEqual([
      'BindingUnresolved: spec.bindings: mode: ConfigMap platform/settings does not exist; create it or give a default',
    ])
    expect(dataOf(story, 'c0')).toEqual({ m: 'slow' })
    await map(story, 'settings', { mode: 'back' })
    expect(await story.until(() => dataOf(story, 'c0')?.m === 'back')).toBe(true)
  })
})

it('a binding that takes the place of a variable is told', async () => {
  const container = { name: 'main', image: 'i', env: [{ name: 'region', value: 'x' }], args: ['$(region)'] }
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default' },
    spec: { containers: [container] },
  }
  const story = await begun('shadow', clusters(1), objects(pod), { bindings: [region] })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  await story.pass(5)
  const events = must(await story.during(story.fleet.hub.list(eventKind, { purpose: 'user' })))
  const told = events.items.filter((e) => e.reason === 'BindingShadowsEnv')
  expect(told.map((e) => [e.type, e.note])).toEqual([
    [
      'Warning',
      'bindings take the place of variables: Pod default/p: container main: region; write $$(NAME) where the variable is meant',
    ],
  ])
})

it('a circle is refused when it is published, and nothing changes', async () => {
  const source = objects(config({ v: '$(a)' }))
  const story = await begun('circle', clusters(1), source, { bindings: [{ name: 'a', value: '1' }] })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const before = story.see('web').status!.currentRevision
  const bindings = [
    { name: 'a', value: '$(b)' },
    { name: 'b', value: '$(a)' },
  ]
  await story.module('web', source, { ...REPLACE, bindings })
  expect(await story.until(() => blockers(story).length > 0)).toBe(true)
  expect(blockers(story)).toEqual(['BindingInvalid: bindings: a → b → a; remove one of these mentions'])
  expect(story.see('web').status!.currentRevision).toBe(before)
  expect(dataOf(story, 'c0')).toEqual({ v: '1' })
})
