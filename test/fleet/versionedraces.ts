/** The ways in which a dependant wrongly acts on a new release, each as a scenario that anybody may play. */

import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import {
  AFTER,
  BEFORE,
  type FluxScenario,
  type ScenarioUnit,
  tagged,
} from '../../packages/simulators/src/flux/fluxscenario.ts'
import { config, deployment, job } from '../../packages/simulators/src/flux/playground.cases.ts'

/** A Deployment, whose health is earned. */
const app =
  (name: string) =>
  (release: string): readonly KubeObject[] => [
    tagged(deployment(name, `registry.example/${name}:${release}`), name, release),
  ]

const data =
  (name: string) =>
  (release: string): readonly KubeObject[] => [tagged(config(name, { release }), name, release)]

type Options = Partial<ScenarioUnit>
const a = (o: Options = {}): ScenarioUnit => ({ name: 'a', carrier: 'spec', objects: app('a'), ...o })
const b = (o: Options = {}): ScenarioUnit => ({
  name: 'b',
  carrier: 'spec',
  needs: ['a'],
  objects: data('b'),
  ...o,
})

export const unwritten: FluxScenario = {
  race: 'W1',
  title: 'the dependant is written first',
  units: [a(), b()],
  steps: [
    { atMs: 0, write: 'b' },
    { atMs: 1000, write: 'a' },
  ],
  endMs: 120_000,
}

export const chain: FluxScenario = {
  race: 'W1',
  title: 'of a chain only the ends change: the middle one has nothing to say',
  units: [
    a(),
    b({ carrier: 'source', objects: () => data('b')(BEFORE) }),
    { ...b(), name: 'c', needs: ['b'], objects: data('c') },
  ],
  steps: [
    { atMs: 0, write: 'a' },
    { atMs: 50, write: 'b' },
    { atMs: 100, write: 'c' },
  ],
  endMs: 120_000,
}

/** To be played with caches that are 400 ms behind: `b` is run before `a`'s controller knows of the new `a`. */
export const lag: FluxScenario = {
  race: 'W2',
  title: 'the dependency is written, and its controller has not seen it',
  units: [a(), b()],
  steps: [
    { atMs: 0, write: 'b' },
    { atMs: 350, write: 'a' },
  ],
  endMs: 120_000,
}

export const suspended: FluxScenario = {
  race: 'W2',
  title: 'the dependency is written while it is suspended',
  units: [a({ spec: (release) => (release === BEFORE ? {} : { suspend: true }) }), b()],
  steps: [
    { atMs: 0, write: 'a' },
    { atMs: 1000, write: 'b' },
  ],
  endMs: 120_000,
}

export const staleReady: FluxScenario = { ...lag, race: 'W3a', title: 'Ready is of an older generation' }

export const inputs: FluxScenario = {
  race: 'W3b',
  title: 'the dependency reads a ConfigMap that has moved without it',
  units: [a({ carrier: 'input' }), b()],
  steps: [
    { atMs: 0, input: 'a' },
    { atMs: 500, write: 'a' },
    { atMs: 1000, write: 'b' },
  ],
  endMs: 120_000,
}

/** To be played with workloads that take a minute to start. */
export const appliedOnly: FluxScenario = {
  race: 'W3c',
  title: 'the dependency is applied, and nobody waits for its health',
  units: [a({ spec: () => ({ wait: false }) }), b()],
  steps: [
    { atMs: 0, write: 'a' },
    { atMs: 100, write: 'b' },
  ],
  endMs: 240_000,
}

export const twoSources: FluxScenario = {
  race: 'W4a',
  title: 'dependency and dependant read different repositories',
  units: [a({ carrier: 'source', source: 'back' }), b({ carrier: 'source', source: 'front' })],
  steps: [
    { atMs: 0, push: 'back' },
    { atMs: 0, push: 'front', tell: true },
  ],
  endMs: 180_000,
}

export const oneSource: FluxScenario = {
  race: 'W4a',
  title: 'dependency and dependant read one repository',
  units: [a({ carrier: 'source' }), b({ carrier: 'source' })],
  steps: [{ atMs: 0, push: 'repo', tell: true }],
  endMs: 180_000,
}

