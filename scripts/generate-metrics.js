/**
 * Writes `docs/reference/metrics.md` from the table of metrics. With `--check` it writes nothing and fails if the page is not
 * current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSource } from './loadsource.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const PAGE = 'docs/reference/metrics.md'
const TABLE = 'packages/kube/src/env/metrics.ts'

const HEADER = [
  '# Metrics',
  '',
  'The controller serves these metrics at `--metrics-address`; see [monitoring](../operations/monitoring.md). Replicas also serve',
  'metrics of the process and of Node (`process_*`, `nodejs_*`). This page is generated from the table of metrics; do not edit it.',
  '',
]

const rowOf = ([name, { type, help, labels }]) =>
  `| \`${name}\` | ${type} | ${labels.map((l) => `\`${l}\``).join(', ') || '–'} | ${help} |`

const section = (title, text, metrics) => [
  `## ${title}`,
  '',
  text,
  '',
  '| Name | Type | Labels | Meaning |',
  '|---|---|---|---|',
  ...metrics.map(rowOf),
  '',
]

/** `fleet`: names of those that only the leader serves. */
export function metricsPage(metrics, fleet) {
  const all = Object.entries(metrics)
  const buckets = all
    .filter(([, m]) => m.buckets)
    .map(([name, m]) => `| \`${name}\` | ${m.buckets.join(', ')} |`)
  return [
    ...HEADER,
    ...section(
      'Fleet',
      'Only the leader serves them.',
      all.filter(([name]) => fleet.includes(name)),
    ),
    ...section(
      'Process',
      'Every replica serves them.',
      all.filter(([name]) => !fleet.includes(name)),
    ),
    '## Buckets',
    '',
    '| Histogram | Upper bounds in seconds |',
    '|---|---|',
    ...buckets,
    '',
  ].join('\n')
}

async function main() {
  const { METRICS, FLEET_METRICS } = await loadSource(TABLE)
  const text = metricsPage(METRICS, FLEET_METRICS)
  if (!process.argv.includes('--check')) return writeFileSync(join(root, PAGE), text)
  if (readFileSync(join(root, PAGE), 'utf8') === text) return
  console.error(`${PAGE} is not current: npm run generate`)
  process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
