/** X8: after a restart a cache of targets may say what was there before. Nothing is decided by that alone. */
import { describe, expect, it } from 'vitest'
import { must } from '../fleet/simfleet.ts'
import { backInTime } from './backintime.ts'
import { helmReleaseKind, PipelineStory } from './pipelinestory.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const MANUAL = { strategy: 'manual' }
const AUTO = { pullRequest: { autoMerge: true } }

const holds = (story: PipelineStory) => story.holds().map((h) => h.metadata.name)
const moves = (story: PipelineStory) =>
  story.promotions('staging').map((p) => `${p.spec.revision} ${p.status?.phase}`)

/** Brought to its end: to these namespaces. */
async function brought(story: PipelineStory, version: string, namespaces = ['staging']): Promise<void> {
  const isOn = () =>
    story.phase('staging') === 'Converging' && story.last('staging')?.spec.revision === version
  expect(await story.until(isOn)).toBe(true)
  for (const namespace of namespaces) await story.runs(namespace, version)
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.pass(10)
}

/** 2.0.0 follows 1.0.0. */
async function promoted(seed: string, promotion: object, namespaces = ['staging']): Promise<PipelineStory> {
  const story = await PipelineStory.open(`pasttargets/${seed}`)
  for (const namespace of ['dev', ...namespaces]) await story.runs(namespace, '1.0.0')
  const targets = namespaces.map((namespace) => ({ namespace }))
  await story.pipeline({ dev: {}, staging: { promotion, targets } })
  expect(await story.until(() => story.phase('staging') === 'Succeeded')).toBe(true)
  await story.runs('dev', '2.0.0')
  await brought(story, '2.0.0', namespaces)
  return story
}

/** The next process sees what a namespace was at before. */
async function startsInThePast(
  story: PipelineStory,
  namespace: string,
  revisions: { readonly is: string; readonly was: string },
): Promise<void> {
  story.manager.stop()
  const { env } = story.fleet
  story.manager = story.start({ ...env, net: backInTime(env.net, namespace, revisions) })
  await story.pass(60)
}

/** Something of it changes, so that caches hear of it as it is. */
async function isHeardOf(story: PipelineStory, namespace: string): Promise<void> {
  const labels = { metadata: { labels: { heard: 'again' } } }
  const key = { namespace, name: 'podinfo' }
  must(await story.during(story.fleet.hub.patch(helmReleaseKind, key, labels, WRITE)))
  await story.pass(60)
}

describe('an environment that is where it was promoted to', () => {
  it('is not held as if somebody had led it back, whatever becomes of its other targets', async () => {
    const story = await promoted('others', MANUAL, ['staging', 'prod'])
    await story.pass(700)
    await story.runs('prod', '2.0.0', { ready: false })
    await startsInThePast(story, 'staging', { is: '2.0.0', was: '1.0.0' })
    expect(story.environment('staging')?.targets?.[0]?.revision).toBe('1.0.0')
    expect(holds(story)).toEqual([])
    // What really leads it there is held.
    await story.runs('staging', '1.0.0')
    await story.pass(5)
    expect(holds(story)).toEqual(['podinfo-staging-2-left'])
  })
})

describe('a revision that was there before, and is on its way again', () => {
  it('has not arrived by what a cache says of that time', async () => {
    const story = await promoted('arrival', AUTO)
    await story.ask('staging', 'r1=1.0.0')
    await brought(story, '1.0.0')
    await story.ask('staging', 'r2=2.0.0')
    expect(await story.until(() => moves(story)[3] === '2.0.0 Converging')).toBe(true)
    await startsInThePast(story, 'staging', { is: '1.0.0', was: '2.0.0' })
    expect(moves(story).at(-1)).toBe('2.0.0 Converging')
    expect(story.last('staging')?.status?.blockers).toMatchObject([
      { reason: 'TargetNotReady', message: 'environment staging is at 1.0.0: waiting for 2.0.0' },
    ])
    await isHeardOf(story, 'staging')
    expect([moves(story).at(-1), holds(story)]).toEqual(['2.0.0 Converging', []])
    await brought(story, '2.0.0')
  })

  it('and is not well there by that', async () => {
    const verify = { soakSeconds: 90, timeoutSeconds: 600 }
    const story = await promoted('verified', { ...MANUAL, verify })
    await story.ask('staging', 'r1=1.0.0')
    await brought(story, '1.0.0')
    await story.ask('staging', 'r2=2.0.0')
    expect(await story.until(() => moves(story)[3] === '2.0.0 Converging')).toBe(true)
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Verifying')).toBe(true)
    await story.runs('staging', '1.0.0')
    await startsInThePast(story, 'staging', { is: '1.0.0', was: '2.0.0' })
    await story.pass(60)
    expect(moves(story).at(-1)).toBe('2.0.0 Verifying')
    await story.runs('staging', '2.0.0')
    expect(await story.until(() => story.phase('staging') === 'Succeeded', 180)).toBe(true)
  })
})

describe('an environment that is where somebody has led it', () => {
  it('is not held anew once people have deleted its Hold', async () => {
    const story = await promoted('said', MANUAL)
    await story.pass(300)
    await story.runs('staging', '1.0.0')
    await story.pass(30)
    expect(holds(story)).toEqual(['podinfo-staging-2-left'])
    await story.dropHolds()
    await story.pass(60)
    await startsInThePast(story, 'staging', { is: '1.0.0', was: '2.0.0' })
    expect(story.environment('staging')).toMatchObject({ current: '2.0.0', leftTo: ['1.0.0'] })
    await isHeardOf(story, 'staging')
    expect([story.environment('staging')?.current, holds(story)]).toEqual(['1.0.0', []])
    // Led there once more, it is held once more.
    await story.runs('staging', '2.0.0')
    await story.pass(30)
    await story.runs('staging', '1.0.0')
    await story.pass(30)
    expect(holds(story)).toEqual(['podinfo-staging-2-left'])
  })
})

describe('a revision that somebody states', () => {
  it('stays where the source is seen in the past: once it is heard of again, it brings nothing new', async () => {
    const story = await promoted('stated', MANUAL)
    await story.pass(300)
    await startsInThePast(story, 'dev', { is: '2.0.0', was: '1.0.0' })
    await story.ask('staging', 'r1=1.0.0')
    await brought(story, '1.0.0')
    await isHeardOf(story, 'dev')
    expect(story.environment('dev')?.current).toBe('2.0.0')
    expect(moves(story).at(-1)).toBe('1.0.0 Succeeded')
    // What is new there follows.
    await story.runs('dev', '3.0.0')
    await brought(story, '3.0.0')
  })
})
