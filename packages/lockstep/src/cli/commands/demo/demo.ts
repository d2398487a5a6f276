import { type Command, failed, isSet, numberFlag, textFlag } from '../../kit/index.ts'
import { DEMO_STORIES } from '../../kit/topics/index.ts'

const isStory = (text: string): text is (typeof DEMO_STORIES)[number] =>
  (DEMO_STORIES as readonly string[]).includes(text)

/** `lockstep demo`. */
export const demoCommand: Command = {
  name: 'demo',
  summary: 'Run a whole fleet in this process and watch it move',
  arguments: '[story]',
  completes: ['story'],
  detail:
    'STORY is platform, unless said otherwise, or fleet, versioned, resourceset, clustergroup, or promote. platform: embedded clusters in memory, the real controllers, and a platform from examples/: a release goes out, the next one fails on one cluster and is repaired, modules leave. Every write is checked. fleet: a bad release meets 60 clusters in stages, with a budget, an approval and a pinned region; the fleet goes back by itself, and a good one follows. versioned: one release, written in the wrong order, under a simulated Flux, under Flux with names that carry the release, and under Lockstep, side by side; it takes --seed only. resourceset: a ClusterResourceSet under a simulated Cluster API, and under Lockstep; --seed only. clustergroup: an operator that needs what another one makes only long after it is healthy, without waves, with waves, with Jobs that poll and with waits; --seed only. promote: a revision moves on by pull request in a real repository while the controller is killed, and is taken back; it takes no option. Exit 1 if an invariant broke.',
  options: [
    { flags: '--clusters <n>', text: 'clusters beside the hub; 5, of fleet 60' },
    { flags: '--seed <n>', text: 'equal seeds give equal runs', default: '42' },
    { flags: '--speed <x>', text: "seconds of the fleet's time in one second; 6, of fleet 30" },
    { flags: '--pause', text: 'wait for Enter before each chapter' },
    { flags: '--keep', text: 'leave the fleet up for kubectl at the end' },
  ],
  formats: ['table', 'json', 'yaml'],
  examples: [
    ['Half a minute, from the beginning to the end', 'demo'],
    ['Step by step, and look around with kubectl afterwards', 'demo --pause --keep'],
    ['A bad release, and the way back', 'demo fleet'],
    ['Two operators in order: by waves, by Jobs, by waits', 'demo clustergroup'],
  ],
  async run(c, args, flags) {
    const story = args[0] ?? 'platform'
    if (!isStory(story))
      return failed('E_USAGE', {
        problem: `no story ${JSON.stringify(story)}`,
        suggestion: `There are: ${DEMO_STORIES.join(', ')}.`,
      })
    if (story === 'versioned') {
      const { runVersionedDemo } = await import('./versioned/runversioneddemo.ts')
      return runVersionedDemo(c, textFlag(flags, 'seed')!)
    }
    if (story === 'resourceset') {
      const { runResourceSet } = await import('./resourceset/runresourceset.ts')
      return runResourceSet(c, textFlag(flags, 'seed')!)
    }
    if (story === 'clustergroup') {
      const { runClusterGroup } = await import('./clustergroup/runclustergroup.ts')
      return runClusterGroup(c, textFlag(flags, 'seed')!)
    }
    if (story === 'promote') {
      const { runPromote } = await import('./promote/runpromote.ts')
      return runPromote(c)
    }
    const usual = story === 'fleet' ? { clusters: '60', speed: '30' } : { clusters: '5', speed: '6' }
    const range = story === 'fleet' ? { min: 20, max: 100 } : { min: 3, max: 50 }
    const clusters = numberFlag({ ...usual, ...flags }, 'clusters', range)
    if (!clusters.ok) return clusters
    const speed = numberFlag({ ...usual, ...flags }, 'speed', { min: 0.1, max: 1000, whole: false })
    if (!speed.ok) return speed
    const seed = textFlag(flags, 'seed')!
    if (story === 'fleet') {
      const { runFleet } = await import('./rollout/runfleet.ts')
      const pace = { speed: speed.value, pause: isSet(flags, 'pause') }
      return runFleet(c, { clusters: clusters.value, seed, ...pace })
    }
    // The embedded API is large: other commands start without it.
    const { runDemo } = await import('./rundemo.ts')
    return runDemo(c, {
      clusters: clusters.value,
      seed,
      speed: speed.value,
      pause: isSet(flags, 'pause'),
      keep: isSet(flags, 'keep'),
    })
  },
}
