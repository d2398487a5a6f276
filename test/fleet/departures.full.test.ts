/** Objects that are to go, and a cluster that is out of order: nothing else waits for it, and it is said. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { must } from './simfleet.ts'
import { dataOf, edge, KEY, listed, liveOf, marked, publish, ready, reasons, said, USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const WEBHOOK = 'Internal error occurred: failed calling webhook "w.x": no endpoints'

interface Fault {
  readonly method: string
  readonly path: RegExp
  readonly code: number
  readonly message: string
}

/** The server answers such requests so, until `stop`. */
function fault(story: Story, { method, path, code, message }: Fault) {
  const { api } = story.fleet.clusters.get('edge')!
  const reason = code === 403 ? 'Forbidden' : 'InternalError'
  const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code, reason, message }
  let tries = 0
  let isFaulty = true
  story.fleet.env.net.serve('https://edge.test', (request) => {
    if (!isFaulty || request.method !== method || !path.test(request.url)) return api.handle(request)
    tries++
    const headers = { 'content-type': 'application/json' }
    return Promise.resolve({ status: code, headers, body: JSON.stringify(status) })
  })
  return {
    tries: () => tries,
    stop: () => {
      isFaulty = false
    },
  }
}

const brokenDelete = { method: 'DELETE', path: /\/configmaps\/x$/, code: 500, message: WEBHOOK }
const brokenPatch = { ...brokenDelete, method: 'PATCH', path: /\/configmaps\/x\b/ }
const near = (value: string): string => configManifest('near', value)

async function delivered(name: string, texts: readonly string[], more: object = {}): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await publish(story, [near('1'), ...texts], more)
  await ready(story)
  return story
}

describe('a webhook that cannot be called', () => {
  it('a prune says so, is tried again with growing patience, and ends once it may', async () => {
    const story = await delivered('500 prune', [configManifest('x', '1')])
    const broken = fault(story, brokenDelete)
    await publish(story, near('2'))
    await story.pass(900)
    expect(reasons(story)).toEqual([`PruneBlocked: ConfigMap default/x cannot be removed: 500 ${WEBHOOK}`])
    expect(broken.tries()).toBeGreaterThan(10)
    expect(broken.tries()).toBeLessThan(30)
    broken.stop()
    expect(await story.until(() => story.isReady('m'), 80)).toBe(true)
    expect([listed(story), liveOf(story)]).toEqual([['near'], undefined])
  })

  it('what is let go of holds up nobody else', async () => {
    const story = await delivered('500 let go', [configManifest('x', '1')])
    const broken = fault(story, brokenPatch)
    await publish(story, [near('2'), said('x', '1', 'lockstep.dev/apply', 'Ignore')])
    expect(await story.until(() => reasons(story).length > 0, 30)).toBe(true)
    expect(dataOf(story, 'near')).toEqual({ value: '2' })
    expect(reasons(story)[0]).toMatch(/^PruneBlocked: ConfigMap default\/x cannot be removed/)
    broken.stop()
    await ready(story)
    expect([marked(liveOf(story)), dataOf(story)]).toEqual([false, { value: '1' }])
  })

  it('what leaves before another is applied holds up only that', async () => {
    const noted = (text: string, note: string): string =>
      text.replace('namespace: default}', `namespace: default, annotations: {kapp.k14s.io/${note}}}`)
    const story = await delivered('500 early', [noted(configManifest('x', '1'), 'change-group: old')])
    const broken = fault(story, brokenDelete)
    const later = noted(configManifest('later', '1'), 'change-rule: "upsert after deleting old"')
    await publish(story, [near('2'), later])
    expect(await story.until(() => reasons(story).length > 0, 30)).toBe(true)
    expect([dataOf(story, 'near'), liveOf(story, 'later')]).toEqual([{ value: '2' }, undefined])
    expect(reasons(story).some((r) => r.startsWith('PruneBlocked'))).toBe(true)
    broken.stop()
    await ready(story)
    expect([liveOf(story), dataOf(story, 'later')]).toEqual([undefined, { value: '1' }])
  })

  it.each([
    ['Delete', brokenDelete],
    ['Orphan', brokenPatch],
  ])('a unit that leaves (%s) says so, and ends once it may', async (deletionPolicy, broken) => {
    const story = await delivered(`500 ${deletionPolicy}`, [configManifest('x', '1')], {
      apply: { deletionPolicy },
    })
    const faulty = fault(story, broken)
    await story.deleteModule('m')
    await story.pass(20)
    expect(reasons(story)).toEqual([
      expect.stringMatching(/^PruneBlocked: ConfigMap default\/x cannot be removed/),
    ])
    expect(marked(liveOf(story, 'near'))).toBe(false)
    faulty.stop()
    expect(await story.until(() => story.inventories.length === 0, 80)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('what is to be kept stays listed until its Namespace is let go of', async () => {
    const story = await delivered('500 around', [
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n',
      said('x', '1', 'lockstep.dev/prune', 'Disabled').replace('namespace: default', 'namespace: shop'),
    ])
    const broken = fault(story, { ...brokenPatch, path: /\/namespaces\/shop\b(?!\/)/, code: 403 })
    await publish(story, near('1'))
    await story.pass(60)
    expect(listed(story)).toEqual(['near', 'shop', 'x'])
    broken.stop()
    expect(await story.until(() => story.isReady('m'), 310)).toBe(true)
    expect(story.live('edge', 'configmaps', 'x', 'shop')?.data).toEqual({ value: '1' })
  })
})

it('a refused delete of an object that somebody writes to all the time is tried with growing patience', async () => {
  const story = await delivered('beat', [configManifest('x', '1')])
  const denied = fault(story, { ...brokenDelete, code: 403, message: 'no' })
  await publish(story, near('1'))
  for (let i = 0; i < 100; i++) {
    const beat = { metadata: { annotations: { beat: `${i}` } } }
    must(await story.during(edge(story).patch(configMapKind, KEY, beat, USER)))
    await story.pass(2)
  }
  expect(denied.tries()).toBeLessThan(10)
  const data = { data: { beat: 'x' } }
  const before = denied.tries()
  await story.pass(310)
  for (let i = 0; i < 30; i++) {
    must(await story.during(edge(story).patch(configMapKind, KEY, data, USER)))
    await story.pass(2)
  }
  expect(denied.tries() - before).toBeLessThan(3)
})

describe('an object of a kind that cannot be listed any more', () => {
  it.each(['when it has left the bundle', 'when its unit leaves'])('%s: that is said', async (when) => {
    const secret = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: default}\n'
    const story = await delivered(`unlisted ${when}`, [secret])
    story.manager.stop()
    const words = 'secrets is forbidden'
    const denied = fault(story, { method: 'GET', path: /\/secrets\?/, code: 403, message: words })
    story.manager = story.fleet.startController()
    if (when === 'when its unit leaves') await story.deleteModule('m')
    else await publish(story, near('2'))
    // A list of all namespaces is refused first: the right to list this one is enough.
    const text = `Forbidden: Secret default/s cannot be deleted: its kind cannot be listed: list Secrets in namespace default: ${words}`
    await story.pass(20)
    expect(reasons(story)).toEqual([text])
    denied.stop()
    if (when === 'when its unit leaves')
      expect(await story.until(() => story.inventories.length === 0, 700)).toBe(true)
    else await ready(story, 700)
    expect(story.live('edge', 'secrets', 's')).toBeUndefined()
  })
})
