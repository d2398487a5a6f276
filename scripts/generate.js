// Writes all generated files that need nothing but this repository. With --check it writes none and fails if one is not current.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const SCRIPTS = [
  'generate-crds.js',
  'generate-chart.js',
  'generate-adrs.js',
  'generate-reasons.js',
  'generate-metrics.js',
]

for (const script of SCRIPTS) {
  const args = [join(import.meta.dirname, script), ...process.argv.slice(2)]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
