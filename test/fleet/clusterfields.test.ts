/** Bindings that are fields of the objects that clusters are at the hub. */
import { describe, expect, it } from 'vitest'
import { InventoryStory, UP } from './inventorystory.ts'
import { NAMESPACE } from './simfleet.ts'
import { Story } from './steps.ts'

const objects = (...all: readonly object[]) => ({ inline: { objects: all } })
const config = (data: Readonly<Record<string, unknown>>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default' },
  data,
})
const REPLACE = { rollout: { strategy: 'Replace' } }
const dataOf = (story: Story, cluster: string) =>
  story.live(cluster, 'configmaps', 'a')?.data as Readonly<Record<string, string>> | undefined
const blockers = (story: Story) => story.blockers('web')
/** Clusters to which something was written since. */
const written = (story: Story, since: number): string[] => [
  ...new Set(story.fleet.commits.slice(since).map((c) => c.cluster)),
]

describe('fields of the objects that clusters are', () => {
  const version = { name: 'version', cluster: { fieldPath: 'spec.topology.version' } }
  const spec = (v: string) => ({ spec: { topology: { version: v } } })

  it('are bound there; a change of one is delivered to that cluster alone', async () => {
    const story = await InventoryStory.open('cluster fields', ['c0', 'c1', 'c2'])
    const kind = await story.installClusterApi()
    for (const [i, n] of ['c0', 'c1', 'c2'].entries()) {
      await story.kubeconfig(n)
      await story.object(kind, n, UP, i === 2 ? {} : spec(`v1.3${i}.0`))
    }
    const data = { version: '$(version)' }
    await story.module('web', objects(config(data)), { ...REPLACE, bindings: [version] })
    expect(
      await story.until(() => dataOf(story, 'c0') !== undefined && dataOf(story, 'c1') !== undefined),
    ).toBe(true)
    expect([dataOf(story, 'c0'), dataOf(story, 'c1')]).toEqual([
      { version: 'v1.30.0' },
      { version: 'v1.31.0' },
    ])
    expect(blockers(story)).toEqual([
      `BindingUnresolved: version: Cluster ${NAMESPACE}/c2 has no spec.topology.version; set it or give a default`,
    ])
    const since = story.fleet.commits.length
    await story.object(kind, 'c0', UP, spec('v1.35.0'))
    expect(await story.until(() => dataOf(story, 'c0')?.version === 'v1.35.0')).toBe(true)
    expect(written(story, since).sort()).toEqual(['c0', 'hub'])
    await story.object(kind, 'c2', UP, spec('v1.32.0'))
    expect(await story.until(() => dataOf(story, 'c2')?.version === 'v1.32.0')).toBe(true)
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('of a Secret are not read, whatever is in it', async () => {
    const story = await Story.begin('no secret fields', ['c0'])
    const kubeconfig = { name: 'kubeconfig', cluster: { fieldPath: 'data.kubeconfig' } }
    const data = { all: '$(kubeconfig)' }
    await story.module('web', objects(config(data)), { ...REPLACE, bindings: [kubeconfig] })
    await story.pass(10)
    expect(blockers(story)).toEqual([
      `BindingUnresolved: kubeconfig: Secret ${NAMESPACE}/c0 is not read field by field; use label or annotation, or give a default`,
    ])
    expect(dataOf(story, 'c0')).toBeUndefined()
  })

  it('at a path that is none are refused when that is published', async () => {
    const story = await Story.begin('no path', ['c0'])
    const bad = { name: 'bad', cluster: { fieldPath: 'spec[x]' } }
    await story.module('web', objects(config({ a: '$(bad)' })), { ...REPLACE, bindings: [bad] })
    await story.pass(5)
    expect(blockers(story)).toEqual([
      'BindingInvalid: spec.bindings[0].cluster.fieldPath: "[x]" is not .name, ["name"], [0] or [*]',
    ])
  })
})
