/** Keys for digests over secrets: another one changes nothing, a lost one is waited for. */
import { describe, expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { encodeJson } from '../../packages/kube/src/object/index.ts'
import { allReady, begin, KEY, keyCases, keys, moved, secretManifest, USER } from './keys.cases.ts'
import { must } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const SMALL = { modules: 3, clusters: 2 }

// With 200 units: `test/deep/keys.deep.test.ts`.
keyCases(SMALL)

describe('a key that is lost', () => {
  it('is not made anew while a digest names it: what needs it waits, the rest goes on; restored, nothing is written', async () => {
    const story = await begin('lost', SMALL)
    expect(await story.until(() => allReady(story, SMALL), 600)).toBe(true)
    const saved = must(await story.during(story.fleet.hub.get(secretKind, KEY, USER)))
    must(await story.during(story.fleet.hub.delete(secretKind, KEY, USER)))
    story.manager.stop()
    story.manager = story.fleet.startController()
    await story.pass(60)
    const from = story.fleet.commits.length
    await story.secret('m0', secretManifest('m0', 'two'))
    await story.config('plain', configManifest('plain', '2'))
    await story.secret('late', secretManifest('late', 'one'))
    await story.module('late', { secrets: [{ name: 'late' }] })
    await story.pass(1200)
    expect(story.blockers('late')[0]).toMatch(/^HmacKeyMissing: .* but another Module requires it; restore/)
    expect(story.blockers('m0')[0]).toMatch(
      /^HmacKeyMissing: Secret lockstep-system\/lockstep-hmac does not exist, but ControllerRevision platform\/m0-[0-9a-f]+ requires it; restore/,
    )
    expect(story.inventory('m1', 'c1')?.status?.blockers?.[0]).toMatchObject({ reason: 'HmacKeyMissing' })
    expect(story.isReady('plain')).toBe(true)
    expect(moved(story, from).filter((w) => !/plain|late/.test(w))).toEqual([])
    await expect(keys(story)).rejects.toThrow('NotFound')
    await story.secret('m0', `${secretManifest('m0', 'one')}---\n${secretManifest('m0-b', 'same')}`)
    const { uid: _, resourceVersion: __, creationTimestamp: ___, ...metadata } = saved.metadata
    must(await story.during(story.fleet.hub.create(secretKind, { ...saved, metadata }, USER)))
    await story.pass(5)
    expect(await story.until(() => allReady(story, SMALL), 600)).toBe(true)
    expect(moved(story, from).filter((w) => !/plain|late/.test(w))).toEqual([])
    expect(encodeJson(story.blockers('m0'))).toBe('[]')
  })

  it('is made anew where nothing names it', async () => {
    const story = await Story.begin('unneeded', [])
    await story.pass(5)
    const [first] = await keys(story)
    must(await story.during(story.fleet.hub.delete(secretKind, KEY, USER)))
    await story.pass(5)
    expect(await keys(story)).toHaveLength(1)
    expect(first).toMatch(/^[0-9a-f]{8}$/)
  })
})
