/**
 * Two replicas, of which one stands still at some write while releases go on: the other one takes over, and then the first
 * wakes. Nothing is lost, made twice, overwritten by what is older, or left behind.
 */

import type { Random } from '../../packages/kube/src/env/env.ts'
import { seededRandom } from '../../packages/kube/src/env/sim/seededrandom.ts'
import { at, isArray, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { disruptionBudgetKind } from '../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { must, NAMESPACE, type SimFleet, simFleet } from '../fleet/simfleet.ts'
import { Fences } from './fences.ts'
import { PausingProcess, type ProcessPause } from './pausingprocess.ts'
import { chance } from './scenario.ts'
import { stand } from './simreplicas.ts'
import { type RunResult, traceOf } from './trace.ts'

const CLUSTERS = ['c1', 'c2']
const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
const ONE_AT_A_TIME = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'DisruptionBudget',
  metadata: { name: 'one', namespace: NAMESPACE },
  spec: { clusterSelector: {}, maxUnavailable: 1 },
}
/** About as many as the first replica makes by itself. */
const WRITES = 70
const RESOURCES = ['configmaps', 'deployments.apps', 'jobs.batch']

export async function takeoverRun(
  seed: string,
  look: (fleet: SimFleet) => void = () => {},
): Promise<RunResult> {
  const fleet = await simFleet(seed, CLUSTERS, { delays: LIFELIKE })
  look(fleet)
  const fences = new Fences(() => fleet.env.clock.steady())
  // Commits are looked at when they are made: the check knows the time.
  const push = fleet.commits.push.bind(fleet.commits)
  fleet.commits.push = (...commits) => {
    for (const [i, c] of commits.entries()) fences.see(c, fleet.commits.length + i)
    return push(...commits)
  }
  const { problems, first } = await play(fleet, seededRandom(`takeover/${seed}`))
  const unsent = fleet.env.meters.read().filter((s) => s.name === 'lockstep_fences_lost_total')
  // What arrives late was in the bundle that was admitted when it was sent; that it goes again is looked at in the end.
  const violations = fleet.oracles.violations.filter((v) => v.invariant !== 'I2' || !fences.late.has(v.at))
  const { tested, ...trace } = traceOf(fleet)
  return {
    seed,
    problems: [...violations.map((v) => `${v.invariant}: ${v.message}`), ...fences.problems, ...problems],
    tested: {
      ...tested,
      I10: fences.tested,
      /** Writes that were refused here, and those that came too late and were refused there. */
      unsent: unsent.reduce((sum, s) => sum + s.value, 0),
      refused: first.status === 409 ? 1 : 0,
      late: fences.late.size,
    },
    ...trace,
  }
}

/** From a millisecond to ten minutes; mostly such that somebody else begins to lead, and what was sent is still under way. */
function pauseOf(random: Random): ProcessPause {
  const [least, most] = chance(random, 0.3) ? [1, 600_000] : [11_000, 60_000]
  const fates = ['sent', 'slow', 'unsent'] as const
  return {
    write: 1 + Math.floor(random.next() * WRITES),
    ms: Math.round(least * (most / least) ** random.next()),
    fate: fates[Math.floor(random.next() * fates.length)]!,
    slowMs: random.next() * 29_000,
  }
}

/** A program that is started again when it has ended, as a Deployment's is. */
function replica(fleet: SimFleet, name: string, pause?: ProcessPause): PausingProcess {
  const process = new PausingProcess(fleet.env, name, pause)
  void stand(process.env, name).then(() => {
    process.end()
    const { clock } = fleet.env
    clock.at(clock.steady() + 2000, () => void replica(fleet, `${name}'`))
  })
  return process
}

