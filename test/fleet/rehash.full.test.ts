/** A key of digests that is lost for good: `lockstep reconcile --rebuild-digests`. */
import { describe, expect, it } from 'vitest'
import { controllerRevisionKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { encodeJson, type JsonValue } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { adviceOf } from '../../packages/lockstep/src/api/reasons/index.ts'
import { KEY, keys, secretManifest, USER } from './keys.cases.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const clusters = ['c1', 'c2']

const both = (value: string): string => `${secretManifest('a', value)}---\n${configManifest('b', 'same')}`

/** `web` is made of a Secret; `open` of a ConfigMap in which there is one. */
async function begin(name: string, more: object = {}): Promise<Story> {
  const story = await Story.begin(name, clusters)
  await story.secret('web', both('hunter2'))
  await story.module('web', { secrets: [{ name: 'web' }] }, more)
  await story.config('open', secretManifest('open', 'hunter3'))
  await story.module('open', 'open')
  expect(await story.until(() => isReady(story), 600)).toBe(true)
  return story
}

const isReady = (story: Story): boolean => ['web', 'open'].every((m) => story.isReady(m))

/** Everything that was known by heart is forgotten. */
async function loseKey(story: Story): Promise<string> {
  const [kid] = await keys(story)
  must(await story.during(story.fleet.hub.delete(secretKind, KEY, USER)))
  story.manager.stop()
  story.manager = story.fleet.startController()
  await story.pass(60)
  return kid!
}

let requests = 0
async function rehash(story: Story, name: string): Promise<string> {
  const asked = `${++requests}`
  const patch = { metadata: { annotations: { 'lockstep.dev/rehash': asked } } }
  must(await story.during(story.fleet.hub.patch(moduleKind, { namespace: NAMESPACE, name }, patch, USER)))
  return asked
}

const answered = (story: Story, name: string): string | undefined =>
  story.see(name).status?.lastHandledRehashAt

const targetWrites = (story: Story, from: number): string[] =>
  clusters.flatMap((c) => story.writes(c, from).map((w) => `${c} ${w}`))

/** What still names a key: Inventories, and the published revision. */
async function named(story: Story, module: string, kid: string): Promise<string[]> {
  const found = clusters.filter((c) => {
    const { spec, status } = story.inventory(module, c)!
    return encodeJson([spec.objects ?? [], status?.contentDigest ?? ''] as JsonValue).includes(kid)
  })
  const { items } = must(
    await story.during(story.fleet.hub.list(controllerRevisionKind, { ...USER, namespace: NAMESPACE })),
  )
  const published = items.find(
    (r) => (r.data as { revision?: string }).revision === story.see(module).status?.currentRevision,
  )
  return encodeJson(published ?? {}).includes(kid) ? [...found, 'revision'] : found
}

describe('a key that is lost for good', () => {
  it('is given up module by module: digests move to the current key, and nothing is written to a cluster', async () => {
    const story = await begin('rehash')
    const lost = await loseKey(story)
    const text = story.blockers('web')[0]
    expect(text).toMatch(
      /^HmacKeyMissing: Secret .* but ControllerRevision .* requires it; restore it from a backup$/,
    )
    const [blocker] = story.see('web').status?.blockers ?? []
    expect(adviceOf(blocker!)).toContain('lockstep reconcile module/web -n platform --rebuild-digests')
    const from = story.fleet.commits.length
    const asked = await rehash(story, 'web')
    expect(await story.until(() => answered(story, 'web') === asked && story.isReady('web'), 600)).toBe(true)
    await story.pass(120)
    expect(targetWrites(story, from)).toEqual([])
    expect(await named(story, 'web', lost)).toEqual([])
    const [current] = await keys(story)
    expect(current).not.toBe(lost)
    expect(story.see('web').status?.bundle).toContain(`v1:${current}:`)
    for (const c of clusters)
      for (const o of story.inventory('web', c)?.spec.objects ?? [])
        expect(o.content).toContain(`v1:${current}:`)
    // The other one waits for a word of its own.
    expect(story.inventory('open', 'c1')?.status?.blockers?.[0]?.message).toContain(
      `Secret lockstep-system/lockstep-hmac has no key ${lost}, but`,
    )
    const second = await rehash(story, 'open')
    expect(await story.until(() => answered(story, 'open') === second && isReady(story), 600)).toBe(true)
    expect(targetWrites(story, from)).toEqual([])
    // From now on as ever: what changes is written, by itself.
    await story.secret('web', both('hunter4'))
    await story.config('open', secretManifest('open', 'hunter5'))
    await story.pass(5)
    expect(await story.until(() => isReady(story), 600)).toBe(true)
    expect(targetWrites(story, from).sort()).toEqual(
      clusters.flatMap((c) => [`${c} apply secrets default/a`, `${c} apply secrets default/open`]),
    )
    expect(story.fleet.oracles.violations).toEqual([])
    expect(encodeJson([...story.manager.hub.modules.store.all(), ...story.inventories])).not.toContain(
      'hunter',
    )
  })

  it.each<[string, (story: Story) => Promise<unknown>, string]>([
    [
      'changed',
      (story) => {
        const patch = { data: { value: Buffer.from('hunter6').toString('base64') } }
        const client = story.fleet.clusters.get('c1')!.client
        return client.patch(secretKind, { namespace: 'default', name: 'a' }, patch, {
          ...USER,
          manager: 'kubectl',
        })
      },
      '1 object: Secret default/a (.data.value by "kubectl")',
    ],
    [
      'deleted',
      (story) =>
        story.fleet.clusters.get('c1')!.client.delete(secretKind, { namespace: 'default', name: 'a' }, USER),
      '1 object: Secret default/a (deleted)',
    ],
  ])(
    'what is %s by others is shown, and nothing is changed there; put right, it goes on by itself',
    async (_, disturb, words) => {
      const story = await begin(`rehash drift ${words}`)
      // Nobody is there to repair it.
      story.manager.stop()
      const saved = story.live('c1', 'secrets', 'a')!
      must((await story.during(disturb(story))) as { ok: true; value: unknown })
      const lost = await loseKey(story)
      const from = story.fleet.commits.length
      const known = () => {
        const { assigned: _, ...spec } = story.inventory('web', 'c1')!.spec
        return encodeJson(spec)
      }
      const before = known()
      const asked = await rehash(story, 'web')
      await story.pass(300)
      expect(story.inventory('web', 'c1')?.status?.blockers?.[0]?.message).toContain(words)
      expect(story.blockers('web').join('\n')).toContain('lockstep diff web@c1 --drift -n platform')
      expect(known()).toBe(before)
      expect(targetWrites(story, from)).toEqual([])
      expect(await named(story, 'web', lost)).toEqual(['c1'])
      expect(answered(story, 'web')).toBeUndefined()
      const {
        resourceVersion: _v,
        uid: _u,
        managedFields: _m,
        creationTimestamp: _c,
        ...metadata
      } = saved.metadata
      const { client } = story.fleet.clusters.get('c1')!
      const there = await story.during(client.get(secretKind, { namespace: 'default', name: 'a' }, USER))
      const body = { ...saved, metadata } as never
      must(
        await story.during(
          there.ok
            ? client.update(
                secretKind,
                { ...there.value, data: (saved as { data?: object }).data } as never,
                USER,
              )
            : client.create(secretKind, body, USER),
        ),
      )
      expect(await story.until(() => answered(story, 'web') === asked && story.isReady('web'), 600)).toBe(
        true,
      )
      expect(await named(story, 'web', lost)).toEqual([])
    },
  )

  it('below a release too: the next one needs no further word', async () => {
    const story = await begin('rehash frozen', { release: 'r1' })
    await loseKey(story)
    const from = story.fleet.commits.length
    const asked = await rehash(story, 'web')
    expect(await story.until(() => answered(story, 'web') === asked && story.isReady('web'), 600)).toBe(true)
    await story.module('web', { secrets: [{ name: 'web' }] }, { release: 'r2' })
    expect(await story.until(() => story.isReady('web', 'r2'), 600)).toBe(true)
    expect(targetWrites(story, from)).toEqual([])
  })

  it('where nothing is lost the request is answered at once', async () => {
    const story = await begin('rehash needless')
    const from = story.fleet.commits.length
    const asked = await rehash(story, 'web')
    await story.pass(5)
    expect(answered(story, 'web')).toBe(asked)
    expect(targetWrites(story, from)).toEqual([])
    const inventories = story.fleet.commits.slice(from).filter((c) => c.resource.startsWith('inventories'))
    expect(inventories).toEqual([])
  })
})
