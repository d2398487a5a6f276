/** Requests of a release and of a deletion, by verb and resource. */
import { Story } from '../fleet/steps.ts'
import { type LayoutName, type LayoutUnit, layoutOf, unitObjects } from './layout.ts'

/** `hub update inventories`, `c0 apply configmaps (dryrun)`: number of requests. */
export type RequestCounts = Readonly<Record<string, number>>

/** Purposes of requests that are no work for a unit. */
const UNCOUNTED: ReadonlySet<string> = new Set(['user', 'sync'])
const DEADLINE_S = 3600
/** Seconds until statuses that wait for their debounce are written. */
const REST_S = 30

export class CountedFleet {
  readonly story: Story
  private readonly units: readonly LayoutUnit[]

  private constructor(story: Story, units: readonly LayoutUnit[]) {
    this.story = story
    this.units = units
  }

  static async begin(layout: LayoutName, units: number, clusters: readonly string[]): Promise<CountedFleet> {
    const story = await Story.begin(`requests/${layout}-${units}`, clusters, { unjudged: true })
    return new CountedFleet(story, layoutOf(layout, units))
  }

  /** From the first write of a Module until all are ready and nothing is left to write. */
  release(version: string): Promise<RequestCounts> {
    const { story, units } = this
    return this.count(async () => {
      await Promise.all(
        units.map(({ name, needs }) =>
          story.module(
            name,
            { inline: { objects: unitObjects(name, version) } },
            { release: version, ...(needs.length > 0 ? { dependsOn: needs } : {}) },
          ),
        ),
      )
      const isReady = (): boolean => units.every(({ name }) => story.isReady(name, version))
      if (!(await story.until(isReady, DEADLINE_S))) throw new Error(`release ${version} is not ready`)
    })
  }

  /** Deletes all Modules. More than half of the units at once have to be allowed. */
  deleteAll(): Promise<RequestCounts> {
    const { story, units } = this
    return this.count(async () => {
      for (const { name } of units) await story.deleteModule(name)
      const isGone = (): boolean => story.fleet.stored('modules.lockstep.dev').length === 0
      if (!(await story.until(isGone, DEADLINE_S))) throw new Error('Modules are left')
    })
  }

  private async count(work: () => Promise<void>): Promise<RequestCounts> {
    const before = this.read()
    await work()
    await this.story.pass(REST_S)
    const after = this.read()
    return Object.fromEntries(
      [...after]
        .map(([what, n]): [string, number] => [what, n - (before.get(what) ?? 0)])
        .filter(([, n]) => n > 0)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  }

  private read(): Map<string, number> {
    const found = new Map<string, number>()
    for (const { name, labels, value } of this.story.fleet.env.meters.read()) {
      const { cluster, verb, resource = '', why = '' } = labels
      const isCounted = !UNCOUNTED.has(why) && resource !== 'leases'
      if (name !== 'lockstep_client_requests_total' || !isCounted) continue
      const what = `${cluster} ${verb} ${resource}${why === 'dryrun' ? ' (dry run)' : ''}`
      found.set(what, (found.get(what) ?? 0) + value)
    }
    return found
  }
}

export const totalOf = (counts: RequestCounts): number => Object.values(counts).reduce((a, b) => a + b, 0)

/** Requests beyond a limit, each with its verb and resource. `limits`: requests of each unit; `once`: of all units together. */
export function excessOf(
  counts: RequestCounts,
  units: number,
  limits: RequestCounts,
  once: RequestCounts,
): string[] {
  return Object.entries(counts).flatMap(([what, n]) => {
    const limit = (limits[what] ?? 0) * units + (once[what] ?? 0)
    return n > limit ? [`${what}: ${n} requests for ${units} units, limit ${limit}`] : []
  })
}
