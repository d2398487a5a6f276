import { describe, expect, it } from 'vitest'
import { silentLog } from '../../../../../kube/src/env/log/silentlog.ts'
import { METRICS } from '../../../../../kube/src/env/metrics.ts'
import type { ServerRequest } from '../../../../../kube/src/env/net.ts'
import { createNodeEnv } from '../../../../../kube/src/env/node/nodeenv.ts'
import { WatchCount } from '../../../../../kube/src/env/watchcount.ts'
import type { CommandContext } from '../index.ts'
import { metricFlags, metricsHandler, openMetrics } from './openmetrics.ts'
import { type ProcessFacts, processGauges } from './processgauges.ts'

describe('where metrics are served', () => {
  it.each<[flags: object, value: object | undefined]>([
    [{}, undefined],
    [{ metricsAddress: '127.0.0.1:8080' }, { host: '127.0.0.1', port: 8080, most: 1000 }],
    [
      { metricsAddress: ':0', metricsObjects: '20' },
      { host: '', port: 0, most: 20 },
    ],
  ])('%j', (flags, value) => {
    expect(metricFlags({ ...flags })).toEqual({ ok: true, value })
  })

  it.each([
    [{ metricsAddress: '8080' }, '--metrics-address 8080: must be an address with a port'],
    [
      { metricsAddress: ':1', metricsObjects: '-1' },
      '--metrics-objects -1: must be a number from 0 to 999999',
    ],
    [{ metricsAddress: ':1', metricsObjects: 'all' }, '--metrics-objects all: must be a number'],
  ])('%j is refused', (flags, problem) => {
    expect(metricFlags(flags)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(problem) },
    })
  })
})

const FACTS: ProcessFacts = {
  version: '1.2.3',
  node: '24.1.0',
  leads: true,
  term: { isHeld: true, leftMs: 12_500 },
  isHubUp: true,
  now: 0,
  watches: new WatchCount(),
}

describe('gauges of a process', () => {
  const shown = (facts: Partial<ProcessFacts>): Record<string, number> =>
    Object.fromEntries(processGauges({ ...FACTS, ...facts }).map(({ name, value }) => [name, value]))

  it.each<[name: string, facts: Partial<ProcessFacts>, leader: number, lease: number | undefined]>([
    ['a leader', {}, 1, 12.5],
    ['a leader whose Lease has ended', { term: { isHeld: false, leftMs: 0 } }, 0, undefined],
    ['a standby', { leads: false, term: undefined }, 0, undefined],
    ['a process without an election', { term: undefined }, 1, undefined],
  ])('%s', (_, facts, leader, lease) => {
    const gauges = shown(facts)
    expect([gauges.lockstep_leader, gauges.lockstep_lease_remaining_seconds]).toEqual([leader, lease])
  })

  it('say nothing of a hub that was not asked yet', () => {
    expect([shown({}).lockstep_hub_up, shown({ isHubUp: false }).lockstep_hub_up]).toEqual([1, 0])
    expect(shown({ isHubUp: undefined })).not.toHaveProperty('lockstep_hub_up')
  })
})

async function served(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const env = createNodeEnv(silentLog)
  const context = { env } as unknown as CommandContext
  const address = { host: '127.0.0.1', port: 0, most: 10 }
  const opened = await openMetrics(context, address, () => processGauges(FACTS))
  if (!opened.ok || !opened.value) throw new Error('nothing listens')
  return opened.value
}

describe('the endpoint of metrics', () => {
  it('answers GET /metrics, and nothing else', async () => {
    const { url, close } = await served()
    try {
      const answer = await fetch(`${url}/metrics`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ])
      const text = await answer.text()
      expect(text).toContain('lockstep_build_info{version="1.2.3",node="24.1.0"} 1\n')
      expect(text).toContain('lockstep_watches{scope="hub",state="Open"} 0\n')
      const typed = [...text.matchAll(/^# TYPE (lockstep_\w+) (\w+)$/gm)].map(([, name, type]) => [
        name,
        type,
      ])
      expect(typed).toEqual(Object.entries(METRICS).map(([name, { type }]) => [name, type]))
      const others = ['/', '/metrics/', '/healthz', '/metric'].map(
        async (path) => (await fetch(url + path)).status,
      )
      expect(await Promise.all(others)).toEqual([404, 404, 404, 404])
      expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405)
    } finally {
      await close()
    }
  })

  it.each(['//[', '*', 'http://[/metrics', '%'])('does not know the target %s', async (url) => {
    const answer = await metricsHandler(async () => 'all')({ method: 'GET', url } as ServerRequest)
    expect(answer.status).toBe(404)
  })
})
