/** Watches that open and deliver nothing: releases end, no author is blamed, and the cluster reports why it is listed. */
import { describe, expect, it } from 'vitest'
import { HeldWatches } from './heldwatches.ts'
import { NAMESPACE } from './simfleet.ts'
import { publish, ready, reasons, unit } from './single.ts'
import { deploymentManifest, Story } from './steps.ts'

/** `m` is ready on `edge`; from then on the watch of Deployments delivers nothing. */
async function muteStory(name: string, timeoutSeconds: number) {
  const story = await Story.begin(name, ['edge'])
  const options = { health: { timeoutSeconds }, rollout: { progressDeadlineSeconds: 150 } }
  await publish(story, deploymentManifest('web', 'web:1'), options)
  await ready(story)
  story.manager.stop()
  const watches = new HeldWatches()
  story.manager = watches.startController(story.fleet)
  await story.pass(10)
  watches.hold('deployments')
  const condition = () => story.manager.fleet.condition(story.manager.fleet.view(NAMESPACE, 'edge')!)
  return { story, watches, condition, publish: (text: string) => publish(story, text, options) }
}

describe('a mute watch', () => {
  it('holds no release up, fails none, and is named by the cluster until it delivers again', async () => {
    const { story, watches, condition, publish } = await muteStory('mute watch', 90)
    const phases = new Set<string | undefined>()
    for (const version of [2, 3, 4]) {
      await publish(deploymentManifest('web', `web:${version}`))
      const isReady = () => {
        phases.add(story.see('m').status?.rollout?.phase)
        return story.isReady('m')
      }
      expect(await story.until(isReady, 200), reasons(story).join()).toBe(true)
    }
    expect(phases.has('Halted')).toBe(false)
    expect(condition()).toMatchObject({
      state: 'Connected',
      reason: 'WatchStale',
      message: expect.stringMatching(
        /^edge: the watch on apps\/Deployment has delivered nothing since 2026-01-01T00:\d\d:\d\dZ, a read shows newer objects$/,
      ),
    })
    watches.hold()
    await story.pass(150)
    expect(condition()).toEqual({ state: 'Connected', reason: undefined, message: '' })
    const lists = () => watches.requests.filter((r) => r === 'GET /apis/apps/v1/deployments').length
    const from = lists()
    await story.pass(600)
    // A watch that ends at its time begins again by the same request.
    expect(lists() - from).toBeLessThan(3)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('does not prove that an object failed: a kind that cannot be listed either is named instead', async () => {
    const { story, watches, publish } = await muteStory('mute and refused', 90)
    story.fleet.clusters.get('edge')!.world.fail({ image: 'web:2', outcome: 'ImagePull' })
    watches.forbid('/apis/apps/v1/deployments', '/apis/apps/v1/namespaces/default/deployments')
    await publish(deploymentManifest('web', 'web:2'))
    await story.pass(130)
    expect(reasons(story).join()).toMatch(/^Forbidden: /)
    watches.hold()
    watches.forbid()
    expect(
      await story.until(() => unit(story)?.status?.health === 'Failed', 200),
      reasons(story).join(),
    ).toBe(true)
    expect(reasons(story)[0]).toMatch(/^(HealthTimeout|ObjectFailed): Deployment default\/web /)
  })
})
