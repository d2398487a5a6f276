/** Start states: a fleet is delivered once per worker, and each simulation forks it. */
import type { SimFleetOptions, Start } from '../simfleet.ts'
import { Story } from '../steps.ts'

export interface StartState {
  readonly clusters: readonly string[]
  readonly options?: SimFleetOptions
  /** Returns when all that it writes is delivered. */
  deliver(story: Story): Promise<void>
}

/** Stamps, intents and statuses are settled after that many seconds. */
const REST_SECONDS = 60

const frozen = new Map<StartState, Promise<Start>>()

/** The fleet of a start state without a fork: delivered from nothing, and at rest. */
export async function delivered(state: StartState, seed: string): Promise<Story> {
  const story = await Story.begin(seed, state.clusters, state.options)
  await state.deliver(story)
  await story.pass(REST_SECONDS)
  return story
}

export async function ready(story: Story, ...modules: readonly string[]): Promise<void> {
  if (await story.until(() => modules.every((m) => story.isReady(m)), 600)) return
  throw new Error(modules.flatMap((m) => story.blockers(m)).join('\n'))
}

async function freeze(state: StartState): Promise<Start> {
  const story = await delivered(state, 'start')
  story.manager.stop()
  await story.pass(1)
  return story.fleet.freeze()
}

/**
 * The same fleet, forked: stored objects are shared, controllers and simulators are new. Controllers keep nothing but what
 * is stored, so a fork is a restart; it returns when the new controllers have read everything.
 */
export async function forked(state: StartState, seed: string): Promise<Story> {
  const from = frozen.get(state) ?? freeze(state)
  frozen.set(state, from)
  // Streams of chance are named by seed: those of the delivery would give the same uids again.
  const story = await Story.begin(`fork ${seed}`, state.clusters, { ...state.options, from: await from })
  await story.pass(5)
  return story
}
