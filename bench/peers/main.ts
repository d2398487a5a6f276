/**
 * `npm run bench -- peers`: the same upgrades by Lockstep, by Flux and as raw writes, each on a real API server of its own on
 * loopback. Prints a table and writes JSON to bench/results.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findPrograms } from '../../test/real/realservers.ts'
import type { LayoutName } from '../../test/requests/layout.ts'
import { peerTable } from './peerreport.ts'
import { comparePeers, TOOLS } from './peers.ts'
import { versionOf } from './programversion.ts'

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    assets: { type: 'string' },
    flux: { type: 'string' },
    units: { type: 'string', default: '100' },
    layout: { type: 'string', default: 'wide' },
    tool: { type: 'string', multiple: true },
    pairs: { type: 'string', default: '3' },
    name: { type: 'string' },
  },
})
const assets = values.assets ?? findPrograms()
const LAYOUTS: readonly LayoutName[] = ['wide', 'chain', 'diamond']
const layout = values.layout as LayoutName
const tools = values.tool ?? TOOLS.filter((t) => t !== 'flux' || values.flux !== undefined)
const problem =
  assets === undefined
    ? 'no API server: name the folder of etcd, kube-apiserver and kube-controller-manager by --assets'
    : !LAYOUTS.includes(layout)
      ? `--layout ${layout}: not one of ${LAYOUTS.join(', ')}`
      : tools.find((t) => !TOOLS.includes(t)) !== undefined
        ? `--tool: not one of ${TOOLS.join(', ')}`
        : undefined
if (problem !== undefined || assets === undefined) {
  console.error(`bench peers: ${problem}`)
  process.exit(2)
}
const units = Number(values.units)
const runs = await comparePeers({
  assets,
  flux: values.flux,
  units,
  layout,
  tools,
  pairs: Number(values.pairs),
  told: (run) => console.error(`${run.tool}, ${run.what}: ${(run.delivering / 1000).toFixed(2)} s`),
})
const machine = {
  node: process.version,
  cpus: cpus().length,
  cpu: cpus()[0]?.model,
  kubernetes: versionOf(join(assets, 'kube-apiserver')),
  etcd: versionOf(join(assets, 'etcd')),
}
console.log(`${JSON.stringify(machine)}\n\n${peerTable(runs)}`)
const folder = join(process.cwd(), 'bench', 'results')
mkdirSync(folder, { recursive: true })
const file = join(folder, `${values.name ?? `peers-${layout}-${units}`}.json`)
writeFileSync(file, `${JSON.stringify({ machine, runs }, undefined, 1)}\n`)
process.exit(0)
