/**
 * All metrics of Lockstep. `Meters` accepts only these names and labels; rules, dashboards and the reference page are checked
 * against this table. Names follow Prometheus: base units, `_total` for counters.
 */

/** `counter` and `histogram` are counted by `Meters`; a `gauge` is computed at each scrape. */
type MetricType = 'counter' | 'gauge' | 'histogram'

export interface Metric {
  readonly type: MetricType
  /** One sentence for readers of the scrape. */
  readonly help: string
  readonly labels: readonly string[]
  /** Labels that are counted in memory and never exposed: tests and benches count by them. */
  readonly details?: readonly string[]
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[]
}

/** Seconds of requests and reconciles. */
const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60] as const
/** Seconds of waits, up to one day. */
const LONG = [1, 5, 15, 60, 300, 900, 3600, 7200, 21_600, 43_200, 86_400] as const

/** Details of requests. */
const REQUEST = ['cluster', 'resource', 'why'] as const

/** Only the leader serves these: they describe objects of the hub. */
const FLEET = {
  lockstep_modules: {
    type: 'gauge',
    help: 'Modules by state.',
    labels: ['namespace', 'state'],
  },
  lockstep_module_ready: {
    type: 'gauge',
    help: 'Whether condition Ready of the Module is True for its last spec.',
    labels: ['namespace', 'module'],
  },
  lockstep_source_up: {
    type: 'gauge',
    help: 'Whether the source of the Module could be read and rendered last.',
    labels: ['namespace', 'module'],
  },
  lockstep_units: {
    type: 'gauge',
    help: 'Units by state: a unit is a Module on one cluster. An empty module: those without series of their own.',
    labels: ['namespace', 'module', 'state'],
  },
  lockstep_blocked_units: {
    type: 'gauge',
    help: 'Units with a blocker, by the reason of the first one.',
    labels: ['reason'],
  },
  lockstep_rollout_state: {
    type: 'gauge',
    help: 'State of an unfinished rollout: 1 for the present state.',
    labels: ['namespace', 'module', 'state'],
  },
  lockstep_rollout_last_progress_timestamp_seconds: {
    type: 'gauge',
    help: 'Unix time of the last change in an unfinished rollout: its start, a stage, or the state of a unit.',
    labels: ['namespace', 'module'],
  },
  lockstep_rollout_slots: {
    type: 'gauge',
    help: 'Clusters that count towards the limits of a rollout, by kind of the change.',
    labels: ['namespace', 'module', 'kind'],
  },
  lockstep_clusters: {
    type: 'gauge',
    help: 'Clusters by state.',
    labels: ['namespace', 'state'],
  },
  lockstep_cluster_up: {
    type: 'gauge',
    help: 'Whether the controller is connected to a cluster that it delivers to.',
    labels: ['namespace', 'cluster'],
  },
  lockstep_cluster_credential_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'Unix time at which the credential in the Secret of a cluster ends; absent if it does not say so.',
    labels: ['namespace', 'cluster'],
  },
  lockstep_cluster_credential_expiring: {
    type: 'gauge',
    help: 'Whether the credential in the Secret of a cluster ends within seven days, or a quarter of a shorter life.',
    labels: ['namespace', 'cluster'],
  },
  lockstep_credential_renewals_total: {
    type: 'counter',
    help: 'Renewals of tokens in Secrets of clusters, by result: renewed or failed.',
    labels: ['result'],
  },
  lockstep_promotions_pending: {
    type: 'gauge',
    help: 'Promotions that have not ended.',
    labels: ['namespace', 'pipeline'],
  },
  lockstep_rollouts_total: {
    type: 'counter',
    help: 'Rollouts by result: Complete, Halted or RolledBack. A halted rollout may complete later.',
    labels: ['result'],
  },
  lockstep_revision_to_healthy_seconds: {
    type: 'histogram',
    help: 'Time from publishing a revision until a unit is ready at it, counted for each unit.',
    labels: [],
    buckets: LONG,
  },
  lockstep_gate_wait_seconds: {
    type: 'histogram',
    help: 'Time that a unit waited for its dependencies before its deployment started.',
    labels: [],
    buckets: LONG,
  },
  lockstep_admissions_total: {
    type: 'counter',
    help: 'Admissions of units by result. closed: live reads closed the gate; conflict: another write came first.',
    labels: ['result'],
  },
  lockstep_objects_total: {
    type: 'counter',
    help: 'Writes of objects to clusters by result: applied, deleted or failed.',
    labels: ['result'],
  },
  lockstep_hooks_total: {
    type: 'counter',
    help: 'Runs of hooks that ended, by result: Succeeded or Failed.',
    labels: ['result'],
  },
  lockstep_source_fetches_total: {
    type: 'counter',
    help: 'Reads of sources outside the hub, by type (git or helm) and result (success or error).',
    labels: ['type', 'result'],
  },
  lockstep_promotions_total: {
    type: 'counter',
    help: 'Promotions that ended, by result: the last phase.',
    labels: ['result'],
  },
  lockstep_drift_total: {
    type: 'counter',
    help: 'Objects that were changed outside Lockstep, by action.',
    labels: ['action'],
  },
} as const satisfies Record<string, Metric>

