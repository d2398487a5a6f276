/** Modules whose manifests are in Secrets. */
import { describe, expect, it } from 'vitest'
import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, encodeJson } from '../../packages/kube/src/object/index.ts'
import { TIER } from '../tier.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const secretManifest = (name: string, value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: default}\nstringData: {value: "${value}"}\n`

const SOURCE = { secrets: [{ name: 'a' }, { name: 'b' }] }
const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const

async function begin(name: string): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await story.secret('a', secretManifest('one', 'hunter2-1'))
  await story.secret('b', configManifest('two', 'hunter2-1'))
  await story.module('web', SOURCE)
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  return story
}

/** What anybody can read on the hub who may not read Secrets. */
const readable = (commits: readonly CommitRecord[]): string =>
  encodeJson(commits.filter((c) => c.cluster === 'hub' && c.resource !== 'secrets').map((c) => c.next))

describe('source.secrets', () => {
  it('is delivered, and its values are nowhere but in Secrets; digests over it are keyed', async () => {
    const story = await begin('secrets')
    expect(story.live('edge', 'configmaps', 'two')).toMatchObject({ data: { value: 'hunter2-1' } })
    const { status } = story.see('web')
    expect(status?.sourceRevision).toMatch(/^secrets@v1:[0-9a-f]{8}:[0-9a-f]{10}$/)
    expect(status?.bundle).toMatch(/^v1:[0-9a-f]{8}:[0-9a-f]{64}$/)
    for (const o of story.inventory('web', 'edge')?.spec.objects ?? [])
      expect(o.content).toMatch(/^v1:[0-9a-f]{8}:[0-9a-f]{64}$/)
    await story.secret('a', 'value: "hunter2-3\nkey: [hunter2-4')
    await story.pass(5)
    expect(story.blockers('web')).toEqual([
      expect.stringMatching(/^RenderFailed: Secret platform\/a key all.yaml:\d+:\d+: not valid YAML$/),
    ])
    await story.secret('a', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, labels: {l: [hunter2]}}\n')
    await story.pass(5)
    expect(story.blockers('web')[0]).toContain('metadata.labels.l: the value is not a string')
    const text = readable(story.fleet.commits)
    expect(text).not.toContain('hunter2')
    expect(text).not.toContain(bytesToBase64(new TextEncoder().encode('hunter2-1')))
  })

  it('deleted, or without the key that is named: ResourceNotFound, nothing is deleted; there again: nothing is written', async () => {
    const story = await begin('secretgone')
    const from = story.fleet.commits.length
    const key = { namespace: NAMESPACE, name: 'a' }
    must(await story.during(story.fleet.hub.delete(secretKind, key, USER)))
    await story.pass(60)
    expect(story.blockers('web')).toEqual([
      'ResourceNotFound: spec.source.secrets[0]: Secret platform/a does not exist',
    ])
    await story.secret('a', secretManifest('one', 'hunter2-1'))
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(story.writes('edge', from)).toEqual([])
    await story.module('web', { secrets: [{ name: 'a', key: 'none' }, { name: 'b' }] })
    await story.pass(5)
    expect(story.blockers('web')[0]).toContain('Secret platform/a has no key none; keys: all.yaml')
    expect(story.writes('edge', from)).toEqual([])
  })

  it.skipIf(TIER === 'short').each(['secrets', 'configMaps'] as const)(
    '%s written 1,000 times a minute, and made anew: a revision is of what belongs together',
    async (field) => {
      const story = await begin(`busy ${field}`)
      const write = async (n: number): Promise<void> => {
        const texts = { a: configManifest('one', `${n}`), b: configManifest('two', `${n}`) }
        for (const name of ['a', 'b'] as const)
          await (field === 'secrets' ? story.secret(name, texts[name]) : story.config(name, texts[name]))
      }
      await write(0)
      await story.module('web', { [field]: SOURCE.secrets })
      for (let n = 1; n <= 500; n++) {
        if (n % 50 === 0) {
          const kind = field === 'secrets' ? secretKind : configMapKind
          const key = { namespace: NAMESPACE, name: 'a' }
          must(await story.during(story.fleet.hub.delete(kind, key, USER)))
        }
        await write(n)
        // Now and then whoever writes takes a breath, between two versions.
        await story.pass(n % 100 === 0 ? 1.5 : 0.12)
      }
      expect(story.blockers('web')).toEqual([])
      expect(await story.until(() => story.isReady('web'))).toBe(true)
      const seen = new Map<string, Set<string>>()
      for (const c of story.fleet.commits) {
        const revision = (c.next?.metadata.annotations as Record<string, string> | undefined)?.[
          'lockstep.dev/bundle-digest'
        ]
        if (c.resource !== 'secrets' || revision === undefined) continue
        const bundle = await story.during(story.bundle(revision))
        seen.set(revision, new Set(bundle.map((o) => (o as { data?: { value?: string } }).data?.value ?? '')))
      }
      const versions = [...seen.values()].slice(1)
      expect(versions.length).toBeGreaterThanOrEqual(4)
      expect(versions.length).toBeLessThan(50)
      for (const values of versions) expect(values.size).toBe(1)
    },
    60_000,
  )

  it('that never stand still are said to, and are published when they do', async () => {
    const story = await begin('restless')
    for (let n = 0; n < 100; n++) {
      await story.secret('b', configManifest('two', `n${n}`))
      await story.pass(0.5)
    }
    expect(story.blockers('web')[0]).toMatch(
      /^Fetching: the source has changed for \d+s; it is published after 1s without changes/,
    )
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(story.live('edge', 'configmaps', 'two')).toMatchObject({ data: { value: 'n99' } })
  })
})
