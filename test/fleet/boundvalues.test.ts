/** What a value is once it is bound. */
import { expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { clusterSecret, must } from './simfleet.ts'
import { USER } from './single.ts'
import { Story } from './steps.ts'

const CLUSTERS = ['c0', 'c1']
const REPLACE = { rollout: { strategy: 'Replace' } }

const objects = (...all: readonly object[]) => ({ inline: { objects: all } })
const config = (data: Readonly<Record<string, unknown>>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default' },
  data,
})

async function begun(name: string, source: object, more: object): Promise<Story> {
  const story = await Story.begin(name, CLUSTERS)
  await story.module('web', source, { ...REPLACE, ...more })
  return story
}

async function label(story: Story, cluster: string, labels: Record<string, string>): Promise<void> {
  const secret = clusterSecret(cluster, { env: 'prod', ...labels })
  must(await story.during(story.fleet.hub.apply(secretKind, secret, { ...USER, force: true })))
}

const dataOf = (story: Story, cluster: string) => story.live(cluster, 'configmaps', 'a')?.data
const blockers = (story: Story) => story.blockers('web')

it('is one scalar, whatever is in it: no object more; one of another type blocks its unit, and says so', async () => {
  const story = await begun('literal', objects(config({ r: '$(region)', n: 'n$(replicas)' })), {
    bindings: [
      { name: 'region', value: 'x"\nkind: Secret' },
      { name: 'replicas', type: 'Integer', cluster: { label: 'replicas' }, default: '2' },
    ],
  })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  for (const n of CLUSTERS) {
    expect(dataOf(story, n)).toEqual({ r: 'x"\nkind: Secret', n: 'n2' })
    expect(story.writes(n)).toEqual(['create configmaps default/a'])
    expect(story.fleet.clusters.get(n)!.api.local.list('secrets')).toEqual([])
  }
  const since = story.fleet.commits.length
  await label(story, 'c1', { replicas: 'abc' })
  expect(await story.until(() => blockers(story).length > 0, 60)).toBe(true)
  expect(blockers(story)).toEqual(['BindingInvalid: replicas: "abc" is not an Integer'])
  expect(story.see('web').status?.clusters).toMatchObject({ total: 2, ready: 1, blocked: 1 })
  expect([story.writes('c0', since), story.writes('c1', since)]).toEqual([[], []])
})
