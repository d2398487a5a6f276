/**
 * The race of operators in random schedules: operators that are installed early or late, what they make there before or long after that,
 * controllers that die at random writes, connections that break. What is checked is read off the cluster alone: nothing of a later
 * wave before what an earlier one waits for.
 */

import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Random } from '../../packages/kube/src/env/env.ts'
import { seededRandom } from '../../packages/kube/src/env/sim/seededrandom.ts'
import { configMapKind, crdKind } from '../../packages/kube/src/kinds/types.ts'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { OperatorPlans } from '../../packages/simulators/src/olm/operatorplans.ts'
import { patternDefinitions } from '../../packages/simulators/src/olm/patterndefinitions.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { must, NAMESPACE, type SimFleet, simFleet } from '../fleet/simfleet.ts'
import { spawn } from './process.ts'
import { chance } from './scenario.ts'
import { startCrashes } from './startcrashes.ts'
import { type RunResult, traceOf } from './trace.ts'

const CLUSTER = 'edge'
const WRITE = { purpose: 'user', manager: 'user' } as const
/** A request and its answer are each under way for so long, at most. */
const CALM_DELAY_MS = 10
/** Longer than any operator takes. */
const END_MS = 900_000

interface Wave {
  /** The package, and of what it makes the name. */
  readonly name: string
  readonly installMs: number
  /** From its Subscription; undefined: it is there from the beginning. */
  readonly madeMs: number | undefined
  /** As people write it. */
  readonly type: string
}

interface GroupPlan {
  /** In the order of their waves; nothing waits for what the last one makes. */
  readonly waves: readonly Wave[]
  readonly crashes: boolean
  /** Instants at which all connections to the cluster break. */
  readonly cutsMs: readonly number[]
}

const TYPES = [
  'sc',
  'storageclass',
  'StorageClass',
  'storageclasses.storage.k8s.io',
  'storageclasses.v1.storage.k8s.io',
]

function randomPlan(random: Random): GroupPlan {
  const logMs = (): number => Math.floor(10 ** (1 + random.next() * 4))
  const waves = Array.from(
    { length: 2 + Math.floor(random.next() * 3) },
    (_, i): Wave => ({
      name: `op-${i}`,
      installMs: logMs(),
      madeMs: chance(random, 0.1) ? undefined : logMs(),
      type: TYPES[Math.floor(random.next() * TYPES.length)]!,
    }),
  )
  const cuts = chance(random, 0.3) ? 1 + Math.floor(random.next() * 3) : 0
  return {
    waves,
    crashes: chance(random, 0.4),
    cutsMs: Array.from({ length: cuts }, () => logMs()),
  }
}

const classOf = ({ name }: Wave): KubeObject =>
  ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'example.com',
  }) as unknown as KubeObject

const valuesOf = ({ waves }: GroupPlan): string =>
  JSON.stringify({
    global: { pattern: 'race' },
    clusterGroup: {
      name: 'hub',
      namespaces: ['operators'],
      subscriptions: Object.fromEntries(
        waves.map(({ name, type }, i) => [
          name,
          {
            name,
            namespace: 'operators',
            annotations: { 'argocd.argoproj.io/sync-wave': `${i * 5}` },
            ...(i < waves.length - 1 ? { sequenceJob: { resourceType: type, resourceName: name } } : {}),
          },
        ]),
      ),
    },
  })

/** When each thing came to be on the cluster, by the steady clock. */
class Times {
  readonly subscribed = new Map<string, number>()
  readonly healthy = new Map<string, number>()
  readonly made = new Map<string, number>()
  pods = 0

  see({ cluster, resource, verb, next }: CommitRecord, now: number): void {
    if (cluster !== CLUSTER || !next || verb === 'delete') return
    const { name = '' } = next.metadata
    const first = (of: Map<string, number>): void => void (of.has(name) || of.set(name, now))
    if (resource === 'pods' || resource === 'jobs.batch') this.pods++
    if (resource === 'storageclasses.storage.k8s.io') first(this.made)
    if (resource !== 'subscriptions.operators.coreos.com') return
    first(this.subscribed)
    if (at(next, 'status', 'state') === 'AtLatestKnown') first(this.healthy)
  }
}

