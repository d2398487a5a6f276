import { describe, expect, it } from 'vitest'
import type { Random } from '../../../kube/src/env/env.ts'
import { seededRandom } from '../../../kube/src/env/sim/seededrandom.ts'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { testCluster } from '../server/testcluster.cases.ts'

const WATCHERS = 100
const WRITES = 20_000
const ROUND = 200
const NAMESPACES = ['default', 'kube-system']
const SELECTORS = ['', 'color=red', 'color in (red,blue)', '!color', 'size!=1', 'color,size']

type Cluster = ReturnType<typeof testCluster>

/** Replays a stream into a map, resuming where it stopped, as an informer does. */
class Replayer {
  readonly state = new Map<string, string>()
  private version = ''
  private open: ReturnType<Cluster['watch']> | undefined
  private read = 0
  expired = 0
  gaps = 0
  readonly path: string
  private readonly cluster: Cluster
  constructor(cluster: Cluster, random: Random) {
    this.cluster = cluster
    const namespace = NAMESPACES[Math.floor(random.next() * 3)]
    const base = namespace ? `/api/v1/namespaces/${namespace}/configmaps` : '/api/v1/configmaps'
    this.path = `${base}?labelSelector=${encodeURIComponent(SELECTORS[Math.floor(random.next() * SELECTORS.length)]!)}`
  }

  get isOpen(): boolean {
    return this.open !== undefined
  }

  async start(): Promise<void> {
    if (this.version === '') await this.list()
    this.open = this.cluster.watch(
      `${this.path}&watch=true&allowWatchBookmarks=true&resourceVersion=${this.version}`,
    )
    this.read = 0
  }

  stop(): void {
    this.open?.stop()
    this.open = undefined
  }

  async list(): Promise<void> {
    const { body } = await this.cluster.call('GET', this.path)
    this.state.clear()
    for (const o of body.items as KubeObject[]) this.state.set(nameOf(o), o.metadata.resourceVersion!)
    this.version = body.metadata.resourceVersion
  }

  /** Takes in what has come; relists after a 410. */
  async drain(): Promise<void> {
    if (!this.open) return
    for (; this.read < this.open.got.length; this.read++) {
      const { type, object } = this.open.got[this.read]!
      if (type === 'ERROR') {
        this.expired++
        this.open = undefined
        await this.list()
        return this.start()
      }
      const version = object.metadata.resourceVersion as string
      if (Number(version) < Number(this.version)) this.gaps++
      this.version = version
      if (type === 'BOOKMARK') continue
      const had = this.state.has(nameOf(object))
      if ((type === 'ADDED') === had) this.gaps++
      if (type === 'DELETED') this.state.delete(nameOf(object))
      else this.state.set(nameOf(object), version)
    }
  }
}

const nameOf = (o: KubeObject): string => `${o.metadata.namespace}/${o.metadata.name}`

function writeOne(cluster: Cluster, random: Random): void {
  const { local } = cluster.server
  const namespace = NAMESPACES[Math.floor(random.next() * 2)]!
  const name = `c${Math.floor(random.next() * 100)}`
  const live = local.get('configmaps', namespace, name)
  const labels: Record<string, string> = {}
  if (random.next() < 0.6) labels.color = ['red', 'blue', 'green'][Math.floor(random.next() * 3)]!
  if (random.next() < 0.5) labels.size = String(Math.floor(random.next() * 3))
  const data = { n: String(random.next()) }
  if (live && random.next() < 0.3) local.delete('configmaps', namespace, name, 'w')
  else if (live) local.update({ ...live, metadata: { ...live.metadata, labels }, data }, 'w')
  else local.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data }, 'w')
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function drainAll(watchers: readonly Replayer[]): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await tick()
    for (const w of watchers) await w.drain()
  }
}

describe('a hundred random watchers over twenty thousand writes', () => {
  it('end with what a list shows, without a gap, or after exactly one 410', {
    timeout: 120_000,
  }, async () => {
    const cluster = testCluster('replay')
    const random = seededRandom('replay writes')
    const watchers = Array.from({ length: WATCHERS }, () => new Replayer(cluster, random))
    for (const w of watchers) await w.start()
    for (let i = 0; i < WRITES; i += ROUND) {
      for (let n = 0; n < ROUND; n++) writeOne(cluster, random)
      await drainAll(watchers)
      for (const w of watchers) {
        // The first ten stay away for the middle of the run, across the end of the history.
        const isAway = watchers.indexOf(w) < 10 && i >= WRITES / 4 && i < (WRITES * 3) / 4
        if (w.isOpen && (isAway || random.next() < 0.05)) w.stop()
        else if (!w.isOpen && !isAway && random.next() < 0.5) await w.start()
      }
      await cluster.env.clock.run(() => false, 10_000)
    }
    for (const w of watchers) if (!w.isOpen) await w.start()
    await drainAll(watchers)
    for (const [i, w] of watchers.entries()) {
      const { body } = await cluster.call('GET', w.path)
      const want = (body.items as KubeObject[]).map((o) => [nameOf(o), o.metadata.resourceVersion])
      expect([...w.state].sort()).toEqual(want.sort())
      expect({ gaps: w.gaps, expired: w.expired }).toEqual({ gaps: 0, expired: i < 10 ? 1 : 0 })
    }
  })
})
