import { type Command, failed, isSet, numberFlag, textFlag } from '../../kit/index.ts'
import { DEMO_STORIES } from '../../kit/topics/index.ts'

const isStory = (text: string): text is (typeof DEMO_STORIES)[number] =>
  (DEMO_STORIES as readonly string[]).includes(text)

/** `lockstep demo`. */
export const demoCommand: Command = {
  name: 'demo',
  summary: 'Run a simulated fleet in this process',
  arguments: '[story]',
  completes: ['story'],
  detail: [
    'STORY is platform (default), fleet, versioned, resourceset, clustergroup, promote, or tenancy. Exit 1 if an invariant broke.',
    'Story platform: embedded clusters in memory, the real controllers, and Modules from examples/. A release is deployed, the next one fails on one cluster and is fixed, and Modules are deleted. Every write is checked.',
    'Story fleet: a bad release on 60 clusters with stages, a DisruptionBudget, an Approval and a pinned region. The fleet rolls back automatically, and a good release follows.',
    'Story versioned: one release, written in the wrong order, under a simulated Flux, under Flux with the release in names, and under Lockstep.',
    'Story resourceset: a ClusterResourceSet under a simulated Cluster API, and under Lockstep.',
    'Story clustergroup: an operator that needs an object of another operator, without waves, with waves, with polling Jobs and with waits.',
    'Story promote: a revision is promoted by pull request in a real repository while the controller is killed, and is then reverted. It accepts no options.',
    'Story tenancy: a user with the role edit in one namespace attacks the platform through Modules. Each attack is refused, and every write is counted.',
    'Stories versioned, resourceset, clustergroup and tenancy accept --seed only.',
  ].join('\n'),
  options: [
    { flags: '--clusters <n>', text: 'clusters in addition to the hub; 5, of fleet 60' },
    { flags: '--seed <n>', text: 'seed of the run; equal seeds give equal runs', default: '42' },
    { flags: '--speed <x>', text: "seconds of the fleet's time in one second; 6, of fleet 30" },
    { flags: '--pause', text: 'wait for Enter before each chapter' },
    { flags: '--keep', text: 'serve the fleet for kubectl at the end' },
  ],
  formats: ['table', 'json', 'yaml'],
  examples: [
    ['Run the whole story in half a minute', 'demo'],
    ['Run step by step, then explore with kubectl', 'demo --pause --keep'],
    ['Show a bad release and its rollback', 'demo fleet'],
    ['Show attacks of a tenant and their refusals', 'demo tenancy'],
  ],
  async run(c, args, flags) {
    const story = args[0] ?? 'platform'
    if (!isStory(story))
      return failed('E_USAGE', {
        problem: `unknown story ${JSON.stringify(story)}`,
        suggestion: `stories: ${DEMO_STORIES.join(', ')}`,
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
    if (story === 'tenancy') {
      const { runTenancy } = await import('./tenancy/runtenancy.ts')
      return runTenancy(c, textFlag(flags, 'seed')!)
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
