/** Requests and bytes of a run: without watches, and without requests of users. */
import type { Story } from '../test/fleet/steps.ts'

export interface Spent {
  readonly requests: number
  readonly writes: number
  /** Bytes of request bodies. */
  readonly sent: number
  /** Bytes of answers. */
  readonly received: number
}

const WRITES = ['create', 'apply', 'patch', 'replace', 'delete']

export function spent(story: Story, where: (cluster: string, why: string) => boolean): Spent {
  return sumOf(story, (cluster, why) => !['user', 'sync'].includes(why) && where(cluster, why))
}

/** Requests of a user to a cluster: the least of any client. */
export const raw = (story: Story, cluster: string): Spent =>
  sumOf(story, (c, why) => c === cluster && why === 'user')

function sumOf(story: Story, where: (cluster: string, why: string) => boolean): Spent {
  const samples = story.fleet.env.meters.read().filter(({ labels }) => where(labels.cluster!, labels.why!))
  const sum = (name: string, verbs?: readonly string[]): number =>
    samples
      .filter((s) => s.name === `lockstep_client_${name}_total` && (verbs?.includes(s.labels.verb!) ?? true))
      .reduce((total, s) => total + s.value, 0)
  return {
    requests: sum('requests'),
    writes: sum('requests', WRITES),
    sent: sum('sent_bytes'),
    received: sum('received_bytes'),
  }
}

/** Reports of a Module, beside the work for its units. */
const ONCE = ['publish', 'event']

/** A revision costs the hub something once, for publishing, and something for each unit. */
export const costs = (story: Story) => ({
  cluster: spent(story, (c, why) => c !== 'hub' && why !== 'dryrun'),
  /** At most one for each existing object that changes, on the first cluster (`spec.apply.dryRun`). */
  tried: spent(story, (c, why) => c !== 'hub' && why === 'dryrun'),
  units: spent(story, (c, why) => c === 'hub' && !ONCE.includes(why)),
  publishing: spent(story, (c, why) => c === 'hub' && ONCE.includes(why)),
})

export type Costs = ReturnType<typeof costs>

export const since = (before: Costs, after: Costs): Costs => ({
  cluster: minus(after.cluster, before.cluster),
  tried: minus(after.tried, before.tried),
  units: minus(after.units, before.units),
  publishing: minus(after.publishing, before.publishing),
})

export const minus = (a: Spent, b: Spent): Spent => ({
  requests: a.requests - b.requests,
  writes: a.writes - b.writes,
  sent: a.sent - b.sent,
  received: a.received - b.received,
})