async function play(fleet: SimFleet, random: Random) {
  const { clock } = fleet.env
  const pass = (ms: number) => clock.run(() => false, ms)
  const first = replica(fleet, 'first', pauseOf(random.fork('pause')))
  await pass(1000)
  if (chance(random.fork('limit'), 0.5))
    must(await during(fleet, fleet.hub.apply(disruptionBudgetKind, ONE_AT_A_TIME, WRITE)))
  replica(fleet, 'second')
  await publish(fleet, 1, random)
  await pass(random.next() * 15_000)
  await publish(fleet, 2, random)
  await clock.run(() => first.pausedAt !== undefined, 60_000)
  await pass(random.next() * 40_000)
  await publish(fleet, 3, random)
  await pass(random.next() * 20_000)
  const isDeleted = chance(random, 0.4)
  if (isDeleted)
    must(await during(fleet, fleet.hub.delete(moduleKind, keyOf('app'), { ...WRITE, purpose: 'user' })))
  await clock.run(() => first.pausedAt === undefined || first.wokeAt !== undefined, 900_000)
  await pass(240_000)
  return { first, problems: [...(await unfinished(fleet, isDeleted)), ...orphans(fleet)] }
}

const keyOf = (name: string) => ({ namespace: NAMESPACE, name })

async function publish(fleet: SimFleet, version: number, random: Random): Promise<void> {
  for (const name of ['base', 'app'])
    must(await during(fleet, fleet.hub.apply(moduleKind, moduleOf(name, version, random), WRITE)))
}

/** Objects come and go from one version to the next. */
function moduleOf(name: string, version: number, random: Random): KubeObject {
  const config = (n: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: n, namespace: 'default' },
    data: { version: `${version}` },
  })
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'main', image: `${name}:v${version}` }] },
  }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: { replicas: 1, selector: { matchLabels: { app: name } }, template },
  }
  const hook = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name}-hook`,
      namespace: 'default',
      annotations: { 'argocd.argoproj.io/hook': 'PreSync' },
    },
    spec: {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: `hook:v${version}` }] },
      },
    },
  }
  const some = Array.from({ length: 5 }, (_, i) => `${name}-${i}`).filter(() => chance(random, 0.6))
  const objects = [config(name), ...some.map(config), ...(name === 'base' ? [deployment] : [hook])]
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: keyOf(name),
    spec: {
      release: `r${version}`,
      source: { inline: { objects } },
      targets: { clusterSelector: {} },
      dependsOn: name === 'app' ? [{ id: 'base', module: { kind: 'Module', name: 'base' } }] : [],
    },
  } as unknown as KubeObject
}

async function unfinished(fleet: SimFleet, isDeleted: boolean): Promise<string[]> {
  const modules = must(await during(fleet, fleet.hub.list(moduleKind, { purpose: 'user' }))).items
  const problems = modules.flatMap((m) => {
    const isReady = m.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True')
    const isDone =
      isReady && m.status?.release === 'r3' && m.status.observedGeneration === m.metadata.generation
    return isDone ? [] : [`not converged: ${m.metadata.name}: ${JSON.stringify(m.status?.blockers)}`]
  })
  const names = modules.map((m) => m.metadata.name).sort()
  const wanted = isDeleted ? ['base'] : ['app', 'base']
  if (names.join() !== wanted.join()) problems.push(`modules: ${names.join()}`)
  return problems
}

/** What carries our mark and stands in no Inventory. */
function orphans(fleet: SimFleet): string[] {
  const known = new Set<string>()
  for (const i of fleet.inventories()) {
    for (const o of entriesOf(i, 'objects'))
      known.add(`${at(i, 'spec', 'clusterRef', 'name')} ${at(o, 'uid')}`)
    for (const o of entriesOf(i, 'hooks'))
      known.add(`${at(i, 'spec', 'clusterRef', 'name')} ${at(o, 'kind')} ${at(o, 'name')}`)
  }
  return [...fleet.clusters].flatMap(([name, { api }]) =>
    RESOURCES.flatMap((resource) => api.local.list(resource)).flatMap((o) => {
      if (o.metadata.labels?.['lockstep.dev/unit'] === undefined) return []
      const ids = [`${name} ${o.metadata.uid}`, `${name} ${o.kind} ${o.metadata.name}`]
      return ids.some((id) => known.has(id)) ? [] : [`left behind on ${name}: ${o.kind} ${o.metadata.name}`]
    }),
  )
}

function entriesOf(inventory: KubeObject, field: string) {
  const entries = at(inventory, 'spec', field)
  return isArray(entries) ? entries : []
}

/** Lets time run until an answer is there. */
async function during<T>(fleet: SimFleet, work: Promise<T>): Promise<T> {
  let settled = false
  void work.finally(() => {
    settled = true
  })
  await fleet.env.clock.run(() => settled)
  return work
}
