/** What others change of what a ClusterResourceSet that is Continuous has delivered. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { config, continuous, convergedOf, deliveredOn, isInSync, valueOn } from './setsinsync.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'
import { must, NAMESPACE } from './simfleet.ts'

const C1 = ['c1']
const X = { namespace: 'default', name: 'x' }
const BY = { purpose: 'user', precondition: 'any', force: true } as const

/** With a label, and two values. */
const labelled = (more: object = {}) =>
  manifest('ConfigMap', 'x', {
    metadata: { name: 'x', namespace: 'default', labels: { app: 'x' } },
    data: { v: '1', w: '1' },
    ...more,
  })

async function delivered(
  name: string,
  annotations: Readonly<Record<string, string>> = {},
): Promise<SetStory> {
  const story = await SetStory.open(name, C1)
  await story.source('a', { 'a.yaml': yaml(labelled(), config('y')) })
  await story.set('crs1', sources('a'), continuous(annotations))
  expect(await story.until(() => isInSync(story), 30)).toBe(true)
  // Intents are over by then, and nothing is under way.
  await story.pass(60)
  return story
}

const client = (story: SetStory) => story.fleet.clusters.get('c1')!.client
const seen = (story: SetStory) => {
  const { metadata, data } = (story.live('c1', 'configmaps', 'x') ?? { metadata: {} }) as ReturnType<
    typeof labelled
  > & { metadata: { labels?: Record<string, string> }; data?: unknown }
  return { data, label: metadata.labels?.app }
}
const OURS = { data: { v: '1', w: '1' }, label: 'x' }

/** Requests to the cluster that are none of the user's, without the watches that stay open. */
const requests = (story: SetStory): number =>
  story.fleet.env.meters
    .read()
    .filter(({ name, labels }) => name === 'lockstep_client_requests_total' && labels.cluster !== 'hub')
    .filter(({ labels }) => labels.why !== 'user' && labels.verb !== 'watch')
    .reduce((sum, { value }) => sum + value, 0)

/** Whatever was applied there was applied later than anything that the cluster knows of. */
async function aheadOf(story: SetStory): Promise<void> {
  const { hub } = story.fleet
  const key = { namespace: NAMESPACE, name: 'm.crs-crs1.c1' }
  const read = must(await story.during(hub.get(inventoryKind, key, { purpose: 'user' })))
  const objects = read.spec.objects!.map((o) => (o.name === 'x' ? { ...o, resourceVersion: '900000' } : o))
  const next = { ...read, spec: { ...read.spec, objects } }
  must(await story.during(hub.update(inventoryKind, next, { purpose: 'user', manager: 'test' })))
}

