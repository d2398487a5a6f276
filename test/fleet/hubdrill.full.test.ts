/** The hub is destroyed. Its manifests are applied to a new one, and a person takes the units over (tenancy 16). */
import { expect, it } from 'vitest'
import { namespaceKind } from '../../packages/kube/src/kinds/types.ts'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { adopt, adoptByMarks, adoptModulesByMarks } from './adoptmarks.ts'
import { deletesOn } from './handoverstory.ts'
import { must, NAMESPACE, type SimFleet, type Start, simFleet } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const CLUSTERS = ['c1', 'c2', 'c3'] as const
const MODULES = Array.from({ length: 8 }, (_, i) => `app-${i}`)
const FEW = MODULES.slice(0, 2)

/** Applies the content of Git. */
async function applyAll(story: Story, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const objects = [
      configManifest(name, '1'),
      configManifest(`${name}-more`, '1'),
      deploymentManifest(name, 'app:1'),
    ]
    await story.config(name, objects.join('---\n'))
    await story.module(name, name)
  }
}

const allReady = (story: Story, names: readonly string[]): boolean =>
  names.every((name) => story.isReady(name))

/** Objects of all Modules, without their marks. */
const contentsOf = ({ clusters }: SimFleet): object[] =>
  CLUSTERS.flatMap((cluster) =>
    ['configmaps', 'deployments.apps'].flatMap((resource) =>
      clusters
        .get(cluster)!
        .api.local.list(resource, 'default')
        .filter((o) => o.metadata.name?.startsWith('app-'))
        .map(({ metadata, status: _, ...rest }: KubeObject & { status?: unknown }) => ({
          ...rest,
          cluster,
          name: metadata.name,
          uid: metadata.uid,
        })),
    ),
  )

const hubOf = async (story: Story): Promise<string> => {
  const found = story.fleet.hub.get(namespaceKind, { name: 'kube-system' }, { purpose: 'user' })
  return must(await story.during(found)).metadata.uid
}

/** The clusters of a fleet whose hub is gone. */
function withoutHub({ at, servers }: Start): Start {
  return { at, servers: new Map([...servers].filter(([name]) => name !== 'hub')), commits: [] }
}

async function drill(names: readonly string[]) {
  const lost = await Story.begin('drill-lost', CLUSTERS)
  await applyAll(lost, names)
  expect(await lost.until(() => allReady(lost, names), 300)).toBe(true)
  await lost.pass(120)
  const [hub, before] = [await hubOf(lost), contentsOf(lost.fleet)]
  expect(before).toHaveLength(CLUSTERS.length * names.length * 3)
  lost.manager.stop()
  await lost.pass(5)
  // The memory of its oracles is lost, too.
  const start = withoutHub(lost.fleet.freeze())
  const story = new Story(await simFleet('drill-new', CLUSTERS, { from: start, unjudged: true }))
  await applyAll(story, names)
  return { story, hub, before, from: story.fleet.commits.length }
}

const writesOf = (story: Story, from: number): string[] =>
  CLUSTERS.flatMap((c) => [...story.writes(c, from), ...story.stamps(c, from)])

const reasonsOf = (story: Story): string[] =>
  story.inventories.flatMap((i) => (i.status?.blockers ?? []).map((b) => b.reason))

it('3 clusters with 8 Modules each are taken over by a new hub: no delete, no content written, ready within 3 min', async () => {
  const { story, hub, before, from } = await drill(MODULES)
  expect(await hubOf(story)).not.toBe(hub)
  await story.pass(120)
  // The first unit of each Module: the others start after it.
  expect(reasonsOf(story)).toEqual(MODULES.map(() => 'OwnedByAnotherHub'))
  expect(writesOf(story, from)).toEqual([])
  const [first] = story.inventories
  expect(await adoptByMarks(story, first!)).toContain(hub)
  expect(await adoptByMarks(story, first!, 'other')).toContain(hub)
  expect(writesOf(story, from)).toEqual([])
  for (const cluster of CLUSTERS)
    expect(await adoptModulesByMarks(story, MODULES, cluster, hub)).toEqual(MODULES.map(() => 3))
  expect(await story.until(() => allReady(story, MODULES), 180)).toBe(true)
  expect(contentsOf(story.fleet)).toEqual(before)
  for (const c of CLUSTERS) {
    expect(deletesOn(story, c, from)).toEqual([])
    expect(story.writes(c, from)).toHaveLength(MODULES.length * 3)
    expect(story.writes(c, from).filter((w) => !w.startsWith('patch '))).toEqual([])
  }
})

it('a unit that is not taken over stays untouched beside others', async () => {
  const { story, hub, from } = await drill(FEW)
  await story.pass(60)
  const left = story.inventories[0]
  const isLeft = (name: string, cluster: string): boolean =>
    story.inventory(name, cluster)?.metadata.uid === left!.metadata.uid
  for (const cluster of CLUSTERS) {
    const names = FEW.filter((name) => !isLeft(name, cluster))
    await adoptModulesByMarks(story, names, cluster, hub)
  }
  await story.pass(180)
  expect(FEW.filter((name) => !story.isReady(name))).toEqual([left!.spec.moduleRef.name])
  expect(reasonsOf(story)).toEqual(['OwnedByAnotherHub'])
  const { cluster, name } = { cluster: left!.spec.clusterRef.name, name: left!.spec.moduleRef.name }
  expect(story.writes(cluster, from).filter((w) => w.endsWith(`/${name}`))).toEqual([])
})

it('a unit that is created while it is adopted, and has seen the former stamp, continues at once', async () => {
  const { story, hub } = await drill(FEW.slice(0, 1))
  await story.pass(60)
  const { cluster, name } = { cluster: story.inventories[0]!.spec.clusterRef.name, name: FEW[0]! }
  const unit = { ref: { kind: 'Module', namespace: NAMESPACE, name }, cluster, inventory: undefined } as const
  expect(await story.during(adopt(story.fleet, [unit], hub))).toEqual([3])
  expect(await story.until(() => story.inventory(name, cluster)?.status?.state === 'Ready', 30)).toBe(true)
})
