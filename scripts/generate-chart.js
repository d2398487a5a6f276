// Writes the generated files of charts/lockstep. With --check it writes nothing and fails if they are not current.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSource } from './loadsource.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const CHART = 'charts/lockstep'
/** Alert rules and dashboards: Helm reads only files of the chart. */
const MONITORING = 'monitoring'

function monitoringFiles() {
  if (!existsSync(join(root, MONITORING))) return {}
  const paths = readdirSync(join(root, MONITORING), { recursive: true }).filter((p) =>
    /\.(yaml|json)$/.test(p),
  )
  return Object.fromEntries(
    paths
      .sort()
      .map((path) => [`files/${MONITORING}/${path}`, readFileSync(join(root, MONITORING, path), 'utf8')]),
  )
}

const { chartFiles } = await loadSource('packages/lockstep/src/cli/kit/install/chartfiles.ts')
const { version } = JSON.parse(readFileSync(join(root, 'packages/lockstep/package.json'), 'utf8'))
for (const [path, text] of Object.entries({ ...chartFiles(version), ...monitoringFiles() })) {
  const target = join(root, CHART, path)
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
  } else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(`${CHART}/${path} is not current: npm run generate`)
    process.exitCode = 1
  }
}
