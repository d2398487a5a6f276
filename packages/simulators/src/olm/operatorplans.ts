/**
 * Operators, simulated: a Subscription is installed after a while, and later what the operator makes of itself is there, as a
 * storage operator makes its StorageClass long after its Subscription is healthy. An OperatorGroup knows its namespaces.
 */
import { at, isArray, type JsonValue, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import { condition, type Engine } from '../workloads/engine.ts'

/** Of one package; milliseconds from when its Subscription is seen. */
export interface OperatorPlan {
  /** The Subscription is healthy. */
  readonly installMs: number
  /** OLM says this in place of installing it, as long as it is told to. */
  readonly refuses?: () => OlmRefusal | undefined
  readonly makes?: readonly { readonly afterMs: number; readonly object: KubeObject }[]
}

/** A condition of a Subscription that is not installed. */
export interface OlmRefusal {
  readonly type: string
  readonly reason: string
  readonly message: string
}

/** By the name of the package; others are installed at once. */
export type OperatorPlans = Readonly<Record<string, OperatorPlan>>

const SUBSCRIPTIONS = 'subscriptions.operators.coreos.com'
const GROUPS = 'operatorgroups.operators.coreos.com'
/** In the status of a group: all namespaces. */
const EVERYWHERE = ''
const AT_ONCE: OperatorPlan = { installMs: 0 }
/** How often OLM looks again at what it has refused. */
const AGAIN_MS = 1000

export function runOperators(engine: Engine, plans: OperatorPlans): void {
  engine.control(GROUPS, (g) => {
    if (g.metadata.deletionTimestamp === undefined) engine.report(g, membersOf(g, engine))
  })
  const since = new Map<string, number>()
  const made = new Set<string>()
  engine.control(SUBSCRIPTIONS, (s) => {
    const uid = s.metadata.uid ?? ''
    if (s.metadata.deletionTimestamp !== undefined) return
    const name = String(at(s, 'spec', 'name'))
    const plan = plans[name] ?? AT_ONCE
    const { clock } = engine.context.env
    const begun = since.get(uid) ?? clock.steady()
    since.set(uid, begun)
    const passed = clock.steady() - begun
    const refusal = plan.refuses?.()
    if (refusal) {
      engine.report(s, refused(s, refusal, engine))
      engine.again(SUBSCRIPTIONS, s, [AGAIN_MS, AGAIN_MS])
      return
    }
    engine.report(s, passed >= plan.installMs ? installed(s, name, engine) : installing(s, engine))
    for (const [i, { afterMs, object }] of (plan.makes ?? []).entries()) {
      const id = `${uid} ${i}`
      if (passed < afterMs || made.has(id)) continue
      made.add(id)
      engine.context.api.create(object)
    }
    const due = [plan.installMs, ...(plan.makes ?? []).map((m) => m.afterMs)].filter((ms) => ms > passed)
    if (due.length === 0) return
    const left = Math.min(...due) - passed
    engine.again(SUBSCRIPTIONS, s, [left, left])
  })
}

/** OLM writes down which namespaces a group is about, and when that last changed. */
function membersOf(g: KubeObject, engine: Engine): OperatorStatus {
  const targets = at(g, 'spec', 'targetNamespaces')
  const namespaces = isArray(targets) && targets.length > 0 ? targets : [EVERYWHERE]
  const isNews = !jsonEqual(namespaces, at(g, 'status', 'namespaces') ?? [])
  return { namespaces, lastUpdated: (isNews ? undefined : at(g, 'status', 'lastUpdated')) ?? engine.now() }
}

type OperatorStatus = { readonly [key: string]: JsonValue | undefined }

const healthy = (s: KubeObject, engine: Engine): JsonValue =>
  condition(s, 'CatalogSourcesUnhealthy', 'False', 'AllCatalogSourcesHealthy', '', engine.now())

const statusOf = (engine: Engine, s: KubeObject, rest: OperatorStatus): OperatorStatus => ({
  lastUpdated: at(s, 'status', 'lastUpdated') ?? engine.now(),
  ...rest,
})

const installing = (s: KubeObject, engine: Engine): OperatorStatus =>
  statusOf(engine, s, { state: 'UpgradePending', conditions: [healthy(s, engine)] })

const installed = (s: KubeObject, name: string, engine: Engine): OperatorStatus => {
  const csv = String(at(s, 'spec', 'startingCSV') ?? `${name}.v1.0.0`)
  const rest = { currentCSV: csv, installedCSV: csv, conditions: [healthy(s, engine)] }
  return statusOf(engine, s, { state: 'AtLatestKnown', ...rest })
}

const refused = (s: KubeObject, { type, reason, message }: OlmRefusal, engine: Engine): OperatorStatus =>
  statusOf(engine, s, {
    conditions: [healthy(s, engine), condition(s, type, 'True', reason, message, engine.now())],
  })
