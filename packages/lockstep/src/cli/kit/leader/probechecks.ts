/** Checks of `/livez` and `/readyz`: pure. */

/** Ages in milliseconds; undefined: never. */
export interface HealthFacts {
  /** The thread that keeps the Lease; undefined: without an election. */
  readonly election: ElectionFacts | undefined
  /** Age of the last request to the hub that succeeded, of any thread. */
  readonly hubMs: number | undefined
  /** Problem of the definitions on the hub; undefined: they suffice. */
  readonly crdsProblem: string | undefined
  /** How long work is due although a worker is free. */
  readonly stalledMs: number | undefined
  /** Undefined: another process leads. */
  readonly areCachesComplete: boolean | undefined
}

export interface ElectionFacts {
  readonly isOver: boolean
  readonly leads: boolean
  /** Age of the last turn of the thread. */
  readonly beatMs: number | undefined
  /** Age of the last answer about the Lease. */
  readonly answeredMs: number | undefined
}

export interface ProbeCheck {
  readonly name: string
  /** Undefined: ok. */
  readonly problem: string | undefined
}

/** Milliseconds without an answer after which the hub counts as away. */
export const SILENT_MS = 30_000
const STALLED_MS = 15 * 60_000

/** Problems that a restart of the process solves. */
export function livenessChecks(facts: HealthFacts): ProbeCheck[] {
  const { election, stalledMs } = facts
  return [
    { name: 'ping', problem: undefined },
    ...(election ? [{ name: 'lease-thread', problem: threadProblem(election) }] : []),
    {
      name: 'queue',
      problem:
        stalledMs !== undefined && stalledMs >= STALLED_MS
          ? `work is due for ${seconds(stalledMs)}`
          : undefined,
    },
  ]
}

/** Whether the process leads, or could. */
export function readinessChecks(facts: HealthFacts): ProbeCheck[] {
  const { election, hubMs, crdsProblem, areCachesComplete } = facts
  return [
    ...livenessChecks(facts),
    { name: 'hub', problem: silence(hubMs) },
    { name: 'crds', problem: crdsProblem },
    ...(election
      ? [{ name: 'lease', problem: election.leads ? undefined : silence(election.answeredMs) }]
      : []),
    { name: 'caches', problem: areCachesComplete === false ? 'the first lists are incomplete' : undefined },
  ]
}

function threadProblem({ isOver, beatMs }: ElectionFacts): string | undefined {
  if (isOver) return 'the election is over'
  return beatMs !== undefined && beatMs > SILENT_MS ? `it stands still for ${seconds(beatMs)}` : undefined
}

function silence(ms: number | undefined): string | undefined {
  if (ms === undefined) return 'no answer yet'
  return ms > SILENT_MS ? `no answer for ${seconds(ms)}` : undefined
}

const seconds = (ms: number): string => `${Math.floor(ms / 1000)}s`
