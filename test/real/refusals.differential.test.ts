/** Our CRDs are taken by a real API server, and bad objects are refused there for the same fields as here. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { at, isArray, type JsonObject, type JsonValue } from '../../packages/kube/src/object/index.ts'
import { ownCrds } from '../../packages/lockstep/src/api/crd/crd.ts'
import { causesOf, differences, openTwin, refusal, send, type Twin, words } from './servertwin.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const NAMESPACE = 'default'

let twin: Twin

beforeAll(async () => {
  twin = openTwin()
  for (const c of [twin.embedded, twin.real]) {
    for (const body of ownCrds()) {
      const made = await send(c, { method: 'POST', path: DEFINITIONS, body })
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
    }
    const path = `/apis/lockstep.dev/v1alpha1/namespaces/${NAMESPACE}/inventories`
    for (const plural of ['modules', 'inventories', 'disruptionbudgets', 'remoteassemblages'])
      while ((await send(c, { method: 'GET', path: path.replace('inventories', plural) })).status === 404)
        await new Promise((resolve) => setTimeout(resolve, 50))
  }
})

afterAll(() => twin.close())

describe('our definitions on a real API server', () => {
  for (const crd of ownCrds()) {
    const { name } = crd.metadata as { name: string }
    it(`${name}: established, structural, names accepted`, async () => {
      const { body } = await send(twin.real, { method: 'GET', path: `${DEFINITIONS}/${name}` })
      const conditions = at(body, 'status', 'conditions')
      const states = Object.fromEntries(
        (isArray(conditions) ? conditions : []).map((c) => [String(at(c, 'type')), at(c, 'status')]),
      )
      expect(states).toEqual({ NamesAccepted: 'True', Established: 'True' })
    })
  }
})

const source = { inline: { objects: [] } }
const edge = (id: string, more: object = {}) => ({ id, module: { kind: 'Module', name: 'base' }, ...more })

/** A Module's spec, and why it is bad. */
const badSpecs: Readonly<Record<string, JsonValue>> = {
  'no source': {},
  'a source of no kind': { source: {} },
  'a source of two kinds': { source: { ...source, configMaps: [{ name: 'a' }] } },
  'no ConfigMaps': { source: { configMaps: [] } },
  'a ConfigMap without a name': { source: { configMaps: [{}] } },
  'a ConfigMap whose name is no name': { source: { configMaps: [{ name: 'A_B' }] } },
  'an empty key': { source: { configMaps: [{ name: 'a', key: '' }] } },
  'a release that is empty': { source, release: '' },
  'a release with a blank': { source, release: 'v 1' },
  'a release that is too long': { source, release: 'x'.repeat(64) },
  'a release that is a number': { source, release: 1 },
  'an unknown strategy': { source, rollout: { strategy: 'Canary' } },
  'a negative time': { source, rollout: { minReadySeconds: -1 } },
  'a budget that is no number': { source, rollout: { maxUnavailable: 'some' } },
  'no concurrency': { source, apply: { concurrency: 0 } },
  'too much concurrency': { source, apply: { concurrency: 1000 } },
  'an unknown conflict policy': { source, apply: { conflicts: 'Ask' } },
  'an edge without an id': { source, dependsOn: [{ module: { kind: 'Module', name: 'base' } }] },
  'an edge to another kind': { source, dependsOn: [edge('a', { module: { kind: 'Pod', name: 'base' } })] },
  'two edges of one id': { source, dependsOn: [edge('a'), edge('a')] },
  'an unknown comparison of releases': { source, dependsOn: [edge('a', { release: 'Newer' })] },
  'targets that are a list': { source, targets: [] },
  'a selector without an operator': {
    source,
    targets: { clusterSelector: { matchExpressions: [{ key: 'a' }] } },
  },
  'a spec that is a text': 'all of it',
  'three sources': {
    source: { ...source, configMaps: [{ name: 'a' }], git: { url: 'https://x/y', ref: { branch: 'a' } } },
  },
  'the hub and clusters': { source, targets: { hub: true, clusters: ['a'] } },
  'the hub and a selector': { source, targets: { hub: true, clusterSelector: {} } },
  'fewer than no clusters at once': { source, rollout: { maxFailed: -1 } },
  'no cluster at once': { source, rollout: { maxUnavailable: 0 } },
  'no percent of the clusters at once': { source, rollout: { maxUnavailable: '0%' } },
  'an interval that is too short': { source: { ...source, interval: '5s' } },
  'an interval that is too long': { source: { ...source, interval: '25h' } },
  'an interval that is none': { source: { ...source, interval: '5 minutes' } },
  'a timeout that is too long': { source: { ...source, timeout: '11m' } },
  'an empty reference': { source: { git: { url: 'https://x/y', ref: {} } } },
  'a branch and a tag': { source: { git: { url: 'https://x/y', ref: { branch: 'a', tag: 'b' } } } },
  'a range and a commit': { source: { git: { url: 'https://x/y', ref: { semver: '1.x', commit: 'abc' } } } },
  'a prefix without a range': { source: { git: { url: 'https://x/y', ref: { tag: 'a', tagPrefix: 'v' } } } },
  'plain and kustomize': {
    source: { git: { url: 'https://x/y', ref: { tag: 'a' } } },
    render: { plain: {}, kustomize: {} },
  },
  'a chart without a namespace': {
    source: { git: { url: 'https://x/y', ref: { tag: 'a' } } },
    render: { helm: {} },
  },
  'a chart and manifests': {
    source: { git: { url: 'https://x/y', ref: { tag: 'a' } } },
    render: { namespace: 'a', plain: {}, helm: {} },
  },
  'a chart without files': { source, render: { namespace: 'a', helm: {} } },
  'a chart of a repository that nothing renders': {
    source: { helm: { repository: 'https://x', chart: 'web', version: '^1' } },
  },
  'a chart of a repository, and Git': {
    source: {
      git: { url: 'https://x/y', ref: { tag: 'a' } },
      helm: { repository: 'https://x', chart: 'web', version: '^1' },
    },
    render: { namespace: 'a', helm: {} },
  },
  'a chart of a repository without a version': {
    source: { helm: { repository: 'https://x', chart: 'web' } },
    render: { namespace: 'a', helm: {} },
  },
  'a chart of a repository whose name and digest are none': {
    source: { helm: { repository: 'https://x', chart: '../web', version: '1', digest: 'sha256:ab' } },
    render: { namespace: 'a', helm: {} },
  },
  'further repositories for no chart': {
    source: {
      git: { url: 'https://x/y', ref: { tag: 'a' } },
      refs: [{ name: 'a', git: { url: 'https://x/y', ref: { tag: 'a' } } }],
    },
  },
  'a release of Helm whose name is none': {
    source: { git: { url: 'https://x/y', ref: { tag: 'a' } } },
    render: { namespace: 'a', helm: { releaseName: 'A_b', kubeVersion: 'new', apiVersions: ['a b'] } },
  },
  'kustomize without files': { source, render: { kustomize: {} } },
  'an edge to itself': { source, dependsOn: [edge('a', { module: { kind: 'Module', name: 'bad' } })] },
  'waves of an object': {
    source,
    dependsOn: [{ id: 'a', object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'b' }, beforeWave: 5 }],
  },
  'a wave that is no number': { source, dependsOn: [edge('a', { beforeWave: '5' })] },
  'a wave beyond all waves': { source, dependsOn: [edge('a', { beforeWave: 1_000_000_000 })] },
  'In without values': {
    source,
    targets: { clusterSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] } },
  },
  'Exists with values': {
    source,
    targets: { exclude: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } },
  },
  'a selector with a slip of the pen': {
    source,
    targets: { clusterSelector: { matchExpressions: [{ key: 'a', operator: 'Inn', values: ['b'] }] } },
  },
  'a cluster whose name is none': { source, targets: { clusters: ['A B'] } },
  'a binding of two sources': { source, bindings: [{ name: 'a', value: 'x', cluster: { label: 'b' } }] },
  'a binding of no source': { source, bindings: [{ name: 'a', type: 'Integer' }] },
  'a binding whose name is none': { source, bindings: [{ name: 'a-b', value: 'x' }] },
  'a binding of two facts of a cluster': {
    source,
    bindings: [{ name: 'a', cluster: { name: true, namespace: true } }],
  },
  'a binding to what a cluster is not': { source, bindings: [{ name: 'a', cluster: { name: false } }] },
  'a binding to a field of a Secret': {
    source,
    bindings: [
      { name: 'a', objectFieldRef: { apiVersion: 'v1', kind: 'Secret', name: 's', fieldPath: 'data.x' } },
    ],
  },
  'two bindings of one name': {
    source,
    bindings: [
      { name: 'a', value: 'x' },
      { name: 'a', value: 'y' },
    ],
  },
  'a bad reference and no source of a known kind': {
    source: { ...source, git: { url: '', ref: { branch: 'a', tag: 'b' } } },
    targets: { hub: true, clusters: ['a'] },
  },
}

