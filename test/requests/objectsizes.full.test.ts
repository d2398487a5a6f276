/** Objects of the hub stay small, however many Modules a cluster has: etcd refuses one above 1.5 MiB. */
import { expect, it } from 'vitest'
import { Story } from '../fleet/steps.ts'
import { unitObjects } from './layout.ts'

const MOST_BYTES = 200 * 1024
const PARTS = ['a', 'b', 'c', 'd']

/** Bytes of the largest object of each kind that was ever written to the hub. */
function largest({ fleet }: Story): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const { cluster, resource, next } of fleet.commits) {
    if (cluster !== 'hub' || !next) continue
    sizes.set(resource, Math.max(sizes.get(resource) ?? 0, Buffer.byteLength(JSON.stringify(next))))
  }
  return sizes
}

/** Four Deployments with replicas that never become ready. */
function unready(name: string): readonly object[] {
  const [, , , deployment] = unitObjects(name, '1') as readonly { metadata: object; spec: object }[]
  return PARTS.map((part) => ({
    ...deployment,
    metadata: { ...deployment!.metadata, name: `${name}-${part}` },
    spec: { ...deployment!.spec, replicas: 3 },
  }))
}

/** Sizes with a number of Modules on one cluster, each with the objects that `objectsOf` makes. */
async function sizesWith(modules: number, objectsOf: (name: string) => readonly object[]) {
  const story = await Story.begin(`sizes/${modules}`, ['c0'], { unjudged: true })
  const names = Array.from({ length: modules }, (_, i) => `m${String(i).padStart(4, '0')}`)
  await Promise.all(names.map((name) => story.module(name, { inline: { objects: objectsOf(name) } })))
  const isApplied = (): boolean =>
    names.every((name) => story.inventory(name, 'c0')?.spec.objects?.length === PARTS.length)
  expect(await story.until(isApplied, 1200)).toBe(true)
  await story.pass(60)
  story.manager.stop()
  return largest(story)
}

it.each([
  ['ready', (name: string) => unitObjects(name, '1')],
  ['that wait for several objects', unready],
] as const)(
  'with twice the Modules %s no object is larger',
  async (_, objectsOf) => {
    const [few, many] = [await sizesWith(250, objectsOf), await sizesWith(500, objectsOf)]
    for (const [resource, size] of many) {
      expect([resource, size, size <= MOST_BYTES]).toEqual([resource, size, true])
      expect([resource, size, size <= 1.05 * few.get(resource)!]).toEqual([resource, size, true])
    }
  },
  600_000,
)
