import { type Command, isSet, numberFlag, textFlag } from '../command.ts'

/** `lockstep demo`. */
export const demo: Command = {
  name: 'demo',
  summary: 'Run a whole fleet in this process and watch it move',
  detail:
    'Embedded clusters in memory, the real controllers, and a platform from examples/: a release goes out, the next one fails on one cluster and is repaired, modules leave. Every write is checked. Exit 1 if an invariant broke.',
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
    ['Another order of events', 'demo --seed 7 --clusters 8'],
  ],
  async run(c, _args, flags) {
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