async function isRefusedAlike(kind: string, plural: string, spec: JsonValue): Promise<void> {
  const body: JsonObject = {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind,
    metadata: { name: 'bad', namespace: NAMESPACE },
    spec,
  }
  const path = `/apis/lockstep.dev/v1alpha1/namespaces/${NAMESPACE}/${plural}?fieldValidation=Strict`
  const [embedded, real] = await Promise.all(
    [twin.embedded, twin.real].map((c) => send(c, { method: 'POST', path, body })),
  )
  expect(real!.status, JSON.stringify(real!.body)).toBeGreaterThanOrEqual(400)
  expect(differences(refusal(embedded!), refusal(real!))).toEqual([])
  expect(causesOf(embedded!)).toEqual(causesOf(real!))
  const [ours, theirs] = [embedded!, real!].map((a) => words(String(at(a.body, 'message'))))
  // A real server tells several findings in any order.
  if (causesOf(real!).length <= 1) expect(ours).toEqual(theirs)
}

describe('bad Modules: the same refusal, for the same fields', () => {
  for (const [why, spec] of Object.entries(badSpecs)) it(why, () => isRefusedAlike('Module', 'modules', spec))
})

/** A DisruptionBudget's spec, and why it is bad. */
const badBudgets: Readonly<Record<string, JsonValue>> = {
  'no selector': { maxUnavailable: 1 },
  'neither limit': { clusterSelector: {} },
  'both limits': { clusterSelector: {}, maxUnavailable: 1, minAvailable: 1 },
  'nothing at once': { clusterSelector: {}, maxUnavailable: 0 },
  'no percent at once': { clusterSelector: {}, maxUnavailable: '0%' },
  'all stay': { clusterSelector: {}, minAvailable: '100%' },
  'a percentage with a blank': { clusterSelector: {}, maxUnavailable: '10 %' },
  'less than nothing': { clusterSelector: {}, minAvailable: -1 },
  'an unknown operator': {
    clusterSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] },
    maxUnavailable: 1,
  },
}

