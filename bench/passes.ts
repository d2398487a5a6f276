/** Cost of one pass over a unit: requests, writes and bytes, beside the cost of the same objects without Lockstep. */
import { configMapKind } from '../packages/kube/src/kinds/types.ts'
import { must } from '../test/fleet/simfleet.ts'
import { configManifest, Story } from '../test/fleet/steps.ts'
import type { BenchReport } from './benchreport.ts'
import { type Costs, costs, minus, raw, type Spent, since } from './spent.ts'

/** Requests to the hub that a changed unit may cost, with one edge. Publishing comes on top, once for a revision. */
export const HUB_GOAL = 8 + 2

/** Bytes of the bodies that a pass may send: a fifth more than raw, and something for a small one. */
const bytesGoal = (limit: Spent): number => 1.2 * limit.sent + 2048

const USER = { purpose: 'user', manager: 'bench', precondition: 'any', force: true } as const

export const manifests = (module: string, objects: number, changed: number, version: string): string =>
  Array.from({ length: objects }, (_, i) =>
    configManifest(`${module}-${i}`, i < changed ? version : 'same'),
  ).join('---\n')

/** A module `m` that needs a module `base`, delivered everywhere. */
export async function delivered(name: string, fleet: readonly string[], objects: number): Promise<Story> {
  const story = await Story.begin(name, fleet)
  await story.config('base', configManifest('base', '1'))
  await story.config('v1', manifests('m', objects, 0, 'same'))
  await story.module('base', 'base')
  await story.module('m', 'v1', { dependsOn: ['base'] })
  await story.until(() => story.isReady('m'), 3600)
  await story.pass(10)
  return story
}

/** Publishes another bundle and waits until all clusters have it; what that cost. */
export async function publish(story: Story, source: string, text: string): Promise<Costs> {
  const before = costs(story)
  await story.config(source, text)
  await story.module('m', source, { dependsOn: ['base'] })
  await story.until(() => !story.isReady('m'), 60)
  await story.until(() => story.isReady('m'), 3600)
  await story.pass(10)
  return since(before, costs(story))
}

/** The same bodies, marks and fence and all, one apply each. */
async function rawLimit(story: Story, changed: number, version: string): Promise<Spent> {
  const { client } = story.fleet.clusters.get('c0')!
  const { labels, annotations } = story.live('c0', 'configmaps', 'm-0')!.metadata
  const write = async (metadata: object, value: string) => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } }
    return must(await story.during(client.apply(configMapKind, map, USER)))
  }
  const there: object[] = []
  for (let i = 0; i < changed; i++) {
    const metadata = { name: `m-${i}`, namespace: 'kube-public', labels, annotations }
    const { uid, resourceVersion } = (await write(metadata, `before ${version}`)).metadata
    there.push({ ...metadata, uid, resourceVersion })
  }
  const before = raw(story, 'c0')
  for (const metadata of there) await write(metadata, version)
  return minus(raw(story, 'c0'), before)
}

/** A unit with this number of objects: 1 of them changed, a tenth, all; a tenth removed; nothing for ten minutes. */
export async function passes(report: BenchReport, objects: number): Promise<void> {
  const story = await delivered(`bench/unit-${objects}`, ['c0'], objects)
  const tenth = Math.max(1, Math.round(objects / 10))
  for (const changed of new Set([1, tenth, objects])) {
    const version = `v-${changed}`
    const cost = await publish(story, version, manifests('m', objects, changed, version))
    const what = `${changed} of ${objects} changed`
    const limit = await rawLimit(story, changed, version)
    report.row(`${what}: raw, the limit`, limit)
    report.row(`${what}: cluster`, cost.cluster, 1.1 * changed + 6)
    report.row(`${what}: cluster, dry runs`, cost.tried, changed)
    if (changed > 1) report.figure(`${what}: bytes sent to the cluster`, cost.cluster.sent, bytesGoal(limit))
    report.row(`${what}: hub, for the unit`, cost.units, HUB_GOAL)
    report.row(`${what}: hub, for publishing`, cost.publishing)
  }
  const left = objects - tenth
  const cost = await publish(story, 'v-less', manifests('m', left, left, `v-${objects}`))
  report.row(`${tenth} of ${objects} removed: cluster`, cost.cluster, 1.1 * tenth + 6)
  report.row(`${tenth} of ${objects} removed: hub, for the unit`, cost.units, HUB_GOAL)
  const before = costs(story)
  await story.pass(600)
  const rest = since(before, costs(story))
  report.row(`${objects}, unchanged for 10 minutes: cluster`, rest.cluster, 0)
  report.row(`${objects}, unchanged for 10 minutes: hub`, rest.units, 0)
}