export async function groupRun(seed: string, look: (fleet: SimFleet) => void = () => {}): Promise<RunResult> {
  const random = seededRandom(`group/${seed}`)
  const plan = randomPlan(random.fork('plan'))
  const operators: OperatorPlans = Object.fromEntries(
    plan.waves.map((w) => [
      w.name,
      {
        installMs: w.installMs,
        makes: w.madeMs === undefined ? [] : [{ afterMs: w.madeMs, object: classOf(w) }],
      },
    ]),
  )
  const fleet = await simFleet(`group/${seed}`, [CLUSTER], { delays: LIFELIKE, operators })
  look(fleet)
  const { clock } = fleet.env
  const times = new Times()
  const push = fleet.commits.push.bind(fleet.commits)
  fleet.commits.push = (...commits) => {
    for (const c of commits) times.see(c, clock.steady())
    return push(...commits)
  }
  await furnish(fleet, plan)
  const { calm } = start(fleet, plan, random.fork('faults'))
  for (const ms of plan.cutsMs)
    clock.at(clock.steady() + ms, () => fleet.env.net.cut(`https://${CLUSTER}.test`))
  const last = plan.waves.at(-1)!.name
  await clock.run(() => times.subscribed.has(last), END_MS)
  calm()
  await clock.run(() => false, 120_000)
  const { tested, ...trace } = traceOf(fleet)
  const isCalm = !plan.crashes && plan.cutsMs.length === 0
  const lags = lagsOf(plan, times)
  return {
    seed,
    problems: [
      ...fleet.oracles.violations.map((v) => `${v.invariant}: ${v.message}`),
      ...lags.flatMap(({ name, ms }) =>
        ms === undefined
          ? [`${name} was never subscribed`]
          : ms < 0
            ? [`${name} was subscribed ${-ms} ms too early`]
            : [],
      ),
      ...(times.pods > 0 ? [`${times.pods} Pods and Jobs were made`] : []),
    ],
    tested: {
      ...tested,
      waits: lags.length,
      ...Object.fromEntries(isCalm ? lags.map(({ ms }, i) => [`lag ${i}`, ms ?? 0]) : []),
    },
    ...trace,
  }
}

async function furnish(fleet: SimFleet, plan: GroupPlan): Promise<void> {
  const { clock } = fleet.env
  const during = async (work: Promise<unknown>): Promise<void> => {
    let isDone = false
    void work.finally(() => {
      isDone = true
    })
    await clock.run(() => isDone)
    await work
  }
  const { client, api } = fleet.clusters.get(CLUSTER)!
  const create = async (crd: KubeObject) => must(await client.create(crdKind, crd as never, WRITE))
  for (const crd of patternDefinitions()) await during(create(crd))
  for (const w of plan.waves) if (w.madeMs === undefined) api.local.create(classOf(w), 'somebody')
  const metadata = { name: 'group', namespace: NAMESPACE }
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'all.yaml': valuesOf(plan) } }
  await during(fleet.hub.create(configMapKind, config, WRITE).then(must))
  const spec = {
    source: { configMaps: [{ name: 'group' }] },
    targets: { clusterSelector: {} },
    render: { namespace: 'operators', clusterGroup: { valuesFiles: ['all.yaml'] } },
  }
  const module = { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module', metadata, spec }
  await during(fleet.hub.create(moduleKind, module as never, WRITE).then(must))
}

function start(fleet: SimFleet, { crashes }: GroupPlan, random: Random): { calm(): void } {
  if (crashes) return startCrashes(fleet, random, 25)
  const process = spawn(fleet.env, 'controller', { delayMs: CALM_DELAY_MS, lossRate: 0, dropRate: 0 })
  const hub = process.env.net.connect({ url: 'https://hub.test' }, 'operator')
  startManager(process.env, createHttpClient(process.env, 'hub', hub, 'lockstep-controller'))
  return process
}

/** From the last thing that a wave waits for until the operator of the next one is subscribed; negative: too early. */
function lagsOf(
  { waves }: GroupPlan,
  times: Times,
): { readonly name: string; readonly ms: number | undefined }[] {
  return waves.slice(1).map(({ name }, i) => {
    const before = waves[i]!.name
    const subscribed = times.subscribed.get(name)
    const due = Math.max(times.made.get(before) ?? Infinity, times.healthy.get(before) ?? Infinity)
    return { name, ms: subscribed === undefined ? undefined : subscribed - due }
  })
}
