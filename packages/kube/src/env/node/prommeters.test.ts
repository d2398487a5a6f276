import { describe, expect, it } from 'vitest'
import { type GaugeValue, METRICS, type Metric } from '../metrics.ts'
import { promMeters } from './prommeters.ts'

const TABLE: readonly [string, Metric][] = Object.entries(METRICS)

/** Lines of one metric, without its head. */
const samplesOf = (text: string, name: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))

const gauge = (name: string, value = 1): GaugeValue =>
  ({ name: 'lockstep_module_ready', labels: { namespace: 'default', module: name }, value }) as const

async function scrape(meters = promMeters(), gauges: readonly GaugeValue[] = []): Promise<string> {
  const text = await meters.expose?.(gauges)
  if (text === undefined) throw new Error('nothing is exposed')
  return text
}

describe('the scrape of a process', () => {
  it('has name, type and help of each metric of the table', async () => {
    const text = await scrape()
    for (const [name, { type, help }] of TABLE)
      expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`)
    expect(text).toMatch(/^process_cpu_seconds_total \S+$/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds \S+$/m)
  })

  it('has the labels of the table, without details', async () => {
    const meters = promMeters()
    const labels = { scope: 'cluster', verb: 'list', code: '200' } as const
    const details = { resource: 'configmaps', why: 'sync' } as const
    meters.count('lockstep_client_requests_total', { ...labels, ...details, cluster: 'edge-1' })
    meters.count('lockstep_client_requests_total', { ...labels, ...details, cluster: 'edge-2' }, 2)
    expect(samplesOf(await scrape(meters), 'lockstep_client_requests_total')).toEqual([
      'lockstep_client_requests_total{scope="cluster",verb="list",code="200"} 3',
    ])
  })

  it('has buckets of a histogram', async () => {
    const meters = promMeters()
    meters.observe('lockstep_reconcile_duration_seconds', { controller: 'module' }, 0.02)
    const text = await scrape(meters)
    const bucket = (le: string) =>
      `lockstep_reconcile_duration_seconds_bucket{le="${le}",controller="module"}`
    expect(text).toContain(`${bucket('0.01')} 0\n`)
    expect(text).toContain(`${bucket('0.025')} 1\n`)
    expect(text).toContain(`${bucket('+Inf')} 1\n`)
  })

  it('keeps no series of a gauge that is gone', async () => {
    const meters = promMeters()
    expect(
      samplesOf(await scrape(meters, [gauge('a'), gauge('b', 0)]), 'lockstep_module_ready'),
    ).toHaveLength(2)
    expect(samplesOf(await scrape(meters, [gauge('b')]), 'lockstep_module_ready')).toEqual([
      'lockstep_module_ready{namespace="default",module="b"} 1',
    ])
  })

  it('has no gauge without labels that was not computed', async () => {
    const meters = promMeters()
    const up: GaugeValue = { name: 'lockstep_hub_up', labels: {}, value: 1 }
    expect(samplesOf(await scrape(meters, [up]), 'lockstep_hub_up')).toEqual(['lockstep_hub_up 1'])
    expect(samplesOf(await scrape(meters), 'lockstep_hub_up')).toEqual([])
  })

  it('escapes what a label says', async () => {
    const text = await scrape(promMeters(), [gauge('a"b\\c\nd')])
    expect(text).toContain('module="a\\"b\\\\c\\nd"')
  })
})

/** As `promtool check metrics` lints (`prometheus/util/promlint`). */
describe('the table of metrics', () => {
  it.each(TABLE)(
    '%s follows the conventions of Prometheus',
    (name, { type, help, labels, details, buckets }) => {
      expect(name).toMatch(/^lockstep_[a-z]+(_[a-z]+)*$/)
      expect(name).not.toMatch(/_(count|sum|bucket|info_total|gauge|counter|histogram|milliseconds|minutes)$/)
      expect(name.endsWith('_total')).toBe(type === 'counter')
      expect(help).toMatch(/^[A-Z].*\.$/)
      for (const label of labels) expect(label).toMatch(/^(?!le$|quantile$)[a-z]+$/)
      expect(new Set([...labels, ...(details ?? [])]).size).toBe(labels.length + (details?.length ?? 0))
      expect(buckets?.length).toBe(type === 'histogram' ? 11 : undefined)
      expect(buckets?.toSorted((a, b) => a - b)).toEqual(buckets)
    },
  )
})
