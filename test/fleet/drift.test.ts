/** What it costs to put right what others change, and when it is given up. */
import { describe, expect, it } from 'vitest'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import type { JsonValue } from '../../packages/kube/src/object/index.ts'
import { must } from './simfleet.ts'
import { edge as edgeStart } from './starts/edge.ts'
import { forked } from './starts/start.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

/** What a server says to a credential that may list and not watch. */
const FORBIDDEN = {
  status: 403,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    kind: 'Status',
    reason: 'Forbidden',
    message: 'configmaps is forbidden: cannot watch',
    code: 403,
  }),
}

const X = { namespace: 'default', name: 'x' }
const WEB = { namespace: 'default', name: 'web' }

/** Requests of the controllers to a cluster, without the watches that stay open. */
const requests = (story: Story): number =>
  story.fleet.env.meters
    .read()
    .filter(
      (s) =>
        s.name === 'lockstep_client_requests_total' &&
        s.labels.cluster === 'edge' &&
        s.labels.why !== 'user' &&
        s.labels.verb !== 'watch',
    )
    .reduce((sum, s) => sum + s.value, 0)

/** With `apply` not from a fork: a process that has not applied an object itself reads it before it repairs it. */
async function delivered(name: string, apply?: Record<string, unknown>): Promise<Story> {
  if (apply === undefined) return forked(edgeStart, name)
  const story = await Story.begin(name, ['edge'])
  await story.config('x', `${configManifest('x', 'ours')}`)
  await story.module('x', 'x', { apply })
  expect(await story.until(() => story.isReady('x'))).toBe(true)
  // Intents are over by then, and nothing is under way.
  await story.pass(60)
  return story
}

async function edit(story: Story, patch: JsonValue, manager = 'kubectl-edit', key = X): Promise<void> {
  const { client } = story.fleet.clusters.get('edge')!
  const o = { purpose: 'user', manager, precondition: 'any' } as const
  must(await story.during(client.patch(configMapKind, key, patch, o)))
}

const textOf = (story: Story) =>
  (story.live('edge', 'configmaps', 'x')?.data as { value?: string } | undefined)?.value
const status = (story: Story) => story.inventory('x', 'edge')?.status
const reasons = (story: Story) => (status(story)?.blockers ?? []).map((b) => b.reason)

