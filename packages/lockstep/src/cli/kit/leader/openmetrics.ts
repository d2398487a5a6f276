/** `/metrics` over HTTP, in the text format of Prometheus, from the start of the process on. */
import {
  type GaugeValue,
  type Handler,
  type Listening,
  type Result,
  requestTarget,
  type ServerResponse,
} from '@lockstep/kube/env'
import { type CliFailure, type CommandContext, type Flags, failed, type Option, textFlag } from '../index.ts'
import { addressFlag, type ListenAddress, listenFailed } from './addressflag.ts'

const ADDRESS = 'metrics-address'
const OBJECTS = 'metrics-objects'
const MOST = '1000'

export const metricOptions: readonly Option[] = [
  { flags: `--${ADDRESS} <host:port>`, text: 'HTTP address of /metrics; without it none' },
  {
    flags: `--${OBJECTS} <number>`,
    text: 'Modules or clusters with metrics of their own; beyond it only abnormal ones have them',
    default: MOST,
  },
]

export interface MetricFlags extends ListenAddress {
  /** Modules or clusters that all have series of their own. */
  readonly most: number
}

/** Undefined: nothing is served. */
export function metricFlags(flags: Flags): Result<MetricFlags | undefined, CliFailure> {
  const address = textFlag(flags, 'metricsAddress')
  const most = textFlag(flags, 'metricsObjects') ?? MOST
  if (!/^\d{1,6}$/.test(most))
    return failed('E_USAGE', {
      problem: `--${OBJECTS} ${most}: must be a number from 0 to 999999`,
      suggestion: `for example: --${OBJECTS} ${MOST}`,
    })
  if (address === undefined) return { ok: true, value: undefined }
  const place = addressFlag(ADDRESS, address)
  return place.ok ? { ok: true, value: { ...place.value, most: Number(most) } } : place
}

const LIMITS = { headerBytes: 8192, requestMs: 5000 }

export async function openMetrics(
  { env }: CommandContext,
  address: MetricFlags | undefined,
  gauges: () => Iterable<GaugeValue>,
): Promise<Result<Listening | undefined, CliFailure>> {
  if (!address) return { ok: true, value: undefined }
  const expose = env.meters.expose ?? (async () => '')
  const opened = await env.net.listen(
    { host: address.host, port: address.port, limits: LIMITS },
    metricsHandler(() => expose(gauges())),
  )
  if (!opened.ok) return listenFailed(ADDRESS, address, opened.error)
  env.log.info('serves metrics', { reason: 'Listening', address: opened.value.url })
  return opened
}

/** `scrape`: the text of all metrics now. */
export const metricsHandler =
  (scrape: () => Promise<string>): Handler =>
  async ({ method, url }) => {
    if (requestTarget(url).path !== '/metrics') return plain(404, 'not found\n')
    if (method !== 'GET') return plain(405, 'method not allowed\n')
    return { status: 200, headers: { 'content-type': METRICS_TYPE }, body: await scrape() }
  }

/** Version 0.0.4 of the text format of Prometheus. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const plain = (status: number, body: string): ServerResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
})
