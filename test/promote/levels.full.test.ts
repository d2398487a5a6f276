/** What an environment is at: each target by itself, and only what its own controller has said of what it is now. */
import { describe, expect, it } from 'vitest'
import { configMapKind, crdKind } from '../../packages/kube/src/kinds/types.ts'
import { type JsonObject, parseApiVersion } from '../../packages/kube/src/object/index.ts'
import type { Kind } from '../../packages/kube/src/object/kind.ts'
import { HeldWatches } from '../fleet/heldwatches.ts'
import { must } from '../fleet/simfleet.ts'
import { looseDefinition } from './loosedefinition.ts'
import { PipelineStory } from './pipelinestory.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
const auto = { promotion: { pullRequest: { autoMerge: true } } }
const reasons = (story: PipelineStory, name = 'staging') =>
  (story.environment(name)?.blockers ?? []).map((b) => b.reason)
const messages = (story: PipelineStory, name: string) =>
  (story.environment(name)?.blockers ?? []).map((b) => b.message).join('\n')

async function settled(seed: string, clusters: readonly string[] = []): Promise<PipelineStory> {
  const story = await PipelineStory.open(`levels/${seed}`, { clusters })
  for (const cluster of clusters.length > 0 ? clusters : [undefined])
    await story.runs('dev', '1.0.0', cluster === undefined ? {} : { cluster })
  await story.follows('staging')
  await story.pipeline({ dev: clusters.length > 0 ? { clusters } : {}, staging: auto })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  return story
}

/** The streams of dev's cluster are open, and nothing comes any more. */
async function silent(seed: string) {
  const story = await settled(seed, ['eu'])
  story.manager.stop()
  const watches = new HeldWatches()
  story.manager = story.start(watches.surroundings(story.fleet.env))
  await story.pass(20)
  watches.hold('helmreleases')
  return { story, watches }
}

describe('what follows an environment', () => {
  it('that is out of reach says so; Ready is about the one that is', async () => {
    const story = await settled('followers', ['eu'])
    const { net } = story.fleet.env
    net.unserve('https://eu.test')
    net.cut('https://eu.test')
    await story.pass(180)
    expect([reasons(story, 'dev'), reasons(story)]).toEqual([['TargetUnreachable'], ['SourceUnreachable']])
    expect(messages(story, 'staging')).toMatch(
      /^HelmRelease dev\/podinfo on eu is unreachable: cluster eu: no answer/,
    )
    const ready = story.seen().status?.conditions?.find((c) => c.type === 'Ready')
    expect([ready?.status, ready?.reason]).toEqual(['False', 'TargetUnreachable'])
    net.serve('https://eu.test', story.fleet.clusters.get('eu')!.api.handle)
    expect(await story.until(() => reasons(story).length === 0, 60)).toBe(true)
  })

  it('several that differ says which is at what, and is Ready where it is', async () => {
    const story = await PipelineStory.open('levels/differ')
    for (const e of ['dev', 'staging', 'prod']) await story.runs(e, '1.0.0')
    const promotion = { strategy: 'manual' }
    await story.pipeline({ dev: {}, staging: { promotion }, prod: { promotion, from: ['dev', 'staging'] } })
    expect(await story.until(() => story.phase('prod') === 'Succeeded')).toBe(true)
    await story.runs('staging', '0.9.0')
    await story.dropHolds()
    await story.pass(60)
    await story.dropHolds()
    await story.pass(5)
    expect(messages(story, 'prod')).toBe('sources of environment prod differ: dev at 1.0.0; staging at 0.9.0')
    expect(story.seen().status?.conditions?.find((c) => c.type === 'Ready')?.status).toBe('True')
  })
})

describe('P14: nothing follows from a source', () => {
  it('whose controller has not seen its last change', async () => {
    const story = await settled('generation')
    await story.runs('dev', '2.0.0', { generation: 0 })
    await story.pass(600)
    expect(messages(story, 'dev')).toContain('generation 0 of 1 observed')
    expect([reasons(story, 'dev'), story.promotions('staging').length]).toEqual([['TargetNotReady'], 1])
    await story.runs('dev', '2.0.0')
    expect(await story.until(() => story.last('staging')?.spec.revision === '2.0.0')).toBe(true)
  })

  it('of which two of three targets are at another revision: both groups are named', async () => {
    const story = await settled('two-of-three', ['asia', 'eu', 'us'])
    for (const cluster of ['asia', 'eu']) await story.runs('dev', '2.0.0', { cluster })
    await story.pass(600)
    expect([reasons(story, 'dev'), story.promotions('staging').length]).toEqual([['RevisionsDiffer'], 1])
    expect(messages(story, 'dev')).toMatch(
      /podinfo on asia and .*podinfo on eu at 2\.0\.0; .*podinfo on us at 1\.0\.0/,
    )
    await story.runs('dev', '2.0.0', { cluster: 'us' })
    expect(await story.until(() => story.last('staging')?.spec.revision === '2.0.0')).toBe(true)
  })

  it('whose watch is silent, and which does not answer: what it said last is told, and not used', async () => {
    const { story, watches } = await silent('silent')
    await story.runs('dev', '2.0.0', { cluster: 'eu' })
    const path = '/apis/helm.toolkit.fluxcd.io/v2/namespaces/dev/helmreleases'
    watches.forbid(path)
    expect(await story.until(() => reasons(story, 'dev').includes('TargetUnreachable'), 70)).toBe(true)
    expect(messages(story, 'dev')).toContain('last revision 1.0.0 does not count')
    expect(story.promotions('staging')).toHaveLength(1)
    watches.forbid()
    expect(await story.until(() => story.last('staging')?.spec.revision === '2.0.0', 60)).toBe(true)
  })

  it('whose watch is silent is asked for after a minute: an event that never comes delays by no more', async () => {
    const { story, watches } = await silent('asked')
    await story.runs('dev', '2.0.0', { cluster: 'eu' })
    expect(await story.until(() => story.last('staging')?.spec.revision === '2.0.0', 70)).toBe(true)
    const asks = () =>
      watches.requests.filter((r) => r.startsWith('GET') && r.endsWith('/helmreleases')).length
    const before = asks()
    await story.pass(650)
    // Each a list and a watch.
    expect(asks() - before).toBeLessThanOrEqual(2 * 2 * 10)
  })
})

