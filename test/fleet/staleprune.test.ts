/** A cache that does not know yet what its own process has pruned, and a release that brings the object back. */
import { expect, it } from 'vitest'
import { HeldWatches } from './heldwatches.ts'
import { publish, ready } from './single.ts'
import { configManifest, Story } from './steps.ts'

const wave = (n: number): string => `{argocd.argoproj.io/sync-wave: "${n}"}`
const account = (name: string, n: number): string =>
  `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ${name}, namespace: default, annotations: ${wave(n)}}\n`

it.each(['Revert', 'Observe'])(
  'an object that was pruned is created again in its order, drift: %s',
  async (drift) => {
    const options = { apply: { drift } }
    const story = await Story.begin(`stale prune ${drift}`, ['edge'])
    const watches = new HeldWatches()
    story.manager.stop()
    story.manager = watches.startController(story.fleet)
    const kept = configManifest('kept', '1')
    await publish(story, [kept, account('first', 1)], options)
    await ready(story)
    watches.hold('serviceaccounts')
    await publish(story, kept, options)
    const isThere = (name: string) => story.live('edge', 'serviceaccounts', name) !== undefined
    expect(await story.until(() => !isThere('first'))).toBe(true)

    await publish(story, [kept, account('first', 1), account('second', 2)], options)
    await story.pass(20)
    expect(isThere('second')).toBe(false)
    watches.hold()
    await ready(story)
    expect(isThere('first')).toBe(true)
    expect(story.inventory('m', 'edge')?.status?.lastDrift).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  },
)
