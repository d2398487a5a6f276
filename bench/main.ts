/**
 * Cost of deployments. `passes`: requests, writes and bytes of one unit, beside the raw limit. `edge`: from a healthy
 * dependency to its dependent's first request, over sockets. `fleet`: many clusters. `release`: one to 300 of them. `plan`: deciding alone, for
 * many clusters. `sets`: ClusterResourceSets that are Continuous. `setevents`: those of 1,000
 * Clusters when one of these changes. `process`: CPU and memory of the controller alone, with the servers in another process. `rest`: one of them on many clusters for an hour, and after a failover. `scale`: a release, a rest, drift and a restart of many clusters. `postrender`: charts of 500 objects.
 * All of them, unless some are named.
 * Prints a table or, with `--json`, one object; exits 1 if a goal for a count is missed.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BenchReport } from './benchreport.ts'
import { continuousSets } from './continuoussets.ts'
import { controllerProcess } from './controllerprocess.ts'
import { deciding } from './decidecost.ts'
import { passes } from './passes.ts'
import { postRenderCosts } from './postrendercosts.ts'
import { atRest } from './rest.ts'
import { scale } from './scale.ts'
import { setEvents } from './setevents.ts'
import { latency, oneAfterAnother, wholeFleet, wholeRelease } from './wholefleet.ts'
import { dependencyToDependant } from './wirelatency.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    modules: { type: 'string', default: '100' },
    clusters: { type: 'string', default: '10' },
    objects: { type: 'string', default: '10' },
    sizes: { type: 'string', default: '10,1000,5000' },
    edges: { type: 'string', default: '200' },
    release: { type: 'string', default: '300' },
    sets: { type: 'string', default: '1000' },
    rest: { type: 'string', default: '100' },
    scale: { type: 'string', default: '300' },
    setevents: { type: 'string', default: '1000' },
    process: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
})
const size = {
  modules: Number(values.modules),
  clusters: Number(values.clusters),
  objects: Number(values.objects),
}
const SERVERS = join(import.meta.dirname, 'servers.mjs')
const report = new BenchReport()
const isAsked = (name: string): boolean => positionals.length === 0 || positionals.includes(name)

if (isAsked('passes')) for (const n of values.sizes.split(',')) await passes(report, Number(n))
if (isAsked('edge')) await dependencyToDependant(report, SERVERS, Number(values.edges))
if (isAsked('fleet')) {
  await latency(report)
  await oneAfterAnother(report, size)
  await wholeFleet(report, size)
}
if (isAsked('release'))
  await wholeRelease(report, { modules: 10, clusters: Number(values.release), objects: 3 })
if (isAsked('scale')) await scale(report, { clusters: Number(values.scale), modules: 10, objects: 3 })
if (isAsked('plan')) deciding(report, { modules: 10, clusters: 1000 })
if (isAsked('sets')) await continuousSets(report, { clusters: Number(values.sets), sets: 3 })
if (isAsked('rest')) await atRest(report, Number(values.rest))
if (isAsked('process'))
  await controllerProcess(report, SERVERS, { clusters: Number(values.process), modules: 3, objects: 3 })
if (isAsked('setevents')) await setEvents(report, Number(values.setevents))
if (isAsked('postrender')) postRenderCosts(report, process.cwd())
const machine = { node: process.version, ...size }
if (values.json) console.log(report.json(machine))
else console.log(`node ${machine.node}, embedded API\n\n${report.table()}`)
if (report.missed.length > 0) {
  console.error(`missed: ${report.missed.join('; ')}`)
  process.exitCode = 1
}
