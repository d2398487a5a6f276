/** Refusals of a ResourceQuota, and Secrets of a bundle with other content. */
import { expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

it('an exceeded quota is named; the object is delivered after the quota was raised', async () => {
  const story = await Story.begin('quota', ['edge'])
  const { api } = story.fleet.clusters.get('edge')!
  const message = 'configmaps "c" is forbidden: exceeded quota: small, requested: count/configmaps=1'
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 403,
    reason: 'Forbidden',
    message,
  }
  const headers = { 'content-type': 'application/json' }
  let isFull = true
  story.fleet.env.net.serve('https://edge.test', async (request) =>
    isFull && request.method === 'PATCH' && request.url.includes('/configmaps/c')
      ? { status: 403, headers, body: JSON.stringify(status) }
      : api.handle(request),
  )
  await story.config('c', configManifest('c', '1'))
  await story.module('c', 'c', { rollout: { maxFailed: 1 } })
  expect(await story.until(() => story.blockers('c').join().includes('QuotaExceeded: '), 60)).toBe(true)
  expect(story.blockers('c').join()).toContain('exceeded quota: small')
  isFull = false
  expect(await story.until(() => story.isReady('c'), 330), story.blockers('c').join('\n')).toBe(true)
  expect(story.blockers('c')).toEqual([])
  expect(story.fleet.oracles.violations).toEqual([])
})

it('a bundle whose Secrets another client wrote is named, and stored again after they were deleted', async () => {
  const story = await Story.begin('bundle conflict', ['edge'])
  await story.config('c', configManifest('c', '1'))
  await story.module('c', 'c')
  expect(await story.until(() => story.isReady('c'))).toBe(true)
  const { bundle = '' } = story.see('c').status ?? {}
  const name = `lockstep-bundle-${bundle.split(':')[1]!.slice(0, 10)}-0`
  const key = { namespace: NAMESPACE, name }
  const stored = must(await story.during(story.fleet.hub.get(secretKind, key, USER)))
  await story.config('c2', configManifest('c', '2'))
  await story.module('c', 'c2')
  expect(await story.until(() => story.isReady('c'))).toBe(true)
  // The content of the first bundle is lost, and its name taken.
  must(await story.during(story.fleet.hub.delete(secretKind, key, USER)))
  const { uid: _, resourceVersion: __, ...metadata } = stored.metadata
  const other = { ...stored, metadata, data: { ...stored.data, [Object.keys(stored.data!)[0]!]: btoa('x') } }
  must(await story.during(story.fleet.hub.create(secretKind, other, USER)))
  await story.module('c', 'c', { attempt: 1 } as never)
  expect(await story.until(() => story.blockers('c').join().includes('BundleConflict: '), 60)).toBe(true)
  must(await story.during(story.fleet.hub.delete(secretKind, key, USER)))
  expect(await story.until(() => story.isReady('c'), 120), story.blockers('c').join('\n')).toBe(true)
  // The oracle reports the deletions of the person, and nothing else.
  expect(new Set(story.fleet.oracles.violations.map((v) => v.invariant))).toEqual(new Set(['I11']))
})
