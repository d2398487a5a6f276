/** The races of `versionedraces.ts` under Lockstep: the same releases, written in the same order. */
import { describe, expect, it } from 'vitest'
import {
  AFTER,
  BEFORE,
  type FluxScenario,
  type ScenarioStep,
  type ScenarioUnit,
} from '../../packages/simulators/src/flux/fluxscenario.ts'
import { judge } from '../../packages/simulators/src/flux/judgement.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { shown } from './fluxrace.ts'
import { Story } from './steps.ts'
import * as races from './versionedraces.ts'

/** What checks has no objects, and is verified at each release. */
const publish = (story: Story, u: ScenarioUnit, release: string): Promise<void> =>
  story.module(u.name, u.checkpoint ? undefined : { inline: { objects: u.objects(release) } }, {
    release,
    dependsOn: u.needs ?? [],
  })

/**
 * A unit is published when it is written, or when its repository moves: content has a release here. What moves alone, such as a
 * ConfigMap or the object of a source, is frozen until then. No unit needs another name in a new release.
 */
function published(s: FluxScenario, step: ScenarioStep): readonly ScenarioUnit[] {
  if ('write' in step) return s.units.filter((u) => u.name === step.write)
  const isOf = (u: ScenarioUnit, source: string): boolean => (u.contentIn ?? u.source ?? 'repo') === source
  const written = new Set(s.steps.flatMap((x) => ('write' in x ? [x.write] : [])))
  return 'push' in step ? s.units.filter((u) => isOf(u, step.push) && !written.has(u.name)) : []
}

async function played(s: FluxScenario) {
  const story = await Story.begin(`native ${s.race} ${s.title}`, ['edge'], { delays: LIFELIKE })
  for (const u of s.units) await publish(story, u, BEFORE)
  const isAt = (release: string): boolean => s.units.every((u) => story.isReady(u.name, release))
  expect(await story.until(() => isAt(BEFORE))).toBe(true)
  const begun = story.fleet.env.clock.steady()
  for (const step of [...s.steps].sort((a, b) => a.atMs - b.atMs)) {
    await story.pass(Math.max(0, begun + step.atMs - story.fleet.env.clock.steady()) / 1000)
    for (const u of published(s, step)) await publish(story, u, AFTER)
  }
  expect(
    await story.until(() => isAt(AFTER), 120),
    s.units.flatMap((u) => story.blockers(u.name)).join('\n'),
  ).toBe(true)
  const writes = story.fleet.commits
    .filter((c) => c.cluster === 'edge')
    .map(({ old, next }, atMs) => ({ old, next, atMs, nowMs: story.fleet.env.clock.now() }))
  const units = s.units.map((u) => (u.checkpoint ? { ...u, objects: () => [] } : u))
  return { story, found: judge(units, writes).violations }
}

describe('races of releases under Lockstep', () => {
  it.each([
    races.unwritten,
    races.chain,
    races.lag,
    races.suspended,
    races.staleReady,
    races.inputs,
    races.appliedOnly,
    races.twoSources,
    races.oneSource,
    races.charts,
    races.oldArtifact,
    races.twoTags,
    races.included,
    races.silentCheckpoint,
    races.finalizerFirst,
    races.bothLive,
    races.dropped,
  ])('$race, $title: nothing goes wrong', async (scenario) => {
    const { story, found } = await played(scenario)
    expect(shown(found), found.map((v) => v.message).join('\n')).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
