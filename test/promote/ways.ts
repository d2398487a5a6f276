/** The ways in which a revision gets from one environment into the next, each with all that others do for it, and how often it was done. */
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { keyOfPromotion } from '../../packages/lockstep/src/decisions/promotion/promotionkey.ts'
import { weaveIdentity } from '../../packages/lockstep/src/decisions/weave/weavepipeline.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { applied, handedOver, ofModules, written } from './modulestory.ts'
import { PipelineStory, REPOSITORY } from './pipelinestory.ts'
import { openTheirs } from './theirs.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

/** Revisions come from `dev`, and go to `staging`. */
export interface PromotionWay {
  readonly name: string
  readonly story: PipelineStory
  /** Another revision is ready where they come from. */
  release(version: number): Promise<void>
  /** What people, and what delivers environments, do meanwhile: now and then. */
  live(): Promise<void>
  /** What was done for the newest promotion, other than once. */
  problems(): string[]
}

export type OpenWay = (seed: string) => Promise<PromotionWay>

const versionOf = (n: number): string => `${n}.0.0`

/** Neither this nor that many times. */
const times = (what: string, wanted: number, found: number): string[] =>
  found === wanted ? [] : [`${what}: ${found} times, not ${wanted}`]

/** What is at the base is delivered, once it is there. */
function deliverer(story: PipelineStory): () => Promise<void> {
  let delivered: string | undefined
  return async () => {
    const head = (await story.during(story.repository.store.branches())).get('main')
    if (head === delivered) return
    await story.deliver()
    delivered = head
  }
}

const keyOf = (story: PipelineStory): string => keyOfPromotion(story.last('staging')!.spec)

/** By pull request: merged by us, or by somebody who sees that it is open. */
const byPull =
  (name: string, autoMerge: boolean): OpenWay =>
  async (seed) => {
    const story = await PipelineStory.open(seed)
    await story.runs('dev', versionOf(1))
    await story.follows('staging')
    await story.pipeline({ dev: {}, staging: { promotion: { pullRequest: { autoMerge } } } })
    const deliver = deliverer(story)
    return {
      name,
      story,
      release: (n) => story.runs('dev', versionOf(n)),
      async live() {
        const open = story.repository.pulls.list().filter((p) => p.state === 'open')
        for (const { number } of autoMerge ? [] : open)
          await story.during(story.repository.merge(number, { method: 'merge', by: 'person' }))
        await deliver()
      },
      problems: () => [
        ...times('a pull request', 1, story.repository.journal.pullsOf(keyOf(story)).length),
        ...times('a change', 1, story.repository.journal.changesOf(keyOf(story), 'main').length),
      ],
    }
  }

const byPush: OpenWay = async (seed) => {
  const story = await PipelineStory.open(seed)
  await story.pushSecret('token-1')
  await story.runs('dev', versionOf(1))
  await story.follows('staging')
  const push = { url: `https://git.test/${REPOSITORY}`, secretRef: { name: 'push' } }
  await story.pipeline({ dev: {}, staging: { promotion: { strategy: 'push', push } } })
  return {
    name: 'push',
    story,
    release: (n) => story.runs('dev', versionOf(n)),
    live: deliverer(story),
    problems: () => times('a change', 1, story.repository.journal.changesOf(keyOf(story), 'main').length),
  }
}

const byModule: OpenWay = async (seed) => {
  const places = ['dev', 'east', 'west']
  const story = await PipelineStory.open(seed, { environments: places })
  const release = async (n: number) => {
    const content = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: dev}\ndata: {v: "${n}"}\n`
    for (const namespace of places) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app', namespace } }
      must(
        await story.during(
          story.fleet.hub.apply(configMapKind, { ...body, data: { a: content } } as never, WRITE),
        ),
      )
    }
    await applied(story, 'dev', { ...source, release: `r${n}` })
  }
  // These hubs have no clusters.
  const source = { source: { configMaps: [{ name: 'app' }] }, targets: { allowEmpty: true } }
  await release(1)
  for (const namespace of ['east', 'west']) await handedOver(story, namespace, source, { release: 'r1' })
  const targets = [{ namespace: 'east' }, { namespace: 'west' }]
  await story.pipeline(
    { dev: {}, staging: { promotion: { strategy: 'module' }, targets } },
    { spec: ofModules },
  )
  let before = 0
  return {
    name: 'module',
    story,
    release(n) {
      before = written(story).length
      return release(n)
    },
    live: async () => {},
    problems() {
      const now = written(story).slice(before).sort().join()
      return now === 'east,west' ? [] : [`Modules written: ${now}`]
    },
  }
}

const byNotification: OpenWay = async (seed) => {
  const story = await PipelineStory.open(seed)
  const got: { readonly id: string; readonly revision: string }[] = []
  story.fleet.env.net.serve('https://hooks.test', async (r) => {
    const body = await r.body(1_000_000)
    const text = new TextDecoder().decode(must(body))
    got.push({ id: r.headers['ce-id'] ?? '', revision: String(JSON.parse(text).revision) })
    return { status: 202, headers: {}, body: '' }
  })
  await story.runs('dev', versionOf(1))
  await story.runs('staging', versionOf(1))
  const notification = { url: 'https://hooks.test/in' }
  await story.pipeline({ dev: {}, staging: { promotion: { strategy: 'notification', notification } } })
  let delivered = 0
  return {
    name: 'notification',
    story,
    release: (n) => story.runs('dev', versionOf(n)),
    async live() {
      if (got.length > delivered) await story.runs('staging', got.at(-1)!.revision)
      delivered = got.length
    },
    problems() {
      const { revision } = story.last('staging')!.spec
      const ids = new Set(got.filter((g) => g.revision === revision).map((g) => g.id))
      return [...times('an id', 1, ids.size), ...(ids.has(keyOf(story)) ? [] : ['another id than its key'])]
    },
  }
}

/** What the pipeline-controller of weaveworks has left open is merged by people: ours is never opened beside it. */
const byAdoption: OpenWay = async (seed) => {
  const story = await PipelineStory.open(seed)
  await story.runs('dev', versionOf(1))
  await story.follows('staging')
  await story.pipeline({ dev: {}, staging: {} }, { spec: { identity: weaveIdentity(NAMESPACE, 'podinfo') } })
  const deliver = deliverer(story)
  return {
    name: 'a pull request of the pipeline-controller',
    story,
    async release(n) {
      await openTheirs(story, 'staging', versionOf(n))
      await story.runs('dev', versionOf(n))
    },
    async live() {
      const { promotion, phase } = story.environment('staging') ?? {}
      const open = story.repository.pulls.list().find((p) => p.state === 'open')
      const isOurs = story.last('staging')?.status?.intent?.adopts === open?.number
      if (open && isOurs && phase === 'Open' && promotion === story.last('staging')?.metadata.name)
        await story.during(story.repository.merge(open.number, { method: 'merge', by: 'person' }))
      await deliver()
    },
    problems() {
      const all = story.repository.pulls.list()
      const { revision } = story.last('staging')!.spec
      const theirs = all.filter((p) => p.title.endsWith(` to ${revision}`) && p.state === 'merged')
      return [
        ...times('a merge', 1, theirs.length),
        ...times('a pull request of ours', 0, all.filter((p) => p.head.startsWith('lockstep/')).length),
      ]
    },
  }
}

export const WAYS: readonly OpenWay[] = [
  byPull('pull request, merged by us', true),
  byPush,
  byNotification,
  byPull('pull request, merged by people', false),
  byModule,
  byAdoption,
]