describe('bad DisruptionBudgets: the same refusal, for the same fields', () => {
  for (const [why, spec] of Object.entries(badBudgets))
    it(why, () => isRefusedAlike('DisruptionBudget', 'disruptionbudgets', spec))
})

const clusterRef = { kind: 'Secret', name: 'c1' }
const record = { kind: 'AppGroup', name: 'web', revision: 'v1:a', bundle: 'v1:b' }

/** A RemoteAssemblage's spec, as somebody else writes it, and why it is bad. */
const badAssemblages: Readonly<Record<string, JsonValue>> = {
  'a record without a bundle': { clusterRef, syncs: [{ kind: 'AppGroup', name: 'web', revision: 'v1:a' }] },
  'a kind that is no kind': { clusterRef, syncs: [{ ...record, kind: 'app group' }] },
  'a name that is no name': { clusterRef, syncs: [{ ...record, name: 'Web' }] },
  'no cluster': { syncs: [record] },
}

describe('bad RemoteAssemblages: the same refusal, for the same fields', () => {
  for (const [why, spec] of Object.entries(badAssemblages))
    it(why, () => isRefusedAlike('RemoteAssemblage', 'remoteassemblages', spec))
})

describe('what may not change: the same refusal', () => {
  const inventory = (clusterRef: JsonObject, moduleRef: JsonObject): JsonObject => ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Inventory',
    metadata: { name: 'fixed', namespace: NAMESPACE },
    spec: { clusterRef, moduleRef: { kind: 'Module', uid: 'u', ...moduleRef }, clusterUid: 'c' },
  })
  const path = `/apis/lockstep.dev/v1alpha1/namespaces/${NAMESPACE}/inventories`
  const c1 = { kind: 'Secret', name: 'c1' }
  const changes: Readonly<Record<string, [JsonObject, number]>> = {
    'another cluster': [inventory({ ...c1, name: 'c2' }, { name: 'm' }), 422],
    'another module': [inventory(c1, { name: 'n' }), 422],
    'the same module made anew': [inventory(c1, { name: 'm', uid: 'other' }), 200],
  }
  beforeAll(async () => {
    for (const c of [twin.embedded, twin.real])
      await send(c, { method: 'POST', path, body: inventory(c1, { name: 'm' }) })
  })
  for (const [why, [body, status]] of Object.entries(changes))
    it(why, async () => {
      const type = 'application/merge-patch+json'
      const [embedded, real] = await Promise.all(
        [twin.embedded, twin.real].map((c) =>
          send(c, { method: 'PATCH', path: `${path}/fixed`, body: { spec: body.spec! }, type }),
        ),
      )
      expect([embedded!.status, real!.status]).toEqual([status, status])
      const [ours, theirs] = [embedded!, real!].map((a) => words(String(at(a.body, 'message'))))
      expect(ours).toEqual(theirs)
    })
})
