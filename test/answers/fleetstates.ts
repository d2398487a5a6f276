/** States of clusters, releases and pins: each row brings a fleet into it, and says what all surfaces must show. */
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { must, NAMESPACE } from '../fleet/simfleet.ts'
import { USER } from '../fleet/single.ts'
import { configManifest } from '../fleet/steps.ts'
import { ALL_AT_ONCE, type AnswerState, hold, published, put, ready, secretPatch } from './statesteps.ts'

export const fleetStates: readonly AnswerState[] = [
  {
    name: 'ready',
    async create(story) {
      await put(story, 'app', '1')
    },
    unit: ['app', 'c1'],
    conditions: 'TFF Complete',
    why: 0,
    wait: 0,
    roots: [],
  },
  {
    name: 'selects nothing',
    async create(story) {
      await put(story, 'app', '1', { targets: { clusterSelector: { matchLabels: { env: 'staging' } } } })
    },
    unit: ['app', 'c1'],
    conditions: 'FFF SelectsNothing',
    why: 1,
    wait: 1,
    roots: ['SelectsNothing'],
  },
  {
    name: 'selects nothing, and may',
    async create(story) {
      const targets = { clusterSelector: { matchLabels: { env: 'staging' } }, allowEmpty: true }
      await put(story, 'app', '1', { targets })
    },
    unit: ['app', 'c1'],
    conditions: 'TFF NoClusters',
    why: 1,
    wait: 0,
    roots: ['NotSelected'],
  },
  {
    name: 'not selected',
    async create(story) {
      await secretPatch(story, { metadata: { labels: { env: 'staging' } } })
      await put(story, 'app', '1', { targets: { clusterSelector: { matchLabels: { env: 'prod' } } } })
    },
    unit: ['app', 'c1'],
    conditions: 'TFF Complete',
    why: 1,
    wait: 0,
    roots: ['NotSelected'],
  },
  {
    name: 'cycle',
    async create(story) {
      await put(story, 'app', '1', { dependsOn: ['base'] })
      await put(story, 'base', '1', { dependsOn: ['app'] })
    },
    unit: ['app', 'c1'],
    conditions: 'FFT CycleDetected',
    why: 1,
    wait: 1,
    roots: ['CycleDetected'],
  },
  {
    name: 'deadlock of a deselected dependency and the next release',
    async create(story) {
      await put(story, 'base', '1')
      await put(story, 'app', '1', { dependsOn: ['base'] })
      await ready(story, 'base', 'app')
      await put(story, 'base', '1', { targets: { clusters: ['c2', 'c3'] } })
      await put(story, 'app', '2', { dependsOn: ['base'] })
      await story.pass(30)
    },
    unit: ['app', 'c1'],
    conditions: 'FFT Deadlock',
    why: 1,
    wait: 1,
    roots: ['Deadlock'],
  },
  {
    name: 'deadlock of a deleted dependency and the next release',
    async create(story) {
      await put(story, 'base', '1')
      await put(story, 'app', '1', { dependsOn: ['base'] })
      await ready(story, 'base', 'app')
      await story.deleteModule('base')
      await put(story, 'app', '2', { dependsOn: ['base'] })
      await story.pass(30)
    },
    unit: ['base', 'c1'],
    conditions: 'FFT Deadlock',
    why: 1,
    wait: 1,
    roots: ['Deadlock'],
  },
  {
    name: 'cluster gone',
    async create(story) {
      await put(story, 'app', '1')
      await ready(story, 'app')
      const key = { namespace: NAMESPACE, name: 'c1' }
      must(await story.during(story.fleet.hub.delete(secretKind, key, USER)))
    },
    unit: ['app', 'c1'],
    conditions: 'TFF Complete',
    why: 1,
    wait: 0,
    roots: ['ClusterGone'],
  },
  {
    name: 'cluster unreachable',
    async create(story) {
      await put(story, 'app', '1')
      await ready(story, 'app')
      story.fleet.env.net.unserve('https://c1.test')
      story.fleet.env.net.cut('https://c1.test')
      await story.pass(300)
    },
    unit: ['app', 'c1'],
    conditions: 'FTF TooManyUnreachable',
    why: 1,
    wait: 4,
    roots: ['ClusterUnreachable'],
  },
  {
    name: 'known cluster without a session',
    isBrief: true,
    async create(story) {
      await put(story, 'app', '1')
      await ready(story, 'app')
      await story.pass(10)
      story.manager.stop()
      story.fleet.env.net.unserve('https://c1.test')
      story.manager = story.fleet.startController()
      await story.pass(15)
    },
    unit: ['app', 'c1'],
    conditions: 'TFF Complete',
    why: 1,
    wait: 0,
    roots: ['ClusterConnecting'],
  },
  {
    name: 'cluster paused',
    async create(story) {
      await put(story, 'app', '1')
      await ready(story, 'app')
      await secretPatch(story, { metadata: { annotations: { 'lockstep.dev/paused': 'true' } } })
      await put(story, 'app', '2')
    },
    unit: ['app', 'c1'],
    conditions: 'FTF ClusterPaused',
    why: 1,
    wait: 4,
    roots: ['ClusterPaused'],
  },
  {
    name: 'cluster whose kubeconfig cannot be used any more',
    async create(story) {
      await put(story, 'app', '1')
      await ready(story, 'app')
      await secretPatch(story, { data: { kubeconfig: 'eA==' } })
      await story.pass(300)
    },
    unit: ['app', 'c1'],
    conditions: 'FTF TooManyUnreachable',
    why: 1,
    wait: 4,
    roots: ['CredentialRefused'],
  },
  {
    name: 'frozen, and the source has moved',
    async create(story) {
      await put(story, 'app', '1', { release: '1' })
      await ready(story, 'app')
      await story.config('app-1', configManifest('app', '2'))
    },
    unit: ['app', 'c1'],
    conditions: 'TFF Complete',
    why: 0,
    wait: 0,
    roots: [],
  },
  {
    name: 'old release healthy, suspended by a Hold',
    async create(story) {
      await put(story, 'app', '1', { release: '1' })
      await ready(story, 'app')
      await hold(story, 'app', {})
      await put(story, 'app', '2', { release: '2' })
    },
    unit: ['app', 'c1'],
    conditions: 'FTF Held',
    why: 1,
    wait: 4,
    roots: ['Held'],
  },
  {
    name: 'pinned at the revision before',
    async create(story) {
      await put(story, 'app', '1', { release: '1' })
      await ready(story, 'app')
      await hold(story, 'app', { action: 'Pin', clusters: ['c1'], revision: published(story, 'app') })
      await put(story, 'app', '2', { release: '2' })
    },
    unit: ['app', 'c1'],
    conditions: 'TFF Complete',
    why: 0,
    wait: 0,
    roots: [],
  },
  {
    name: 'kept at the revision of its installation',
    async create(story) {
      const once = { ...ALL_AT_ONCE, updates: 'Once' }
      await put(story, 'app', '1', { rollout: once })
      await ready(story, 'app')
      await put(story, 'app', '2', { rollout: once })
    },
    unit: ['app', 'c1'],
    conditions: 'TFF Complete',
    why: 0,
    wait: 0,
    roots: [],
  },
]
