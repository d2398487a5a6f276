/** What a ClusterResourceSet in Reconcile sends to a cluster when its sources change, and what it leaves to others. */
import { describe, expect, it } from 'vitest'
import { deploymentKind } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'

/** Without `replicas`: they are somebody else's business. */
const web = (image: string) =>
  manifest('Deployment', 'web', {
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } },
    },
  })

async function applied(name: string, write: string, ...objects: readonly object[]): Promise<SetStory> {
  const story = await SetStory.open(name, ['c1'])
  await story.source('a', { 'a.yaml': yaml(...objects) })
  await story.set('crs1', sources('a'), { strategy: 'Reconcile', annotations: { [SET.write]: write } })
  expect(await story.until(() => story.isApplied('crs1', ['c1']), 10)).toBe(true)
  return story
}

/** Bodies of our patches of a name, from now on. */
function patches(story: SetStory, name: string): unknown[] {
  const bodies: unknown[] = []
  story.fleet.env.net.wire('https://c1.test', {
    before: async ({ method, path, headers, body }) => {
      const isOurs = String(headers['user-agent'] ?? '').startsWith('lockstep')
      if (isOurs && method === 'PATCH' && path.includes(`/${name}`)) bodies.push(JSON.parse(body!))
      return undefined
    },
  })
  return bodies
}

const deployed = (story: SetStory) => {
  const { spec } = story.live('c1', 'deployments.apps', 'web') as unknown as {
    spec: { replicas: number; template: { spec: { containers: { image: string }[] } } }
  }
  return { replicas: spec.replicas, image: spec.template.spec.containers[0]!.image }
}

describe('a Deployment without replicas that somebody has scaled, and its image changes', () => {
  it('write: Apply: the replicas stay', async () => {
    const story = await applied('sets-scaled', 'Apply', web('web:1'))
    await story.editOn('c1', deploymentKind, 'web', { spec: { replicas: 5 } })
    await story.source('a', { 'a.yaml': yaml(web('web:2')) })
    expect(await story.until(() => deployed(story).image === 'web:2', 10)).toBe(true)
    await story.pass(600)
    expect(deployed(story)).toEqual({ replicas: 5, image: 'web:2' })
  })

  it('write: MergePatch: they go, as with Cluster API', async () => {
    const story = await applied('sets-scaled-merge', 'MergePatch', web('web:1'))
    await story.editOn('c1', deploymentKind, 'web', { spec: { replicas: 5 } })
    await story.source('a', { 'a.yaml': yaml(web('web:2')) })
    expect(await story.until(() => deployed(story).image === 'web:2', 10)).toBe(true)
    expect(deployed(story).replicas).toBe(1)
  })
})

it('write: MergePatch: one request, whose body is the difference (RFC 7396) from what is there to the manifest', async () => {
  const config = (data: object) => ({ ...manifest('ConfigMap', 'x'), data })
  const story = await applied('sets-merge-body', 'MergePatch', config({ same: '1', other: '1', gone: '1' }))
  await story.editOn('c1', configMapKind, 'x', {
    metadata: { labels: { team: 'a' }, annotations: { note: 'theirs' }, finalizers: ['theirs.dev/f'] },
    data: { theirs: '1' },
    immutable: false,
  })
  const bodies = patches(story, 'x')
  const asked = config({ same: '1', other: '2' })
  await story.source('a', { 'a.yaml': yaml(asked) })
  await story.pass(10)
  // What the server keeps of an object is in no manifest, and goes the same way: a server puts it back.
  const kept = { uid: null, creationTimestamp: null, managedFields: null }
  const theirs = { finalizers: null, labels: { team: null }, annotations: { note: null } }
  const data = { other: '2', gone: null, theirs: null }
  expect(bodies).toEqual([{ metadata: { ...kept, ...theirs }, data, immutable: null }])
  expect(story.live('c1', 'configmaps', 'x')).toMatchObject({ data: asked.data })
  await story.source('a', { 'a.yaml': yaml(asked), 'b.yaml': '# another hash' })
  await story.pass(10)
  expect(bodies.slice(1)).toEqual([{ metadata: kept }])
})
