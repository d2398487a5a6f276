/** Objects that a cluster does not take: what is said of it, and how often it is asked again. */
import { expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { must } from './simfleet.ts'
import { edge, publish, ready, reasons, USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

it('a Namespace that is not there is named, and waited for', async () => {
  const story = await Story.begin('no namespace', ['edge'])
  const inside = configManifest('x', '1').replace('namespace: default', 'namespace: shop')
  await publish(story, inside)
  expect(await story.until(() => reasons(story).length > 0, 30)).toBe(true)
  expect(reasons(story)).toEqual([
    'ApplyFailed: ConfigMap shop/x: Namespace shop does not exist; add it to the bundle, or create it',
  ])
  await publish(story, ['apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n', inside])
  await ready(story)
})

it('an object that may not be taken over is asked for each 5 minutes, and taken over once it may be', async () => {
  const story = await Story.begin('not ours to take', ['edge'])
  const labels = { 'kustomize.toolkit.fluxcd.io/name': 'a', 'kustomize.toolkit.fluxcd.io/namespace': 'b' }
  const key = { name: 'x', namespace: 'default' }
  const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, labels } }
  must(await story.during(edge(story).create(configMapKind, theirs, USER)))
  const { api } = story.fleet.clusters.get('edge')!
  let requests = 0
  story.fleet.env.net.serve('https://edge.test', (request) => {
    if (/configmaps\/x\b/.test(request.url)) requests++
    return api.handle(request)
  })
  await publish(story, configManifest('x', '1'))
  await story.pass(600)
  expect(reasons(story)).toEqual([
    expect.stringMatching(/^AdoptionRefused: ConfigMap default\/x belongs to Flux/),
  ])
  const before = requests
  await story.pass(3600)
  expect(requests - before).toBeLessThanOrEqual(3 * 12)
  await publish(story, configManifest('x', '1'), { apply: { adopt: 'Listed' } })
  await ready(story, 30)
})
