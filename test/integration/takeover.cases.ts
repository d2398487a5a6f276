/** Takeover and hand-back, on the simulated upstream (`takeover.test.ts`) and on the real one (`test/real/takeover.test.ts`). */
import { expect } from 'vitest'
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../packages/kube/src/object/index.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import {
  addCluster,
  addConfigMap,
  addSet,
  bindingsPath,
  corePath,
  merge,
  must,
  setsPath,
} from '../../packages/simulators/src/clusterapi/stage.cases.ts'
import {
  LOCKSTEP_AGENT,
  type TakeoverCase,
  type TakeoverWorld,
  UPSTREAM_AGENT,
  workloadWrites,
} from './takeover.world.ts'

const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: takeover-x\n  namespace: default\n'

const notManaged: TakeoverCase = {
  name: "a set that is not managed is upstream's alone, and who writes what is told apart",
  clusters: ['c1'],
  async run(w) {
    const lockstep = w.startLockstep()
    await addCluster(w, 'c1')
    await addConfigMap(w, 'a', { x: MANIFEST })
    await addSet(w, 'crs1', { resources: ['ConfigMap/a'] })
    await w.settle()
    expect(workloadWrites(w, UPSTREAM_AGENT).map((r) => r.path.replace(/\?.*/, ''))).toEqual([
      '/api/v1/namespaces/default/configmaps',
    ])
    expect(workloadWrites(w, LOCKSTEP_AGENT)).toEqual([])
    lockstep.stop()
  },
}

/** Until it is so, at most so many seconds. */
async function until(w: TakeoverWorld, seconds: number, holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < seconds * 2; i++) {
    if (await holds()) return
    await w.wait(500)
  }
  expect(await holds()).toBe(true)
}

const setOf = (w: TakeoverWorld): Promise<JsonValue> => must(w, '', 'GET', `${setsPath(w)}/crs1`)

/** Of the newer kind, wherever this version has it: `True/TakenOver: …`. */
async function condition(w: TakeoverWorld, type: string): Promise<string> {
  const set = await setOf(w)
  // Before Cluster API 1.9 there are those of the older kind only.
  const newer = w.apiVersion === 'v1beta2' ? undefined : at(set, 'status', 'v1beta2', 'conditions')
  const all = newer ?? at(set, 'status', 'conditions')
  const found = isArray(all) ? all.find((c) => isObject(c) && c.type === type) : undefined
  return isObject(found) ? `${found.status}/${found.reason}: ${found.message}` : ''
}

const annotate = (w: TakeoverWorld, annotations: JsonObject): Promise<JsonValue> =>
  merge(w, `${setsPath(w)}/crs1`, { metadata: { annotations } })

const bindingSpec = async (w: TakeoverWorld): Promise<JsonValue | undefined> =>
  at(await must(w, '', 'GET', `${bindingsPath(w)}/c1`), 'spec')

/** A set that upstream has applied to one cluster. */
async function appliedByUpstream(w: TakeoverWorld, strategy: string): Promise<void> {
  await addCluster(w, 'c1')
  await addConfigMap(w, 'a', { x: MANIFEST })
  await addSet(w, 'crs1', { strategy, resources: ['ConfigMap/a'] })
  await w.settle()
  await until(w, 30, async () => (await w.send('', 'GET', `${bindingsPath(w)}/c1`)).status === 200)
  await w.settle()
}

const takenOver = (w: TakeoverWorld): Promise<void> =>
  until(w, 90, async () => (await condition(w, 'lockstep.dev/Managed')).startsWith('True/TakenOver'))

/** What its conditions are a word for, and what never changes by it. */
const roundTrip = (strategy: string): TakeoverCase => ({
  name: `${strategy}: taken over, handed back and taken over again without a write to the cluster`,
  versions: ['1.9', '1.13'],
  clusters: ['c1'],
  async run(w) {
    await appliedByUpstream(w, strategy)
    const [spec, writes] = [await bindingSpec(w), w.writes().filter((x) => x.cluster !== '').length]
    const lockstep = w.startLockstep()
    await annotate(w, { [SET.managed]: 'true' })
    await takenOver(w)
    await w.wait(3000)
    expect(at(await setOf(w), 'metadata', 'annotations', 'cluster.x-k8s.io/paused')).toBe('lockstep')
    expect(await condition(w, 'ResourcesApplied')).toMatch(/^True\/Applied/)
    await annotate(w, { [SET.managed]: null })
    await until(w, 60, async () => (await condition(w, 'Paused')).startsWith('False'))
    for (const look of ['1', '2', '3']) {
      await annotate(w, { look })
      await w.settle()
    }
    expect(await condition(w, 'lockstep.dev/Managed')).toBe('')
    await annotate(w, { [SET.managed]: 'true' })
    await takenOver(w)
    await w.wait(3000)
    expect(w.writes().filter((x) => x.cluster !== '').length).toBe(writes)
    expect(await bindingSpec(w)).toEqual(spec)
    lockstep.stop()
  },
})

