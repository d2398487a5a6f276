/** Scrapes of a simulated fleet as series of `promtool test rules`. */
import type { Labels } from '../../packages/kube/src/env/env.ts'
import { METRICS, type Metric } from '../../packages/kube/src/env/metrics.ts'
import { processGauges } from '../../packages/lockstep/src/cli/kit/leader/processgauges.ts'
import type { Story } from '../fleet/steps.ts'

/** One of two replicas: the leader serves the metrics of the fleet. */
interface Replica {
  readonly instance: string
  readonly leads: boolean
}

const REPLICAS: readonly Replica[] = [
  { instance: 'a', leads: true },
  { instance: 'b', leads: false },
]

const table = new Map<string, Metric>(Object.entries(METRICS))

interface RecordedSeries {
  readonly series: string
  /** A value of each scrape; `_` where the series is absent. */
  readonly values: string
}

export class ScrapeRecorder {
  private readonly story: Story
  private readonly values = new Map<string, Map<number, number>>()
  private scrapes = 0
  /** Unix time of the first scrape, in seconds: promtool begins at 0. */
  private start: number | undefined
  /** Present replicas. */
  replicas = REPLICAS

  constructor(story: Story) {
    this.story = story
  }

  /** Scrapes all replicas `count` times, each time after `seconds`. `change` is called before each scrape. */
  async record(count: number, seconds: number, change: (scrape: number) => void = () => {}): Promise<void> {
    for (let i = 0; i < count; i++) {
      await this.story.pass(seconds)
      change(i)
      for (const replica of this.replicas) this.scrape(replica)
      this.scrapes++
    }
  }

  series(): RecordedSeries[] {
    return [...this.values].map(([series, at]) => ({
      series,
      values: Array.from({ length: this.scrapes }, (_, i) => `${at.get(i) ?? '_'}`).join(' '),
    }))
  }

  private scrape({ instance, leads }: Replica): void {
    const { env } = this.story.fleet
    const term = leads ? { isHeld: true, leftMs: 10_000 } : undefined
    const { watches } = env.meters
    const facts = { version: '0', node: '24', leads, term, isHubUp: true, watches, now: env.clock.steady() }
    for (const gauge of processGauges(facts)) this.note(gauge, instance)
    if (!leads) return
    for (const gauge of this.story.manager.gauges(1000)) this.note(gauge, instance)
    const sums = new Map<string, { name: string; labels: Labels; value: number }>()
    for (const { name, labels, value } of env.meters.read()) {
      const { type, labels: exposed = [] } = table.get(name) ?? {}
      if (type !== 'counter') continue
      const own = Object.fromEntries(exposed.map((l) => [l, labels[l] ?? '']))
      const key = seriesText(name, own)
      sums.set(key, { name, labels: own, value: value + (sums.get(key)?.value ?? 0) })
    }
    for (const counter of sums.values()) this.note(counter, instance)
  }

  private note({ name, labels, value: unshifted }: NamedValue, instance: string): void {
    this.start ??= this.story.fleet.env.clock.now() / 1000
    const value = name.endsWith('_timestamp_seconds') ? unshifted - this.start : unshifted
    const key = seriesText(name, { ...labels, instance })
    const values = this.values.get(key) ?? new Map<number, number>()
    values.set(this.scrapes, value)
    this.values.set(key, values)
  }
}

interface NamedValue {
  readonly name: string
  readonly labels: Labels
  readonly value: number
}

const seriesText = (name: string, labels: Labels): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(',')}}`