const ready = { type: 'Ready', status: 'True', reason: 'Done', lastTransitionTime: '2026-01-01T00:00:00Z' }
const kindOf = (apiVersion: string, kind: string, plural: string): Kind => ({
  ...parseApiVersion(apiVersion),
  kind,
  plural,
  namespaced: true,
})

interface Case {
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  /** What its controller says of version 2.0.0. */
  readonly status: JsonObject
  /** What is not ready about it at first. */
  readonly unready: JsonObject
  readonly why: string
}

const notReady = { conditions: [{ ...ready, status: 'False', reason: 'Progressing' }] }
const CASES: readonly Case[] = [
  {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    plural: 'kustomizations',
    status: {
      observedGeneration: 1,
      conditions: [ready],
      lastAppliedRevision: 'main@sha1:abc',
      lastAppliedOriginRevision: '2.0.0',
    },
    unready: notReady,
    why: 'Progressing',
  },
  {
    apiVersion: 'helm.toolkit.fluxcd.io/v2beta2',
    kind: 'HelmRelease',
    plural: 'helmreleases',
    status: { observedGeneration: 1, conditions: [ready], lastAppliedRevision: '2.0.0' },
    unready: notReady,
    why: 'Progressing',
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    plural: 'applications',
    status: { sync: { status: 'Synced', revision: '2.0.0' }, health: { status: 'Healthy' } },
    unready: { sync: { status: 'Synced', revision: '2.0.0' }, health: { status: 'Degraded' } },
    why: 'health is Degraded',
  },
]

/** A pipeline of objects of this kind, one in each of its two environments. */
async function piped(seed: string, c: Pick<Case, 'apiVersion' | 'kind' | 'plural'>, spec: object = {}) {
  const story = await PipelineStory.open(`levels/${seed}`, { isManaged: false })
  const kind = kindOf(c.apiVersion, c.kind, c.plural)
  const { hub } = story.fleet
  if (kind.group !== '') {
    const key = { name: `${kind.plural}.${kind.group}` }
    // Where a definition is there it has another version of this kind.
    await story.during(hub.delete(crdKind, key, USER))
    must(await story.during(hub.create(crdKind, looseDefinition(kind) as never, USER)))
    await story.pass(5)
  }
  const says = async (namespace: string, fields: JsonObject) => {
    const made = { apiVersion: c.apiVersion, kind: c.kind, metadata: { namespace, name: 'podinfo' } }
    const key = made.metadata
    const { status, ...rest } = fields
    must(await story.during(hub.apply(kind, { ...made, ...rest }, USER)))
    if (status !== undefined)
      must(
        await story.during(
          hub.patch(kind, key, { status } as never, { ...USER, subresource: 'status' as const }),
        ),
      )
  }
  story.manager = story.start()
  const appRef = { apiVersion: c.apiVersion, kind: c.kind, name: 'podinfo' }
  await story.pipeline({ dev: {}, staging: {} }, { spec: { appRef, ...spec } })
  return { story, says }
}

describe('P14: a revision is found', () => {
  it.each(CASES.map((c) => [`${c.kind} ${c.apiVersion}`, c] as const))('in a %s', async (seed, c) => {
    const { story, says } = await piped(seed, c)
    await says('dev', { status: { observedGeneration: 1, ...c.status, ...c.unready } })
    expect(await story.until(() => messages(story, 'dev').includes(c.why), 60)).toBe(true)
    await says('dev', { status: c.status })
    expect(await story.until(() => story.environment('dev')?.settled?.revision === '2.0.0', 60)).toBe(true)
    expect(await story.until(() => story.last('staging')?.spec.revision === '2.0.0', 60)).toBe(true)
  })

  it('in any other kind by an expression; without one it is said what is missing', async () => {
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', plural: configMapKind.plural }
    const { story, says } = await piped('expression', configMap)
    await says('dev', { data: { version: '2.0.0' } })
    expect(await story.until(() => reasons(story, 'dev').includes('RevisionUnknown'), 60)).toBe(true)
    expect(messages(story, 'dev')).toContain(
      'ConfigMap dev/podinfo has no revision: its kind is not known; set spec.revisionExpr',
    )
    const appRef = { apiVersion: 'v1', kind: 'ConfigMap', name: 'podinfo' }
    const spec = { appRef, revisionExpr: 'object.data.version' }
    await story.pipeline({ dev: {}, staging: {} }, { spec })
    expect(await story.until(() => story.environment('dev')?.settled?.revision === '2.0.0', 60)).toBe(true)
  })
})
