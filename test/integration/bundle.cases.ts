/** Bundles that somebody has damaged: nothing is delivered from them, and nothing of what is there is lost. */
import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { ANY, READ, value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind, type Secret, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, short10 } from '../../packages/kube/src/object/index.ts'
import type { Stored } from '../../packages/kube/src/object/kind.ts'
import { config } from './casemanifests.ts'
import type { FleetCase } from './fleet.cases.ts'
import type { Corner } from './fleetsubject.ts'
import { unitReasonOf } from './refusals.cases.ts'

/** Data of the Secrets of a bundle, by number, as somebody has left it; undefined: the Secret is gone. */
type Shards = readonly (Secret['data'] | undefined)[]

const damages: Readonly<
  Record<string, readonly [(shards: Shards, others: Shards) => Shards, string, RegExp]>
> = {
  bytes: [
    ([first]) => [{ ...first, data: bytesToBase64(new TextEncoder().encode('other')) }],
    'BundleCorrupt',
    /shard 1 of 1 has other content/,
  ],
  cut: [([first]) => [{ ...first, data: first!.data!.slice(0, 40) }], 'BundleCorrupt', /shard 1 of 1/],
  foreign: [(_, [other]) => [other], 'BundleCorrupt', /the index is for another bundle/],
  gone: [() => [undefined], 'BundleLost', /Secret lockstep-bundle-[0-9a-f]{10}-0 of the bundle was deleted/],
  swapped: [
    ([first, second]) => [{ ...first, data: second!.data! }, { data: first!.data! }],
    'BundleCorrupt',
    /shard 1 of 2 has other content/,
  ],
}

/** The Secrets of what a module has published, by number. */
async function shardsOf(c: Corner, module: string): Promise<Stored<Secret>[]> {
  const { status } = await c.untilReady(module)
  const labelSelector = `lockstep.dev/bundle=${short10(status!.bundle!)}`
  const { items } = value(await c.hub.list(secretKind, { ...READ, namespace: c.namespace, labelSelector }))
  return [...items].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}

/** They are immutable: another content is another object. */
async function put(c: Corner, secrets: readonly Stored<Secret>[], data: Shards): Promise<void> {
  for (const [n, { metadata, type }] of secrets.entries()) {
    const { name, labels, annotations } = metadata
    const key = { namespace: c.namespace, name }
    await c.hub.delete(secretKind, key, ANY)
    if (!data[n]) continue
    const made = { ...key, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) }
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: made,
      ...(type ? { type } : {}),
      immutable: true,
    }
    value(await c.hub.create(secretKind, { ...body, data: data[n]! }, WRITE))
  }
}

/** As much as one ConfigMap may hold, and does not pack. */
const noise = (): string => randomBytes(600_000).toString('base64')

export const bundleCases: readonly FleetCase[] = [
  {
    alone: true,
    name: 'bundles that are damaged: said before anything is written; put right, delivery goes on at once',
    async run(c) {
      const names = Object.keys(damages)
      for (const name of names) {
        const sources = name === 'swapped' ? ['swapped', 'swapped-2'] : [name]
        for (const s of sources) {
          const data: Record<string, string> = name === 'swapped' ? { noise: noise() } : { v: name }
          await c.manifests(s, [config(s, c.namespace, data)])
        }
        await c.module(name, { source: { configMaps: sources.map((s) => ({ name: s })) } })
      }
      const stored = new Map<string, Stored<Secret>[]>()
      for (const name of names) stored.set(name, await shardsOf(c, name))
      const others = stored.get('gone')!.map((s) => s.data)
      // Nobody who has the bundles in memory is there to repair with them.
      c.controllers.kill()
      for (const name of names) {
        const shards = stored.get(name)!
        await put(
          c,
          shards,
          damages[name]![0](
            shards.map((s) => s.data),
            others,
          ),
        )
        value(await c.c1.delete(configMapKind, { namespace: c.namespace, name }, ANY))
      }
      const recorder = await c.record()
      c.controllers.start()
      for (const name of names) {
        const [, reason, words] = damages[name]!
        expect(await unitReasonOf(c, name, reason)).toMatch(words)
      }
      recorder.expectNone('created')
      recorder.expectNone('deleted')
      for (const name of names) {
        const shards = stored.get(name)!
        await put(
          c,
          shards,
          shards.map((s) => s.data),
        )
      }
      for (const name of names) await c.until(c.c1, configMapKind, name, 'repaired', (o) => o !== undefined)
      for (const name of names) await c.untilReady(name)
    },
  },
]
