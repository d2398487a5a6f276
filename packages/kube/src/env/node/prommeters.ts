import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Labels, Meters } from '../env.ts'
import { METRICS, type Metric, type MetricName } from '../metrics.ts'
import { WatchCount } from '../watchcount.ts'

/** Gauges of prom-client whose names end as those of counters do: promtool reports them. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** The metrics of one process, served in the format of Prometheus. */
export function promMeters(): Meters {
  const registry = new Registry()
  const { counters, gauges, histograms } = registered(registry)
  let isCollecting = false
  return {
    count(name, labels, by = 1) {
      counters.get(name)?.inc(exposed(name, labels), by)
    },
    observe(name, labels, value) {
      histograms.get(name)?.observe(exposed(name, labels), value)
    },
    watches: new WatchCount(),
    async expose(values) {
      // Begins to measure the event loop: only processes that serve metrics do.
      if (!isCollecting) {
        collectDefaultMetrics({ register: registry })
        for (const name of MISNAMED) registry.removeSingleMetric(name)
      }
      isCollecting = true
      for (const gauge of gauges.values()) {
        gauge.reset()
        // After a reset a gauge without labels is 0: an unknown value would look like 0.
        gauge.remove({})
      }
      for (const { name, labels, value } of values) gauges.get(name)?.set(labels, value)
      return registry.metrics()
    },
  }
}

function registered(registry: Registry) {
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  const metrics: [string, Metric][] = Object.entries(METRICS)
  for (const [name, { type, help, labels, buckets = [] }] of metrics) {
    const options = { name, help, labelNames: [...labels], registers: [registry] }
    switch (type) {
      case 'counter':
        counters.set(name, new Counter(options))
        break
      case 'gauge':
        gauges.set(name, new Gauge(options))
        break
      case 'histogram':
        histograms.set(name, new Histogram(Object.assign(options, { buckets: [...buckets] })))
        break
    }
  }
  return { counters, gauges, histograms }
}

/** Labels without details. */
function exposed(name: MetricName, labels: Labels): Record<string, string> {
  const out: Record<string, string> = {}
  for (const label of METRICS[name].labels) out[label] = labels[label] ?? ''
  return out
}
