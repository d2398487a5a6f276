/** A server that asks to wait a moment, as it does for a kind that was defined just now. */
import { expect, it } from 'vitest'
import { configManifest, Story } from './steps.ts'

it('a list that was asked to wait once is complete after that, and says so', async () => {
  const story = await Story.begin('asked to wait', ['edge'])
  const { api } = story.fleet.clusters.get('edge')!
  const body = JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    reason: 'TooManyRequests',
    code: 429,
    message: '',
  })
  let asked = 0
  story.fleet.env.net.serve('https://edge.test', async (r) => {
    const isLate = r.method === 'GET' && /configmaps\?.*metadata.name%3Doutside/.test(r.url) && asked++ === 0
    const headers = { 'content-type': 'application/json', 'retry-after': '1' }
    return isLate ? { status: 429, headers, body } : api.handle(r)
  })
  const wait = '[{"apiVersion": "v1", "kind": "ConfigMap", "name": "outside"}]'
  const text = configManifest('c', '1').replace('}', `, annotations: {lockstep.dev/wait-for: '${wait}'}}`)
  await story.config('v1', text)
  await story.module('m', 'v1')
  const reasons = () => story.inventory('m', 'edge')?.status?.blockers?.map((b) => b.reason) ?? []
  expect(await story.until(() => asked > 0, 60)).toBe(true)
  expect(await story.until(() => reasons().includes('WaitNotFound'), 30), reasons().join()).toBe(true)
})
