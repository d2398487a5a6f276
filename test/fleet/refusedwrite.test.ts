/** Wrong answers to a write that the cluster has executed: nothing is written after it, and the report still ends. */
import { expect, it } from 'vitest'
import { jobHook, together } from './hookspecs.ts'
import { begun } from './hookstory.ts'
import { NAMESPACE } from './simfleet.ts'
import { configManifest } from './steps.ts'

it('is reported, and not for ever', async () => {
  const story = await begun('refused write', together(configManifest('c', '1'), jobHook('h', 'PostSync')))
  const { env, clusters } = story.fleet
  const { api } = clusters.get('edge')!
  let spoilt = 0
  env.net.serve('https://edge.test', async (request) => {
    const answer = await api.handle(request)
    if (request.method !== 'PATCH' || !request.url.includes('/jobs/h')) return answer
    spoilt++
    return { ...answer, body: '<html>' }
  })
  const condition = () => story.manager.fleet.condition(story.manager.fleet.view(NAMESPACE, 'edge')!)
  expect(await story.until(() => condition().reason === 'AnswerRefused')).toBe(true)
  expect(await story.until(() => story.isReady('m')), story.blockers('m').join('\n')).toBe(true)
  expect(spoilt).toBe(1)
  await story.pass(65)
  expect(condition()).toEqual({ state: 'Connected', reason: undefined, message: '' })
  expect(story.blockers('m')).toEqual([])
  story.fleet.oracles.atRest()
  expect(story.fleet.oracles.violations).toEqual([])
})