/** Of an object of ours, where a set has its own. */
const modulePath = (w: TakeoverWorld): string =>
  setsPath(w)
    .replace(/^\/apis\/[^/]+\/[^/]+/, '/apis/lockstep.dev/v1alpha1')
    .replace(/[^/]+$/, 'modules/crs-crs1')

const continuous: TakeoverCase = {
  name: 'Continuous: taken over by one request an object, kept up to date, and handed back as it is',
  versions: ['1.9', '1.13'],
  clusters: ['c1'],
  async run(w) {
    await appliedByUpstream(w, 'Reconcile')
    const theirs = workloadWrites(w, UPSTREAM_AGENT).length
    const path = '/api/v1/namespaces/default/configmaps/takeover-x'
    const object = () => must(w, 'c1', 'GET', path)
    const uid = at(await object(), 'metadata', 'uid')
    const ours = () =>
      workloadWrites(w, LOCKSTEP_AGENT)
        .filter((x) => x.path.startsWith(path))
        .map((x) => x.method)
    const lockstep = w.startLockstep()
    await annotate(w, { [SET.managed]: 'true', [SET.mode]: 'Continuous' })
    const isInSync = async () =>
      (await condition(w, 'lockstep.dev/Converged')).startsWith('True/InSync: in sync on 1 of 1 clusters')
    await until(w, 90, isInSync)
    await w.wait(3000)
    expect(ours()).toEqual(['PATCH'])
    await merge(w, `${corePath(w, 'configmaps')}/a`, { data: { x: `${MANIFEST}data: {v: "2"}\n` } })
    await until(w, 30, async () => at(await object(), 'data', 'v') === '2' && (await isInSync()))
    await annotate(w, { [SET.managed]: null })
    await until(w, 60, async () => (await condition(w, 'Paused')).startsWith('False'))
    for (const look of ['1', '2', '3']) {
      await annotate(w, { look })
      await w.settle()
    }
    expect(workloadWrites(w, UPSTREAM_AGENT).length).toBe(theirs)
    expect(at(await object(), 'metadata', 'uid')).toBe(uid)
    expect(at(await object(), 'metadata', 'labels')).toBeUndefined()
    expect((await w.send('', 'GET', modulePath(w))).status).toBe(404)
    for (const type of ['lockstep.dev/Managed', 'lockstep.dev/Converged'])
      expect(await condition(w, type)).toBe('')
    lockstep.stop()
  },
}

const owed: TakeoverCase = {
  name: 'what changes once it is ours is applied by us, once; handed back, upstream finds it as it is',
  versions: ['1.9', '1.13'],
  clusters: ['c1'],
  async run(w) {
    await appliedByUpstream(w, 'Reconcile')
    const lockstep = w.startLockstep()
    await annotate(w, { [SET.managed]: 'true' })
    await takenOver(w)
    const before = workloadWrites(w, UPSTREAM_AGENT).length
    await merge(w, `${corePath(w, 'configmaps')}/a`, { data: { x: `${MANIFEST}data: {v: "2"}\n` } })
    const object = async () => must(w, 'c1', 'GET', '/api/v1/namespaces/default/configmaps/takeover-x')
    await until(w, 30, async () => at(await object(), 'data', 'v') === '2')
    await w.wait(3000)
    expect(workloadWrites(w, LOCKSTEP_AGENT).map((x) => x.method)).toEqual(['PATCH'])
    await annotate(w, { [SET.managed]: null })
    await until(w, 60, async () => (await condition(w, 'Paused')).startsWith('False'))
    await annotate(w, { look: 'again' })
    await w.settle()
    expect(workloadWrites(w, UPSTREAM_AGENT).length).toBe(before)
    lockstep.stop()
  },
}

const unheard: TakeoverCase = {
  name: 'upstream before 1.9 cannot acknowledge the pause: that is said after a minute, and nothing is written',
  versions: ['1.8'],
  clusters: ['c1'],
  async run(w) {
    await appliedByUpstream(w, 'ApplyOnce')
    const lockstep = w.startLockstep()
    await annotate(w, { [SET.managed]: 'true' })
    await until(w, 90, async () =>
      (await condition(w, 'lockstep.dev/Managed')).startsWith('False/PreviousControllerActive: Cluster API'),
    )
    expect(workloadWrites(w, LOCKSTEP_AGENT)).toEqual([])
    lockstep.stop()
  },
}

export const takeoverCases: readonly TakeoverCase[] = [
  notManaged,
  roundTrip('ApplyOnce'),
  roundTrip('Reconcile'),
  continuous,
  owed,
  unheard,
]