describe('drift of any kind is found and put right, once', () => {
  it.each<[string, (story: SetStory) => Promise<unknown>]>([
    ['a value by an Update', (s) => s.editOn('c1', configMapKind, 'x', { data: { v: 'theirs' } })],
    [
      'a value by a forced apply',
      (s) =>
        s.during(
          client(s).apply(configMapKind, labelled({ data: { v: 'theirs' } }) as never, {
            ...BY,
            manager: 'somebody',
          }),
        ),
    ],
    ['a field that is removed', (s) => s.editOn('c1', configMapKind, 'x', { data: { w: null } })],
    [
      'a label that is removed',
      (s) => s.editOn('c1', configMapKind, 'x', { metadata: { labels: { app: null } } }),
    ],
    ['an object that is deleted', (s) => s.deleteOn('c1', configMapKind, 'x')],
    [
      'an object that is replaced',
      async (s) => {
        // As one: nobody comes between the two.
        const { local } = s.fleet.clusters.get('c1')!.api
        local.delete('configmaps', 'default', 'x', 'user')
        local.create(labelled({ data: { v: 'theirs' } }) as never, 'user')
      },
    ],
  ])('%s', async (name, drift) => {
    const story = await delivered(`drift ${name}`)
    const from = story.fleet.commits.length
    await drift(story)
    expect(await story.until(() => JSON.stringify(seen(story)) === JSON.stringify(OURS), 15)).toBe(true)
    expect(await story.until(() => isInSync(story), 15)).toBe(true)
    await story.pass(1800)
    expect(story.writes('c1', from).filter((w) => w.includes('configmaps'))).toHaveLength(1)
    expect(seen(story)).toEqual(OURS)
  })

  it('our marks of managedFields that are reset: applied once more, the content stays', async () => {
    const story = await delivered('drift managedFields')
    const from = story.fleet.commits.length
    await story.editOn('c1', configMapKind, 'x', { metadata: { managedFields: [{}] } })
    await story.pass(1800)
    expect(story.writes('c1', from)).toHaveLength(1)
    expect(seen(story)).toEqual(OURS)
    expect(isInSync(story)).toBe(true)
  })

  it('an etcd that was restored: an older content with the same fields is found, and put right once', async () => {
    const story = await SetStory.open('drift etcd', C1)
    const ask = async (v: string) => {
      await story.source('a', { 'a.yaml': yaml(config('x', v), config('y')) })
      expect(await story.until(() => isInSync(story) && valueOn(story, 'c1', 'x') === v, 60)).toBe(true)
    }
    await story.source('a', { 'a.yaml': yaml(config('x'), config('y')) })
    await story.set('crs1', sources('a'), continuous())
    for (const v of ['1', '2']) await ask(v)
    const { local } = story.fleet.clusters.get('c1')!.api
    const older = local.get('configmaps', 'default', 'x')!
    await ask('3')
    await story.pass(60)
    story.manager.stop()
    await story.pass(1)
    // As it was, and so are its owners; versions that the hub has seen are ahead of those of the cluster.
    const { name, namespace, labels, annotations } = older.metadata
    const body = { ...older, metadata: { name, namespace, labels, annotations } }
    expect(local.apply(body as never, 'lockstep', { force: true }).ok).toBe(true)
    await aheadOf(story)
    const from = story.fleet.commits.length
    story.manager = story.fleet.startController()
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '3' && isInSync(story), 30)).toBe(true)
    await story.pass(1800)
    expect(story.writes('c1', from)).toEqual(['apply configmaps default/x'])
    story.restart()
    await story.pass(600)
    expect([story.writes('c1', from).length, isInSync(story)]).toEqual([1, true])
  })

  it('what only the status says: no write, and no dry-run', async () => {
    const story = await SetStory.open('drift status', C1)
    const web = manifest('Deployment', 'web', {
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    })
    await story.source('a', { 'a.yaml': yaml(web) })
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    await story.pass(60)
    const [from, before] = [story.fleet.commits.length, requests(story)]
    const { local } = story.fleet.clusters.get('c1')!.api
    for (let n = 0; n < 20; n++) {
      const now = local.get('deployments.apps', 'default', 'web')!
      const condition = { type: 'Noted', status: 'True', reason: `N${n}`, message: '' }
      const { conditions = [] } = now.status as { conditions?: object[] }
      const status = { ...(now.status as object), conditions: [...conditions.slice(0, 2), condition] }
      expect(local.updateStatus({ ...now, status } as never, 'somebody').ok).toBe(true)
      await story.pass(90)
    }
    expect(story.writes('c1', from)).toEqual([])
    expect(requests(story) - before).toBe(0)
    expect(isInSync(story)).toBe(true)
  })

  it('what is not ours is not even looked at: no request of any kind', async () => {
    const story = await delivered('drift extra')
    const [from, before] = [story.fleet.commits.length, requests(story)]
    await story.editOn('c1', configMapKind, 'x', {
      data: { more: 'theirs' },
      metadata: { labels: { team: 'a' } },
    })
    await story.pass(1800)
    expect(story.writes('c1', from)).toEqual([])
    expect(requests(story) - before).toBe(0)
    expect(seen(story).data).toEqual({ v: '1', w: '1', more: 'theirs' })
  })
})

describe('drift', () => {
  it('Report: it is said and left', async () => {
    const story = await delivered('drift report', { [SET.drift]: 'Report' })
    const from = story.fleet.commits.length
    await story.editOn('c1', configMapKind, 'x', { data: { v: 'theirs' } })
    expect(await story.until(() => convergedOf(story).startsWith('False/Drifted'), 10)).toBe(true)
    expect(convergedOf(story)).toBe(
      'False/Drifted: in sync on 0 of 1 clusters; Drifted 1: c1 (1 object: ConfigMap default/x (.data.v by "user"))',
    )
    await story.pass(1800)
    expect(story.writes('c1', from)).toEqual([])
    expect(valueOn(story, 'c1', 'x')).toBe('theirs')
    await story.set('crs1', sources('a'), continuous())
    expect(await story.until(() => isInSync(story) && valueOn(story, 'c1', 'x') === '1', 15)).toBe(true)
  })

  it('Report: an object that is deleted stays so, and what to do is said in words of the set', async () => {
    const story = await delivered('drift report-deleted', { [SET.drift]: 'Report' })
    await story.deleteOn('c1', configMapKind, 'x')
    expect(await story.until(() => convergedOf(story).startsWith('False/Drifted'), 10)).toBe(true)
    expect(convergedOf(story)).toContain(
      'ConfigMap default/x (deleted): lockstep.dev/drift is Report, the object is not recreated; recreate it, or set Revert',
    )
    await story.pass(600)
    expect(story.live('c1', 'configmaps', 'x')).toBeUndefined()
  })

  it('Ignore: nothing is said, and nothing is done', async () => {
    const story = await delivered('drift ignore', { [SET.drift]: 'Ignore' })
    const from = story.fleet.commits.length
    await story.editOn('c1', configMapKind, 'x', { data: { v: 'theirs' } })
    await story.pass(1800)
    expect(story.writes('c1', from)).toEqual([])
    expect(isInSync(story)).toBe(true)
  })
})

