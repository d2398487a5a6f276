/** One kind that a cluster cannot list: that is about who delivers it, and about nobody else. */
import { expect, it } from 'vitest'
import { publish, ready, reasons } from './single.ts'
import { configManifest, Story } from './steps.ts'

const INGRESS =
  'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i, namespace: default}\nspec: {defaultBackend: {service: {name: x, port: {number: 80}}}}\n'
const WORDS = 'conversion webhook for networking.k8s.io/v1, Kind=Ingress failed'

/** Requests that match are answered with an error, until `stop`. */
function sicken(story: Story, isSick: (path: string) => boolean, code: number) {
  const { api } = story.fleet.clusters.get('edge')!
  let isOn = true
  const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', code, message: WORDS }
  story.fleet.env.net.serve('https://edge.test', (request) => {
    if (!isOn || !isSick(request.url)) return api.handle(request)
    const headers = { 'content-type': 'application/json', ...(code === 429 ? { 'retry-after': '1' } : {}) }
    return Promise.resolve({
      status: code,
      headers,
      body: JSON.stringify({ ...status, reason: 'InternalError' }),
    })
  })
  return () => {
    isOn = false
  }
}

it.each([500, 503, 429])(
  'a list answered with %i: others are delivered, the unit at fault says why',
  async (code) => {
    const story = await Story.begin(`sick ${code}`, ['edge'])
    await story.config('o1', configManifest('other', '1'))
    await story.module('other', 'o1')
    await publish(story, configManifest('near', '1'))
    await ready(story)
    const heal = sicken(story, (path) => /\/ingresses\?/.test(path), code)
    await publish(story, [configManifest('near', '2'), INGRESS])
    await story.pass(300)
    await story.config('o2', configManifest('other', '2'))
    await story.module('other', 'o2')
    expect(await story.until(() => story.isReady('other'), 60)).toBe(true)
    expect(story.live('edge', 'configmaps', 'other')?.data).toEqual({ value: '2' })
    expect(story.live('edge', 'configmaps', 'near')?.data).toEqual({ value: '2' })
    expect(reasons(story)).toEqual([
      expect.stringMatching(/^WatchStale: ingresses.networking.k8s.io cannot be listed on edge: list /),
    ])
    heal()
    expect(
      await story.until(() => story.live('edge', 'ingresses.networking.k8s.io', 'i') !== undefined, 120),
    ).toBe(true)
  },
)

it('a cluster that answers everything with 500 is unreachable all the same', async () => {
  const story = await Story.begin('sick cluster', ['edge'])
  await publish(story, configManifest('near', '1'))
  await ready(story)
  const heal = sicken(story, () => true, 500)
  story.manager.stop()
  story.manager = story.fleet.startController()
  await publish(story, configManifest('near', '2'))
  const isLost = () => story.blockers('m').some((b) => /ClusterUnreachable|edge.*500/.test(b))
  expect(await story.until(isLost, 300), story.blockers('m').join()).toBe(true)
  heal()
  await ready(story, 300)
})
