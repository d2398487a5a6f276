/** Manifests that people really run, each platform as one module: in order, without a request too many. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { at, isArray, type KubeObject, refOf, refText } from '../../packages/kube/src/object/index.ts'
import { orderSteps } from '../../packages/lockstep/src/decisions/order/ordersteps.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { graphOf } from '../order.ts'
import { canRun, sharedData } from '../shareddata.ts'
import { Story } from './steps.ts'

const CORPUS = sharedData('corpus/platform')
const isThere = canRun('platforms as one module', CORPUS)

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

interface Answered {
  readonly method: string
  readonly path: string
  readonly status: number
}

/** A platform on a cluster that is lifelike slow, and every answer of that cluster. */
async function platform(folder: string, apply: object = {}) {
  const story = await Story.begin(folder, ['edge'], { delays: LIFELIKE })
  const root = join(CORPUS, folder)
  const names: string[] = []
  for (const e of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!e.name.endsWith('.yaml')) continue
    const name = `${folder}-${names.length}`
    await story.config(name, readFileSync(join(e.parentPath, e.name), 'utf8'))
    names.push(name)
  }
  const answers: Answered[] = []
  story.fleet.env.net.wire('https://edge.test', {
    async after({ method, path }, { status }) {
      if (!path.includes('watch=true')) answers.push({ method, path, status })
      return undefined
    },
  })
  const from = story.fleet.commits.length
  await story.module('platform', names, { apply: { ...apply } })
  return { story, names, answers, from }
}

describe.runIf(isThere)('kube-prometheus, setup and manifests in one module', () => {
  it('is ready without a refused write: definitions are served before what is of their kind; then it is quiet', async () => {
    const { story, names, answers, from } = await platform('kube-prometheus')
    const isReady = await story.until(() => story.isReady('platform'), 900)
    expect([isReady, story.blockers('platform')]).toEqual([true, []])
    const refused = answers.filter((a) => WRITES.has(a.method) && a.status >= 400)
    expect(refused).toEqual([])

    const served = new Set<string>()
    let customs = 0
    for (const { cluster, next } of story.fleet.commits.slice(from)) {
      if (cluster !== 'edge' || !next) continue
      if (next.kind === 'CustomResourceDefinition' && isEstablished(next))
        served.add(`${at(next, 'spec', 'group')}/${at(next, 'spec', 'names', 'kind')}`)
      if (!next.apiVersion.startsWith('monitoring.coreos.com/')) continue
      customs++
      expect(served).toContain(`monitoring.coreos.com/${next.kind}`)
    }
    expect(customs).toBeGreaterThan(10)
    expect(outOfOrder(story, await bundle(story), from)).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])

    await story.pass(60)
    answers.length = 0
    await story.module('platform', names, { attempt: 1 })
    await story.pass(900)
    expect(story.isReady('platform')).toBe(true)
    expect(answers.filter((a) => !isIdentity(a))).toEqual([])
  }, 300_000)
})

describe.runIf(isThere)('ingress-nginx', () => {
  const JOBS = ['ingress-nginx-admission-create', 'ingress-nginx-admission-patch']
  const IMAGE = /kube-webhook-certgen:v[^\s@]+/g
  const TTL = /^ *ttlSecondsAfterFinished: 0\n/gm
  const uids = (story: Story) =>
    JOBS.map((name) => story.live('edge', 'jobs.batch', name, 'ingress-nginx')?.metadata.uid)
  const made = ({ fleet }: Story): number =>
    fleet.commits.filter((c) => c.resource === 'jobs.batch' && c.verb === 'create' && c.cluster === 'edge')
      .length
  const text = isThere ? readFileSync(join(CORPUS, 'ingress-nginx/deploy.yaml'), 'utf8') : ''
  const changed = (from: string): string => from.replace(IMAGE, 'kube-webhook-certgen:v99.0.0')

  it('runs its Jobs once, which go when they are done; another image of theirs runs them once more', async () => {
    expect([IMAGE.test(text), TTL.test(text)]).toEqual([true, true])
    const { story, names } = await platform('ingress-nginx')
    expect(await story.until(() => story.isReady('platform'), 900)).toBe(true)
    await story.pass(60)
    expect([made(story), uids(story)]).toEqual([2, [undefined, undefined]])
    await story.module('platform', names, { attempt: 1 })
    await story.pass(900)
    expect([story.isReady('platform'), made(story)]).toEqual([true, 2])
    await story.config('changed', changed(text))
    await story.module('platform', 'changed')
    expect(await story.until(() => story.isReady('platform') && made(story) === 4, 900)).toBe(true)
    await story.pass(900)
    expect([story.isReady('platform'), made(story)]).toEqual([true, 4])
    expect(story.fleet.oracles.violations).toEqual([])
  }, 300_000)

  it('that keeps its Jobs: another image of theirs is ImmutableField, or runs them once more', async () => {
    const { story } = await platform('ingress-nginx')
    const kept = text.replace(TTL, '')
    await story.config('kept', kept)
    await story.module('platform', 'kept')
    expect(await story.until(() => story.isReady('platform'), 900)).toBe(true)
    const before = uids(story)
    expect(before).not.toContain(undefined)
    await story.config('changed', changed(kept))
    await story.module('platform', 'changed')
    const reasons = () => story.inventory('platform', 'edge')?.status?.blockers?.map((b) => b.reason) ?? []
    expect(await story.until(() => reasons().filter((r) => r === 'ImmutableField').length === 2)).toBe(true)
    expect(uids(story)).toEqual(before)

    await story.module('platform', 'changed', { apply: { replaceImmutable: true } })
    expect(await story.until(() => story.isReady('platform'), 900)).toBe(true)
    const after = uids(story)
    expect(after.filter((u) => u === undefined || before.includes(u))).toEqual([])
    await story.pass(900)
    expect(uids(story)).toEqual(after)
    expect(story.fleet.oracles.violations).toEqual([])
  }, 300_000)
})

/** What the module has published. */
const bundle = (story: Story): Promise<readonly KubeObject[]> =>
  story.bundle(story.see('platform').status!.bundle!)

/** Objects that were made before something that `lockstep plan --order` prints as coming first (38). */
function outOfOrder(story: Story, objects: readonly KubeObject[], from: number): string[] {
  const made = story.fleet.commits
    .slice(from)
    .filter((c) => c.cluster === 'edge' && c.actor === 'lockstep' && c.old === undefined && c.next)
    .map((c) => refText(refOf(c.next!)))
  const at = (name: string): number => made.indexOf(name)
  const steps = orderSteps(graphOf(objects)).filter((s) => s.action === 'apply')
  expect(steps.filter((s) => s.after.length > 0).length).toBeGreaterThan(10)
  return steps.flatMap(({ object, after }) => {
    const early = after.filter(({ name }) => at(name) >= 0 && at(name) > at(object))
    return [
      ...(at(object) < 0 ? [`${object} was not made`] : []),
      ...early.map((e) => `${object} before ${e.name}`),
    ]
  })
}

function isEstablished(o: KubeObject): boolean {
  const conditions = at(o, 'status', 'conditions')
  return (
    isArray(conditions) &&
    conditions.some((c) => at(c, 'type') === 'Established' && at(c, 'status') === 'True')
  )
}

/** Whether the cluster is there, and still the same one. */
const isIdentity = ({ path }: Answered): boolean => path.includes('kube-system')
