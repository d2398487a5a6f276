/** Start states: a fleet is delivered once per worker, and each simulation forks it. */
import { type SimFleet, type SimFleetOptions, type Start, simFleet } from '../simfleet.ts'
import { Story } from '../steps.ts'

export interface StartState<S extends Story = Story> {
  readonly clusters: readonly string[]
  readonly options?: SimFleetOptions
  /** A story on a fleet; a plain one without it. */
  readonly open?: (fleet: SimFleet) => S
  /** Returns when all that it writes is delivered. */
  deliver(story: S): Promise<void>
}

/** Stamps, intents and statuses are settled after that many seconds. */
const REST_SECONDS = 60

const frozen = new Map<object, Promise<Start>>()

async function begin<S extends Story>(state: StartState<S>, seed: string, from?: Start): Promise<S> {
  const fleet = await simFleet(seed, state.clusters, { ...state.options, ...(from && { from }) })
  return state.open ? state.open(fleet) : (new Story(fleet) as S)
}

/** The fleet of a start state without a fork: delivered from nothing, and at rest. */
export async function delivered<S extends Story>(state: StartState<S>, seed: string): Promise<S> {
  const story = await begin(state, seed)
  await state.deliver(story)
  await story.pass(REST_SECONDS)
  return story
}

export async function ready(story: Story, ...modules: readonly string[]): Promise<void> {
  if (await story.until(() => modules.every((m) => story.isReady(m)), 600)) return
  throw new Error(modules.flatMap((m) => story.blockers(m)).join('\n'))
}

async function freeze<S extends Story>(state: StartState<S>): Promise<Start> {
  const story = await delivered(state, 'start')
  story.manager.stop()
  await story.pass(1)
  return story.fleet.freeze()
}

/**
 * The same fleet, forked: stored objects are shared, controllers and simulators are new. Controllers keep nothing but
 * stored objects, so a fork is a restart; it returns when the new controllers have read everything.
 */
export async function forked<S extends Story>(state: StartState<S>, seed: string): Promise<S> {
  const from = frozen.get(state) ?? freeze(state)
  frozen.set(state, from)
  // Random streams are named by the seed: the stream of the delivery would give the same uids again.
  const story = await begin(state, `fork ${seed}`, await from)
  await story.pass(5)
  return story
}
