/** P10: many pipelines with one credential: all get there, at the pace that the host is known to bear. */
import { PipelineStory, REPOSITORY } from './pipelinestory.ts'

export interface Many {
  readonly unfinished: readonly string[]
  /** Of the host, in the busiest span of that length. */
  readonly mostAMinute: number
  readonly mostAnHour: number
  readonly writes: number
  readonly seconds: number
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
/** What only reads, although it is posted: objects of the repository, for the simulated git. */
const READS = /\/blobs$/

export async function manyPipelines(count: number, mostSeconds: number): Promise<Many> {
  const story = await PipelineStory.open(`many/${count}`)
  const names = Array.from({ length: count }, (_, i) => `p-${i}`)
  const file = (name: string, version: string) =>
    `version: ${version} # {"$promotion": "platform:${name}:staging"}\n`
  const files = names.map((n) => [`apps/${n}.yaml`, file(n, '1.0.0')])
  await story.during(story.repository.push('main', Object.fromEntries(files), 'all of them'))
  for (const e of ['dev', 'staging']) await story.runs(e, '1.0.0')
  const promotion = { pullRequest: { autoMerge: true } }
  for (const name of names)
    await story.pipeline({ dev: {}, staging: { promotion } }, { name, spec: { identity: name } })
  /** Identities of those that are there, once. */
  const arrived = (version: string): Set<string> =>
    new Set(
      story
        .promotions('staging')
        .filter((p) => p.spec.revision === version && p.status?.phase === 'Succeeded')
        .map((p) => p.spec.identity),
    )
  const all = (version: string): boolean => arrived(version).size === count
  await story.until(() => all('1.0.0'), mostSeconds)
  const from = story.host.requests.length
  const { clock } = story.fleet.env
  const begun = clock.steady()
  await story.runs('dev', '2.0.0')
  await story.runs('staging', '2.0.0')
  await story.until(() => all('2.0.0'), mostSeconds)
  const done = arrived('2.0.0')
  const sent = story.host.requests
    .slice(from)
    .filter((r) => WRITES.has(r.method) && !READS.test(r.path) && r.path.includes(REPOSITORY))
    .map((r) => r.at)
  return {
    unfinished: names.filter((n) => !done.has(n)),
    mostAMinute: most(sent, 60_000),
    mostAnHour: most(sent, 3_600_000),
    writes: sent.length,
    seconds: (clock.steady() - begun) / 1000,
  }
}

/** The most of these instants that any span of that length has; earlier ones first. */
function most(times: readonly number[], spanMs: number): number {
  let first = 0
  let out = 0
  for (const [i, at] of times.entries()) {
    while (times[first]! <= at - spanMs) first++
    out = Math.max(out, i - first + 1)
  }
  return out
}