export const charts: FluxScenario = {
  race: 'W4a',
  title: 'HelmReleases of one repository of charts',
  units: [
    a({ kind: 'HelmRelease', carrier: 'source', source: 'charts' }),
    b({ kind: 'HelmRelease', carrier: 'source', source: 'charts' }),
  ],
  steps: [{ atMs: 0, push: 'charts', tell: true }],
  endMs: 180_000,
}

/** To be played with repositories that answer after 45 s. */
export const oldArtifact: FluxScenario = {
  race: 'W4b',
  title: 'the source points to the new release and still has the old content',
  units: [
    a({
      carrier: 'source',
      source: 'tags',
      spec: (release) => ({ commonMetadata: { labels: { release } } }),
    }),
    b(),
  ],
  steps: [
    { atMs: 0, push: 'tags' },
    { atMs: 0, point: 'tags' },
    { atMs: 10, write: 'a' },
    { atMs: 20, write: 'b' },
  ],
  endMs: 180_000,
}

export const included: FluxScenario = {
  race: 'W4c',
  title: 'one repository, an equal revision, other content: it includes another one',
  units: [a({ carrier: 'source', source: 'repo+shared', contentIn: 'shared' }), b({ source: 'repo+shared' })],
  steps: [
    { atMs: 0, push: 'shared' },
    { atMs: 130_000, write: 'b' },
  ],
  endMs: 240_000,
}

/** `k` checks what `a` is, and is the same in each release. */
export const silentCheckpoint: FluxScenario = {
  race: 'W5',
  title: 'the checkpoint does not change, so nothing is checked again',
  units: [
    a(),
    {
      name: 'k',
      carrier: 'source',
      needs: ['a'],
      checkpoint: true,
      objects: (_, discriminator = '') => [tagged(job(`check${discriminator}`), 'k', BEFORE, 'check')],
    },
    b({ needs: ['k'] }),
  ],
  steps: [
    { atMs: 0, write: 'a' },
    { atMs: 10, write: 'k' },
    { atMs: 20, write: 'b' },
  ],
  endMs: 240_000,
}

const renamed: ScenarioUnit = a({ renamedTo: 'a2', objects: data('a') })

export const finalizerFirst: FluxScenario = {
  race: 'W6a',
  title: 'renamed, and the new one waits while the old one is deleted',
  units: [
    { ...a(), name: 'z', objects: app('z') },
    { ...renamed, needs: ['z'] },
  ],
  steps: [
    { atMs: 0, write: 'z' },
    { atMs: 100, write: 'a' },
    { atMs: 200, remove: 'a' },
  ],
  endMs: 120_000,
}

export const bothLive: FluxScenario = {
  race: 'W6b',
  title: 'renamed, and the old one is still there',
  units: [{ ...renamed, spec: () => ({ interval: '1m' }) }],
  steps: [{ atMs: 0, write: 'a' }],
  endMs: 240_000,
}

export const dropped: FluxScenario = {
  race: 'W6c',
  title: 'renamed with `prune: false`, and the new release drops an object',
  units: [
    {
      ...renamed,
      spec: () => ({ prune: false }),
      objects: (release) => [
        ...data('a')(release),
        ...(release === AFTER ? [] : [tagged(config('old', { of: 'before' }), 'a', release)]),
      ],
    },
  ],
  steps: [
    { atMs: 0, write: 'a' },
    { atMs: 5000, remove: 'a' },
  ],
  endMs: 120_000,
}

/** What a tag means is another object of a source in each release. */
export const twoTags: FluxScenario = {
  race: 'W4a',
  title: 'dependency and dependant read different repositories, by tags that the release moves',
  units: [a({ carrier: 'source', source: 'tags-back' }), b({ carrier: 'source', source: 'tags-front' })],
  steps: [
    { atMs: 0, push: 'tags-back' },
    { atMs: 0, push: 'tags-front' },
    { atMs: 0, point: 'tags-front' },
    { atMs: 100, write: 'b' },
    { atMs: 200, write: 'a' },
    { atMs: 1000, point: 'tags-back' },
  ],
  endMs: 180_000,
}

/** D on B and C, both on A; written in any order. */
export const diamond = (order: readonly string[], title: string): FluxScenario => ({
  race: 'W1',
  title,
  units: [
    a(),
    b(),
    { ...b(), name: 'c', objects: data('c') },
    { ...b(), name: 'd', needs: ['b', 'c'], objects: data('d') },
  ],
  steps: order.map((write, i) => ({ atMs: i * 700, write })),
  endMs: 240_000,
})
