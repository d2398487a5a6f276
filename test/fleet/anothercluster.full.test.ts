/** Whoever answers after a break is asked who he is before anything else (reliability F10, fleet 3.4): one read a break. */
import { describe, expect, it } from 'vitest'
import { InventoryStory, kubeSystemOf } from './inventorystory.ts'
import { configManifest } from './steps.ts'

const URL = 'https://c0.test'
const KINDS: readonly (readonly [string, string, string])[] = [
  ['v1', 'ServiceAccount', ''],
  ['v1', 'Secret', ''],
  ['rbac.authorization.k8s.io/v1', 'Role', 'rules: []'],
  ['v1', 'Service', 'spec: {ports: [{port: 80}], selector: {app: d}}'],
  ['policy/v1', 'PodDisruptionBudget', 'spec: {selector: {}}'],
]

const manyKinds = (value: string): string =>
  [
    configManifest('web', value),
    ...KINDS.map(
      ([apiVersion, kind, more]) =>
        `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x, namespace: default}\n${more}\n`,
    ),
  ].join('---\n')

async function delivered(name: string, text = configManifest('web', '1')) {
  const story = await InventoryStory.open(name, ['c0'])
  const kind = await story.installClusterApi()
  await story.cluster(kind, 'c0')
  await story.config('web', text)
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const seen: string[] = []
  let away = false
  const { net } = story.fleet.env
  net.wire(URL, {
    before: async ({ method, path }) => {
      seen.push(`${method} ${path}`)
      return away ? { phase: 'connect', detail: 'connect ECONNREFUSED c0.test' } : undefined
    },
  })
  return {
    story,
    seen,
    leave: () => {
      away = true
      net.cut(URL)
    },
    back: () => {
      away = false
    },
  }
}

const WHO = 'GET /api/v1/namespaces/kube-system'

describe('another cluster answers behind the same address', () => {
  it.each([0, 3, 20, 70, 1200])('after %i seconds: nothing is written there, and it is said', async (gap) => {
    const { story, leave, back } = await delivered(`another ${gap}`)
    const was = story.kubeSystem('c0')
    leave()
    await story.pass(gap)
    const other = story.replace('c0')
    back()
    await story.config('web', `${configManifest('web', '2')}---\n${configManifest('fresh', '1')}`)
    await story.pass(200)
    expect(other.local.list('configmaps').filter((o) => o.metadata.namespace !== 'kube-system')).toEqual([])
    expect(other.local.list('namespaces').map((o) => o.metadata.name)).not.toContain('lockstep-system')
    expect(story.blockers('web').join('\n')).toContain(
      `IdentityChanged: cluster c0 has another identity: kube-system ${kubeSystemOf(other)}, recorded ${was}`,
    )
    await story.accept('c0', kubeSystemOf(other))
    expect(await story.until(() => story.isReady('web'), 120)).toBe(true)
    expect(other.local.get('configmaps', 'default', 'fresh')).toBeDefined()
  })

  it('without a break that anybody could see: it is told by the next watch, five minutes later at most', async () => {
    const { story } = await delivered('unseen')
    const other = story.replace('c0')
    await story.pass(301)
    await story.config('web', configManifest('web', '2'))
    await story.pass(30)
    expect(other.local.list('namespaces').map((o) => o.metadata.name)).not.toContain('lockstep-system')
    expect(story.blockers('web').join()).toContain('IdentityChanged')
  })

  it('in the middle of a delivery: what was decided for the one is not sent to the other', async () => {
    const text = (v: string) => ['a', 'b', 'c', 'd'].map((n) => configManifest(n, v)).join('---\n')
    const { story } = await delivered('middle', text('1'))
    let other: ReturnType<typeof story.replace> | undefined
    story.fleet.env.net.wire(URL, {
      before: async ({ method }) => {
        if (method !== 'PATCH' || other) return undefined
        other = story.replace('c0')
        return { phase: 'receive', detail: 'read ECONNRESET' }
      },
    })
    await story.config('web', text('2'))
    await story.pass(120)
    expect(other).toBeDefined()
    expect(other!.local.list('namespaces').map((o) => o.metadata.name)).not.toContain('lockstep-system')
    expect(other!.local.get('configmaps', 'default', 'a')).toBeUndefined()
    expect(story.blockers('web').join()).toContain('IdentityChanged')
  })

  it('and the first one again: it goes on there, and nothing was written to either', async () => {
    const { story, leave, back } = await delivered('again')
    const from = story.fleet.commits.length
    leave()
    const other = story.replace('c0')
    back()
    await story.pass(120)
    expect(story.blockers('web').join()).toContain('IdentityChanged')
    leave()
    story.fleet.env.net.serve(URL, story.fleet.clusters.get('c0')!.api.handle)
    back()
    expect(await story.until(() => story.blockers('web').length === 0, 60)).toBe(true)
    expect(story.isReady('web')).toBe(true)
    expect(story.writes('c0', from)).toEqual([])
    expect(other.local.get('configmaps', 'default', 'web')).toBeUndefined()
  })
})

describe('the same cluster answers again', () => {
  it('one read a break, however many watches broke; it never counts as unreachable', async () => {
    const { story, seen, leave, back } = await delivered('same', manyKinds('1'))
    const from = story.fleet.commits.length
    for (let i = 1; i <= 5; i++) {
      seen.length = 0
      leave()
      back()
      await story.pass(30)
      expect(seen.filter((r) => r === WHO)).toEqual([WHO])
      expect(seen[0]).toBe(WHO)
      expect(story.blockers('web')).toEqual([])
      expect(story.isReady('web')).toBe(true)
    }
    expect(story.writes('c0', from)).toEqual([])
  })

  it('at rest nobody asks who it is: its watches say so', async () => {
    const { story, seen } = await delivered('rest', manyKinds('1'))
    await story.pass(3600)
    expect(seen.filter((r) => !r.includes('watch=true'))).toEqual([])
  })
})

it('a dead cluster is tried by one, whatever is watched on it: 24 s apart or more, and found again with the next try', async () => {
  const { story, seen, leave, back } = await delivered('dead', manyKinds('1'))
  const { clock } = story.fleet.env
  const before = clock.now()
  leave()
  await story.pass(600)
  // Since when, as an instant: what is said does not change while it lasts.
  const said = story.blockers('web').find((b) => b.startsWith('ClusterUnreachable'))!
  const known = story.see('web').status?.blockers?.find((b) => b.reason === 'ClusterUnreachable')
  expect(said).toContain(String(known?.facts?.since))
  expect(Math.abs(Date.parse(String(known?.facts?.since)) - before)).toBeLessThan(3000)
  const from = story.fleet.commits.length
  seen.length = 0
  await story.pass(300)
  expect(new Set(seen)).toEqual(new Set([WHO]))
  expect(seen.length).toBeLessThanOrEqual(300 / 24 + 1)
  expect(story.blockers('web')).toContain(said)
  expect(story.fleet.commits.slice(from).map((c) => `${c.verb} ${c.resource}`)).toEqual([])
  await story.config('web', manyKinds('2'))
  await story.pass(60)
  back()
  const isThere = () => JSON.stringify(story.live('c0', 'configmaps', 'web')?.data) === '{"value":"2"}'
  expect(await story.until(isThere, 37)).toBe(true)
})
