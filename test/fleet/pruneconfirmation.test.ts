/** An update that waits for a person alone: its Module reports that, and its clock stands still. */
import { expect, it } from 'vitest'
import { liveOf, publish, ready, said } from './single.ts'
import { configManifest, Story } from './steps.ts'

it('a Module shows the confirmation that its only unit waits for, and reaches no deadline', async () => {
  const story = await Story.begin('confirmation', ['edge'])
  const asks = said('x', '1', 'argocd.argoproj.io/sync-options', 'Prune=confirm')
  await publish(story, [asks, configManifest('stays', '1')])
  await ready(story)
  await publish(story, configManifest('stays', '2'), { rollout: { progressDeadlineSeconds: 60 } })
  await story.pass(90)
  expect(story.see('m').status?.rollout?.phase).toBe('Progressing')
  expect(liveOf(story)?.data).toEqual({ value: '1' })
  const [cluster] = story.fleet.clusters.keys()
  expect(story.blockers('m')).toEqual([
    `PruneConfirmation: ConfigMap default/x on ${cluster} needs confirmation: lockstep rollout approve m --stage prune, or kubectl delete configmap x -n default`,
  ])
})