describe('a kind that may not be watched', () => {
  it('is listed once in an interval; where that comes late, it is said, and until when there would be time', async () => {
    const story = await SetStory.open('drift-overdue', ['c1'])
    const { handle } = story.fleet.clusters.get('c1')!.api
    const json = { 'content-type': 'application/json' }
    const refused = (status: number) => ({
      status,
      headers: status === 429 ? { ...json, 'retry-after': '30' } : json,
      body: JSON.stringify({
        apiVersion: 'v1',
        kind: 'Status',
        status: 'Failure',
        code: status,
        message: 'no',
      }),
    })
    let isBusy = false
    story.fleet.env.net.serve('https://c1.test', async (request) => {
      const isOurs = request.method === 'GET' && request.url.startsWith('/api/v1/configmaps?')
      if (isOurs && request.url.includes('watch=true')) return refused(403)
      return isOurs && isBusy ? refused(429) : handle(request)
    })
    await story.source('a', { 'a.yaml': yaml(config('x')) })
    await story.set('crs1', sources('a'), continuous({ [SET.interval]: '1m' }))
    expect(await story.until(() => isInSync(story), 60)).toBe(true)
    await story.editOn('c1', configMapKind, 'x', { data: { v: 'theirs' } })
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '1', 68)).toBe(true)
    await story.pass(600)
    expect(isInSync(story)).toBe(true)
    isBusy = true
    await story.pass(300)
    expect(convergedOf(story)).toMatch(
      /^Unknown\/CheckOverdue: .*c1 \(configmaps: may not be watched, and not listed for more than 2 intervals of 60s; there is time for one of [3-6]m\)/,
    )
    // Whoever waits for it need not wait for that.
    expect(story.said('crs1', 'Ready')).toMatch(/^True/)
    isBusy = false
    expect(await story.until(() => convergedOf(story).startsWith('True/InSync'), 200)).toBe(true)
  })
})

describe('an interval that is none', () => {
  it('is said with what to write, and what was valid last goes on', async () => {
    const story = await delivered('drift interval', { [SET.interval]: '1m' })
    expect(deliveredOn(story, 'c1')).toBeDefined()
    await story.set('crs1', sources('a'), continuous({ [SET.interval]: '10' }))
    const says = 'False/InvalidSetting: lockstep.dev/interval: "10": not a duration; write "10s" or "10m"'
    expect(await story.until(() => story.said('crs1', 'Ready') === says, 10)).toBe(true)
    await story.editOn('c1', configMapKind, 'x', { data: { v: 'theirs' } })
    expect(await story.until(() => valueOn(story, 'c1', 'x') === '1', 68)).toBe(true)
  })
})

describe('a field that somebody else insists on', () => {
  it('is a fight after a few takes: manager and field are named; other objects are repaired at once', async () => {
    const story = await delivered('drift fight')
    let takes = 0
    const insist = async (seconds: number): Promise<void> => {
      for (let s = 0; s < seconds; s++) {
        if (valueOn(story, 'c1', 'x') === '1') {
          takes++
          const patch = { data: { v: 'theirs' } }
          must(
            await story.during(client(story).patch(configMapKind, X, patch, { ...BY, manager: 'fighter' })),
          )
        }
        await story.pass(1)
      }
    }
    await insist(60)
    expect(takes).toBe(5)
    expect(convergedOf(story)).toBe(
      'False/FieldFight: in sync on 0 of 1 clusters; FieldFight 1: c1 (ConfigMap default/x: "fighter" keeps changing .data.v; remove the field from the manifest)',
    )
    expect(story.said('crs1', 'Ready')).toMatch(/^False\/FieldFight: /)
    await story.editOn('c1', configMapKind, 'y', { data: { v: 'theirs' } })
    expect(await story.until(() => valueOn(story, 'c1', 'y') === '1', 5)).toBe(true)
    await insist(3600)
    expect(takes).toBeLessThanOrEqual(5 + 6)
    await story.pass(1200)
    expect(isInSync(story)).toBe(true)
  })
})
