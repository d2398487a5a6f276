/** Many ClusterResourceSets on one cluster, and one binding for all of them that others write to as well. */
import { expect, it } from 'vitest'
import type { Random } from '../../packages/kube/src/env/env.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { jsonEqual } from '../../packages/kube/src/object/index.ts'
import {
  type ClusterResourceSetBinding,
  resourceSetBindingKinds,
} from '../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'
import { NAMESPACE } from './simfleet.ts'

/** Each with a binding of its own: one run each. */
const CLUSTERS = Array.from({ length: 8 }, (_, i) => `c${i}`)
const HUBS = process.env.LOCKSTEP_EVERY_WRITE === '1' ? 125 : 3
const NAMES = Array.from({ length: 10 }, (_, i) => `crs${i}`)
const KIND = resourceSetBindingKinds[0]!
const CALL = { purpose: 'user', manager: 'somebody', precondition: 'any' } as const

/** Hub writes of ours take their time, each another one. */
function slowly(story: SetStory, random: Random): void {
  const { clock, net } = story.fleet.env
  net.wire('https://hub.test', {
    before: async ({ method, headers }) => {
      const isOurs = String(headers['user-agent'] ?? '').startsWith('lockstep-controller')
      if (isOurs && method !== 'GET') await sleep(clock, random.next() * 80)
      return undefined
    },
  })
}

/** Writes to a binding what it has read a while ago, without a fence, as Cluster API does on deletion; or deletes it. */
async function disturb(story: SetStory, cluster: string, random: Random, times: number): Promise<void> {
  const { hub, env } = story.fleet
  const key = { namespace: NAMESPACE, name: cluster }
  let old: ClusterResourceSetBinding['spec'] | undefined
  for (let i = 0; i < times; i++) {
    await sleep(env.clock, random.next() * 200)
    const found = await hub.get<ClusterResourceSetBinding>(KIND, key, { purpose: 'user' })
    const act = random.next()
    if (act < 0.2) await hub.delete(KIND, key, CALL)
    else if (act < 0.7 && old !== undefined)
      await hub.patch(KIND, key, { spec: { bindings: old.bindings ?? [] } } as never, CALL)
    if (found.ok && (old === undefined || random.next() < 0.3)) old = found.value.spec
  }
}

/** What the Inventories say of each set, and nothing else. */
function isRight(story: SetStory, cluster: string): boolean {
  const { bindings = [] } = story.binding(cluster)?.spec ?? {}
  if (bindings.length !== NAMES.length) return false
  const there = story.inventories.filter((i) => i.spec.clusterRef.name === cluster)
  return NAMES.every((name) => {
    const entry = bindings.find((b) => b.clusterResourceSetName === name)
    const { sources: known = [] } = there.find((i) => i.spec.moduleRef.name === name)?.spec.set ?? {}
    return known.length === 1 && known[0]!.applied && jsonEqual(entry?.resources, known)
  })
}

async function play(seed: number): Promise<string[]> {
  const story = await SetStory.open(`bindings-${seed}`, CLUSTERS)
  const random = story.fleet.env.random.fork('disturbed')
  for (const n of NAMES) await story.source(n, { 'a.yaml': yaml(manifest('ConfigMap', n)) })
  await story.pass(5)
  slowly(story, random)
  for (const n of NAMES) await story.set(n, sources(n))
  await story.during(Promise.all(CLUSTERS.map((c) => disturb(story, c, random.fork(c), 12))))
  const areRight = () => CLUSTERS.every((c) => isRight(story, c))
  const isSoon = await story.until(areRight, 2)
  await story.pass(3)
  story.manager.stop()
  if (!isSoon) return [`${seed}: not within 2 s`]
  return CLUSTERS.flatMap((c) => {
    // Of entries that were lost nothing is applied again.
    const writes = story.fleet.commits.filter((w) => w.cluster === c && w.key.startsWith('default/crs'))
    const problems = [
      ...(isRight(story, c) ? [] : [JSON.stringify(story.binding(c)?.spec)]),
      ...(writes.length === NAMES.length ? [] : [`${writes.length} writes`]),
    ]
    return problems.map((p) => `${seed} ${c}: ${p}`)
  })
}

it('ten sets that begin at once, while others write to their binding: ten right entries within 2 s, in every run', async () => {
  const problems: string[] = []
  for (let seed = 0; seed < HUBS; seed++) problems.push(...(await play(seed)))
  expect(problems).toEqual([])
})