/** Every replica serves these. */
const PROCESS = {
  lockstep_build_info: {
    type: 'gauge',
    help: 'Version of Lockstep and of Node; the value is 1.',
    labels: ['version', 'node'],
  },
  lockstep_leader: {
    type: 'gauge',
    help: 'Whether this process leads.',
    labels: [],
  },
  lockstep_lease_remaining_seconds: {
    type: 'gauge',
    help: 'Time until the Lease of the leader expires without a renewal.',
    labels: [],
  },
  lockstep_hub_up: {
    type: 'gauge',
    help: 'Whether the hub answered a request with success in the last 30 seconds.',
    labels: [],
  },
  lockstep_reconcile_total: {
    type: 'counter',
    help: 'Reconciles by result: done, requeued, error or bug.',
    labels: ['controller', 'result'],
  },
  lockstep_reconcile_duration_seconds: {
    type: 'histogram',
    help: 'Duration of reconciles.',
    labels: ['controller'],
    buckets: SHORT,
  },
  lockstep_queue_depth: {
    type: 'gauge',
    help: 'Requests that are due and wait for a worker, by priority.',
    labels: ['priority'],
  },
  lockstep_queue_oldest_seconds: {
    type: 'gauge',
    help: 'Time that the oldest request waits for a worker.',
    labels: [],
  },
  lockstep_client_requests_total: {
    type: 'counter',
    help: 'Requests to Kubernetes API servers; the code is <error> if there was no answer.',
    labels: ['scope', 'verb', 'code'],
    details: REQUEST,
  },
  lockstep_client_request_duration_seconds: {
    type: 'histogram',
    help: 'Time until the head of an answer of a Kubernetes API server arrived.',
    labels: ['scope', 'verb'],
    buckets: SHORT,
  },
  lockstep_client_sent_bytes_total: {
    type: 'counter',
    help: 'Bytes of bodies that were sent to Kubernetes API servers.',
    labels: ['scope', 'verb'],
    details: REQUEST,
  },
  lockstep_client_received_bytes_total: {
    type: 'counter',
    help: 'Bytes of bodies that were received from Kubernetes API servers.',
    labels: ['scope', 'verb'],
    details: REQUEST,
  },
  lockstep_cluster_turn_wait_seconds: {
    type: 'histogram',
    help: 'Time that requests without a deliverable change waited for their turn.',
    labels: ['urgency'],
    buckets: LONG,
  },
  lockstep_watches: {
    type: 'gauge',
    help: 'Watches by state: Opening until the server answers, then Open.',
    labels: ['scope', 'state'],
  },
  lockstep_watch_silence_seconds: {
    type: 'gauge',
    help: 'Longest time since an open watch delivered an event or a bookmark.',
    labels: ['scope'],
  },
  lockstep_cache_objects: {
    type: 'gauge',
    help: 'Objects in the caches of the hub, by name of the cache.',
    labels: ['kind'],
  },
  lockstep_fences_lost_total: {
    type: 'counter',
    help: 'Writes that were not sent since the right to write had ended.',
    labels: ['kind'],
  },
  lockstep_invariant_violations_total: {
    type: 'counter',
    help: 'Violations of invariants that the running process checks.',
    labels: ['invariant'],
    details: ['controller'],
  },
  lockstep_exceptions_total: {
    type: 'counter',
    help: 'Exceptions that no controller caught, by scope: cluster, hub or process.',
    labels: ['scope'],
  },
  lockstep_events_total: {
    type: 'counter',
    help: 'Events that were written.',
    labels: ['kind', 'reason'],
  },
  lockstep_tool_runs_total: {
    type: 'counter',
    help: 'Programs that were run, such as git and helm, by result.',
    labels: ['tool', 'result'],
  },
  lockstep_sources_parsed_total: {
    type: 'counter',
    help: 'Sources whose manifests were parsed.',
    labels: [],
  },
  lockstep_webhook_requests_total: {
    type: 'counter',
    help: 'Requests to the endpoint of events, by status of the answer.',
    labels: ['code'],
  },
} as const satisfies Record<string, Metric>

export const METRICS = Object.assign({}, FLEET, PROCESS)

type Metrics = typeof METRICS

export type MetricName<T extends MetricType = MetricType> = {
  [N in keyof Metrics]: Metrics[N]['type'] extends T ? N : never
}[keyof Metrics]

type DetailOf<M> = M extends { readonly details: readonly (infer D extends string)[] } ? D : never

/** Values of all labels of a metric, and of its details. */
export type MetricLabels<N extends MetricName> = Readonly<
  Record<Metrics[N]['labels'][number] | DetailOf<Metrics[N]>, string>
>

/** The value of one gauge at a scrape. */
export type GaugeValue = {
  [N in MetricName<'gauge'>]: {
    readonly name: N
    readonly labels: MetricLabels<N>
    readonly value: number
  }
}[MetricName<'gauge'>]

/** Names of metrics that only the leader serves. */
export const FLEET_METRICS: readonly string[] = Object.keys(FLEET)