describe('what others change of what is ours', () => {
  it('is put right within 5 s, with one request', async () => {
    const story = await delivered('repair', {})
    const before = requests(story)
    await edit(story, { data: { value: 'theirs' } })
    expect(await story.until(() => textOf(story) === 'ours', 5)).toBe(true)
    await story.pass(30)
    expect(requests(story) - before).toBe(1)
    expect(status(story)?.lastDrift?.message).toBe('ConfigMap default/x (.data.value by "kubectl-edit")')
    expect(story.isReady('x')).toBe(true)
  })

  it('is not even looked at, where it is not ours: 0 requests', async () => {
    const story = await delivered('foreign')
    const [before, commits] = [requests(story), story.fleet.commits.length]
    await edit(story, { data: { other: 'theirs' }, metadata: { labels: { team: 'a' } } })
    await story.pass(1200)
    expect(requests(story) - before).toBe(0)
    expect(story.fleet.commits.slice(commits).map((c) => c.actor)).toEqual(['kubectl-edit'])
    expect(story.live('edge', 'configmaps', 'x')?.data).toEqual({ value: 'ours', other: 'theirs' })
  })

  it.each([
    ['path', { paths: ['/data/value'] }],
    ['manager', { managers: ['tuner'] }],
  ])('is not even looked at, where it is left to others by %s', async (_, rule) => {
    const story = await delivered('ignored', { ignore: [rule] })
    const [before, commits] = [requests(story), story.fleet.commits.length]
    await edit(story, { data: { value: 'theirs' } }, 'tuner')
    await story.pass(1200)
    expect(requests(story) - before).toBe(0)
    expect(story.fleet.commits.slice(commits).map((c) => c.actor)).toEqual(['tuner'])
    expect([textOf(story), story.isReady('x')]).toEqual(['theirs', true])
  })

  it('is applied once more when somebody wipes managedFields, and then it is quiet', async () => {
    const story = await delivered('wiped', {})
    const before = requests(story)
    await edit(story, { metadata: { managedFields: [{}] } })
    await story.pass(1200)
    expect(requests(story) - before).toBe(1)
    expect([textOf(story), story.isReady('x')]).toEqual(['ours', true])
    expect(status(story)?.lastDrift?.message).toMatch(/^ConfigMap default\/x \(/)
  })

  it('is put right once in 10 s; until then the unit says what it waits for', async () => {
    const story = await delivered('pace')
    await edit(story, { data: { value: 'first' } })
    expect(await story.until(() => textOf(story) === 'ours', 5)).toBe(true)
    await edit(story, { data: { value: 'second' } }, 'another')
    expect(await story.until(() => reasons(story).includes('DriftDetected'), 5)).toBe(true)
    expect(status(story)?.blockers?.[0]?.message).toBe(
      'ConfigMap default/x (.data.value by "another"): reverting drift',
    )
    await story.pass(4)
    expect(textOf(story)).toBe('second')
    expect(await story.until(() => textOf(story) === 'ours', 7)).toBe(true)
    expect(await story.until(() => story.isReady('x'), 5)).toBe(true)
  })

  it('is put right after a deletion, and after our marks were taken off, also with adopt: Never', async () => {
    const story = await delivered('marks', { adopt: 'Never' })
    await edit(story, { metadata: { labels: { 'lockstep.dev/unit': null } } })
    const isOurs = () =>
      story.live('edge', 'configmaps', 'x')?.metadata.labels?.['lockstep.dev/unit'] === 'm.platform.x'
    expect(await story.until(isOurs, 5)).toBe(true)
    await story.pass(60)
    expect(story.isReady('x')).toBe(true)
    await edit(story, { metadata: { annotations: { 'lockstep.dev/inventory': null } } })
    expect(
      await story.until(() => status(story)?.lastDrift?.message.includes('annotation') === true, 15),
    ).toBe(true)
    await story.pass(60)
    expect(story.isReady('x')).toBe(true)
  })

  it('stays with drift: Ignore, and nothing is said; new content is delivered', async () => {
    const story = await delivered('ignore', { drift: 'Ignore' })
    await edit(story, { data: { value: 'theirs' } })
    await story.pass(1200)
    expect([textOf(story), status(story)?.conditions?.map((c) => c.type)]).toEqual([
      'theirs',
      ['Ready', 'Reconciling', 'Stalled'],
    ])
    await story.config('x2', configManifest('x', 'newer'))
    await story.module('x', 'x2', { apply: { drift: 'Ignore' } })
    expect(await story.until(() => textOf(story) === 'newer')).toBe(true)
  })

  it('an object that is deleted stays deleted with drift: Observe, and the unit says so', async () => {
    const story = await delivered('observe', { drift: 'Observe' })
    const { client } = story.fleet.clusters.get('edge')!
    must(
      await story.during(
        client.delete(configMapKind, X, { purpose: 'user', manager: 'u', precondition: 'any' }),
      ),
    )
    expect(await story.until(() => reasons(story).includes('DriftNotReverted'), 5)).toBe(true)
    await story.pass(600)
    expect(story.live('edge', 'configmaps', 'x')).toBeUndefined()
    expect(status(story)?.blockers?.[0]?.message).toBe(
      'ConfigMap default/x (deleted): spec.apply.drift is Observe, the object is not recreated; recreate it, or set Revert',
    )
    expect(story.see('x').status?.conditions?.find((c) => c.type === 'DriftDetected')?.message).toBe(
      'edge: 1 object: ConfigMap default/x (deleted)',
    )
  })
  it('says so with drift: Ignore too; made again, or repaired, it is ready', async () => {
    const story = await delivered('ignore-deleted', { drift: 'Ignore' })
    const { client } = story.fleet.clusters.get('edge')!
    must(
      await story.during(
        client.delete(configMapKind, X, { purpose: 'user', manager: 'u', precondition: 'any' }),
      ),
    )
    expect(await story.until(() => reasons(story).includes('DriftNotReverted'), 5)).toBe(true)
    await story.module('x', 'x', { apply: { drift: 'Revert' } })
    expect(await story.until(() => story.isReady('x') && textOf(story) === 'ours', 30)).toBe(true)
  })
})

describe('behind what is unwell', () => {
  const WAVES = `${deploymentManifest('web', 'web:1')}---\n${configManifest('x', 'ours').replace(
    'namespace: default}',
    'namespace: default, annotations: {argocd.argoproj.io/sync-wave: "1"}}',
  )}`

  it('what was delivered once is put right all the same; new content waits', async () => {
    const story = await Story.begin('drift behind', ['edge'])
    await story.config('v1', WAVES)
    await story.config('v2', WAVES.replace('ours', 'new'))
    await story.module('x', 'v1')
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    const { client, world } = story.fleet.clusters.get('edge')!
    world.fail({ workload: 'web', outcome: 'CrashLoop' })
    expect(await story.until(() => !story.isReady('x'), 60)).toBe(true)
    must(
      await story.during(
        client.delete(configMapKind, X, { purpose: 'user', manager: 'user', precondition: 'any' }),
      ),
    )
    expect(await story.until(() => story.live('edge', 'configmaps', 'x') !== undefined, 5)).toBe(true)
    await story.module('x', 'v2')
    await story.pass(30)
    expect(story.live('edge', 'configmaps', 'x')?.data).toEqual({ value: 'ours' })
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('on a paused cluster', () => {
  it('what others change is said and left; put right once the pause is over', async () => {
    const story = await delivered('paused')
    const pause = (value: string | null) =>
      story.during(
        story.fleet.hub.patch(
          secretKind,
          { namespace: 'platform', name: 'edge' },
          { metadata: { annotations: { 'lockstep.dev/paused': value } } },
          { purpose: 'user', manager: 'user', precondition: 'any' },
        ),
      )
    must(await pause('true'))
    await story.pass(5)
    const before = requests(story)
    await edit(story, { data: { value: 'theirs' } })
    const isSaid = () => story.see('x').status?.conditions?.some((c) => c.type === 'DriftDetected') === true
    expect(await story.until(isSaid, 10)).toBe(true)
    await story.pass(1200)
    expect([textOf(story), requests(story) - before]).toEqual(['theirs', 0])
    must(await pause(null))
    expect(await story.until(() => textOf(story) === 'ours', 10)).toBe(true)
    expect(await story.until(() => !isSaid(), 10)).toBe(true)
  })
})

describe('a field that somebody else insists on', () => {
  it('is a fight after 4 takes, and is taken once in 10 minutes from then on', async () => {
    const story = await delivered('fight')
    let takes = 0
    const insist = async (seconds: number): Promise<void> => {
      for (let s = 0; s < seconds; s++) {
        if (textOf(story) === 'ours') {
          takes++
          await edit(story, { data: { value: 'theirs' } }, 'operator')
        }
        await story.pass(1)
      }
    }
    await insist(60)
    expect(takes).toBe(5)
    expect(reasons(story)).toContain('FieldFight')
    expect(status(story)?.blockers?.[0]?.message).toBe(
      'ConfigMap default/x: "operator" keeps changing .data.value; to ignore the field set spec.apply.ignore',
    )
    expect(story.isReady('x')).toBe(false)
    await insist(3600)
    expect(takes).toBe(5 + 6)
    // It lets go: once more, and that was it.
    await story.pass(1200)
    expect([textOf(story), story.isReady('x')]).toEqual(['ours', true])
  })

  it('new content is delivered at once all the same', async () => {
    const story = await delivered('fight2')
    for (let i = 0; i < 5; i++) {
      await edit(story, { data: { value: `theirs${i}` } }, 'operator')
      await story.pass(11)
    }
    expect(reasons(story)).toContain('FieldFight')
    await story.config('x2', configManifest('x', 'newer'))
    await story.module('x', 'x2')
    expect(await story.until(() => textOf(story) === 'newer', 30)).toBe(true)
  })
})

describe('an object that appears between a look and the first apply', () => {
  it.each([
    ['Never', { value: 'theirs' }],
    ['Unowned', { value: 'ours' }],
  ])('adopt: %s', async (adopt, data) => {
    const story = await Story.begin(`race ${adopt}`, ['edge'])
    const { client } = story.fleet.clusters.get('edge')!
    let isArmed = true
    story.fleet.env.net.wire('https://edge.test', {
      async before(request) {
        if (!isArmed || request.method !== 'PATCH') return undefined
        isArmed = false
        const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: WEB, data: { value: 'theirs' } }
        must(await client.create(configMapKind, theirs, { purpose: 'user', manager: 'kubectl-create' }))
        return undefined
      },
    })
    await story.config('web', configManifest('web', 'ours'))
    await story.module('web', 'web', { apply: { adopt } })
    const isDone = () =>
      story.isReady('web') ||
      story.inventory('web', 'edge')?.status?.blockers?.[0]?.reason === 'AdoptionRefused'
    expect(await story.until(isDone, 60)).toBe(true)
    await story.pass(1200)
    expect([isArmed, story.live('edge', 'configmaps', 'web')?.data]).toEqual([false, data])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('where watching is not permitted', () => {
  it('a shorter driftInterval counts at once, not after the longer one', async () => {
    const story = await Story.begin('sooner', ['edge'])
    const { handle } = story.fleet.clusters.get('edge')!.api
    story.fleet.env.net.serve('https://edge.test', async (request) => {
      const isWatch = request.url.startsWith('/api/v1/configmaps?') && request.url.includes('watch=true')
      return isWatch ? FORBIDDEN : handle(request)
    })
    await story.config('x', configManifest('x', 'ours'))
    await story.module('x', 'x', { apply: { driftInterval: '10h' } })
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    await story.module('x', 'x', { apply: { driftInterval: '30s' } })
    await story.pass(40)
    await edit(story, { data: { value: 'theirs' } })
    expect(await story.until(() => textOf(story) === 'ours', 40)).toBe(true)
  })

  it('what others change is found by a list once in driftInterval, and the unit says so', async () => {
    const story = await Story.begin('poll', ['edge'])
    const { handle } = story.fleet.clusters.get('edge')!.api
    const lists: string[] = []
    story.fleet.env.net.serve('https://edge.test', async (request) => {
      const isOurs = request.url.startsWith('/api/v1/configmaps?')
      if (isOurs && request.method === 'GET') lists.push(String(request.headers.accept))
      return isOurs && request.url.includes('watch=true') ? FORBIDDEN : handle(request)
    })
    await story.config('x', configManifest('x', 'ours'))
    await story.module('x', 'x', { apply: { driftInterval: '5m' } })
    expect(await story.until(() => story.isReady('x'))).toBe(true)
    await story.pass(60)
    const polling = status(story)?.conditions?.find((c) => c.type === 'DriftDetection')
    expect(polling).toMatchObject({
      reason: 'Polling',
      message: 'configmaps: may not be watched, listed each 5m',
    })
    expect(new Set(lists)).toEqual(
      new Set([
        'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
        'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      ]),
    )
    await edit(story, { data: { value: 'theirs' } })
    expect(await story.until(() => textOf(story) === 'ours', 335)).toBe(true)
    const before = lists.length
    await story.pass(3000)
    // A list and a watch that is refused, each 0.9 to 1.1 intervals.
    expect(lists.length - before).toBeGreaterThanOrEqual(18)
    expect(lists.length - before).toBeLessThanOrEqual(22)
    expect(story.isReady('x')).toBe(true)
    // The right comes: no restart is needed.
    story.fleet.env.net.serve('https://edge.test', handle)
    await story.pass(600)
    expect(status(story)?.conditions?.some((c) => c.type === 'DriftDetection')).toBe(false)
    await edit(story, { data: { value: 'again' } })
    expect(await story.until(() => textOf(story) === 'ours', 5)).toBe(true)
  })
})
