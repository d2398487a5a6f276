import { type Command, isSet, numberFlag, textFlag } from '../command.ts'
import { failed } from '../failure.ts'

export const STORIES = ['fleet', 'versioned'] as const
const isStory = (text: string): text is (typeof STORIES)[number] =>
  (STORIES as readonly string[]).includes(text)

/** `lockstep demo`. */
export const demo: Command = {
  name: 'demo',
  summary: 'Run a whole fleet in this process and watch it move',
  arguments: '[story]',
  completes: ['story'],
  detail:
    'STORY is fleet, unless said otherwise, or versioned. fleet: embedded clusters in memory, the real controllers, and a platform from examples/: a release goes out, the next one fails on one cluster and is repaired, modules leave. Every write is checked. versioned: one release, written in the wrong order, under a simulated Flux, under Flux with names that carry the release, and under Lockstep, side by side; it takes --seed only. Exit 1 if an invariant broke.',
  options: [
    { flags: '--clusters <n>', text: 'clusters beside the hub', default: '5' },
    { flags: '--seed <n>', text: 'equal seeds give equal runs', default: '42' },
    { flags: '--speed <x>', text: "seconds of the fleet's time in one second", default: '6' },
    { flags: '--pause', text: 'wait for Enter before each chapter' },
    { flags: '--keep', text: 'leave the fleet up for kubectl at the end' },
  ],
  formats: ['table', 'json', 'yaml'],
  examples: [
    ['Half a minute, from the beginning to the end', 'demo'],
    ['Step by step, and look around with kubectl afterwards', 'demo --pause --keep'],
    ['The verdict for a script, the story on standard error', 'demo -o json'],
    ['A release in the wrong order, here and elsewhere', 'demo versioned'],
  ],
  async run(c, args, flags) {
    const story = args[0] ?? 'fleet'
    if (!isStory(story))
      return failed('E_USAGE', {
        problem: `no story ${JSON.stringify(story)}`,
        suggestion: `There are: ${STORIES.join(', ')}.`,
      })
    if (story === 'versioned') {
      const { runVersioned } = await import('../demo/versioned/run.ts')
      return runVersioned(c, textFlag(flags, 'seed')!)
    }
    const clusters = numberFlag(flags, 'clusters', { min: 3, max: 50 })
    if (!clusters.ok) return clusters
    const speed = numberFlag(flags, 'speed', { min: 0.1, max: 1000, whole: false })
    if (!speed.ok) return speed
    const seed = textFlag(flags, 'seed')!
    // The embedded API is large: other commands start without it.
    const { runDemo } = await import('../demo/run.ts')
    return runDemo(c, {
      clusters: clusters.value,
      seed,
      speed: speed.value,
      pause: isSet(flags, 'pause'),
      keep: isSet(flags, 'keep'),
    })
  },
}
