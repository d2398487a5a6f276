/** `lockstep plan` and `apply --dry-run=server` say which objects change hands; then exactly that happens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeFetch } from './kubefetch.ts'
import { eventually, type Ran } from './lockstep.ts'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet
let other: NamespacedFleet
const runIn = (of: NamespacedFleet, line: string, input = '', columns?: number): Promise<Ran> =>
  sit(line.split(' '), {
    input,
    variables: { KUBECONFIG: of.kubeconfig, NO_COLOR: '1' },
    ...(columns === undefined ? {} : { columns }),
  })
const run = (line: string, input = '', columns?: number): Promise<Ran> => runIn(fleet, line, input, columns)

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 2, namespace: 'platform' })
  other = await servedFleet({ clusters: 2 })
})
afterAll(async () => {
  await other.end()
  await fleet.end()
})

const spaceText = (name: string): string => `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`
const config = (space: string, name: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${space}}}`
const claim = (space: string): string =>
  `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: ${space}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`

const ALL = 'clusters: [cluster-1, cluster-2]'
const module = (name: string, objects: readonly string[], targets = ALL): string => `---
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}}
spec:
  source: {inline: {objects: [${objects.join(', ')}]}}
  targets: {${targets}}
  rollout: {strategy: Replace}
`
const relabel = (cluster: string, ring: string): string => `---
apiVersion: v1
kind: Secret
metadata: {name: ${cluster}, namespace: platform, labels: {lockstep.dev/cluster: "true", ring: ${ring}}}
`

const there = async (cluster: string, path: string): Promise<{ uid: string; unit?: string } | undefined> => {
  const answer = await kubeFetch(fleet.kubeconfig, cluster, `/api/v1/${path}`)
  if (answer.status === 404) return undefined
  const { metadata } = (await answer.json()) as { metadata: { uid: string; labels?: Record<string, string> } }
  const unit = metadata.labels?.['lockstep.dev/unit']
  return { uid: metadata.uid, ...(unit === undefined ? {} : { unit }) }
}
const onBoth = (paths: readonly string[]) =>
  Promise.all(['cluster-1', 'cluster-2'].flatMap((c) => paths.map((p) => there(c, p))))

/** The section of handovers in an output, its wrapped lines joined. */
function handovers(out: string): string[] {
  const lines = out.replace(/\n {4,}/g, ' ').split('\n')
  const start = lines.indexOf('Handover:')
  if (start < 0) return []
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => !line.startsWith('  '))
  return (end < 0 ? rest : rest.slice(0, end)).map((line) => line.trim())
}

const applied = async (text: string): Promise<void> => {
  expect(await run('apply -f -', text)).toMatchObject({ code: 0 })
}
const ready = async (name: string): Promise<void> => {
  expect(await run(`wait module/${name} --timeout 60s -q`)).toMatchObject({ code: 0 })
}

describe('a rename (acceptance 4)', () => {
  const OBJECTS = [spaceText('renamed'), config('renamed', 'web')]
  const PATHS = ['namespaces/renamed', 'namespaces/renamed/configmaps/web']
  const EXPECTED = [
    'cluster-1, cluster-2  Namespace renamed, ConfigMap renamed/web  hello → hello2, when hello is deleted',
    'cluster-1, cluster-2  conflict: hello2 does not start (OwnedByAnother): delete hello, remove the objects from one of the two, or list Module hello in spec.apply.takeOverFrom of hello2',
  ]

  it('says what hello2 receives, and that it does not start before', async () => {
    await applied(module('hello', [...OBJECTS, config('renamed', 'old')]))
    await ready('hello')
    const renamed = module('hello2', OBJECTS)
    const plan = await run('plan -f -', renamed)
    expect([plan.code, handovers(plan.out)]).toEqual([1, EXPECTED])
    const dry = await run('apply -f - --dry-run=server', renamed)
    expect([dry.code, dry.err, handovers(dry.out)]).toEqual([0, '', EXPECTED])
    expect(dry.out).toMatch(/^module.lockstep.dev\/hello2 created \(server dry run\)\nHandover:\n/)
    for (const columns of [60, 120]) {
      const { out } = await run('plan -f -', renamed, columns)
      for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
    }
    const { handovers: facts } = JSON.parse((await run('plan -f - -o json', renamed)).out)
    expect(facts).toEqual([
      {
        clusters: ['cluster-1', 'cluster-2'],
        objects: ['Namespace renamed', 'ConfigMap renamed/web'],
        from: 'Module/hello',
        to: 'Module/hello2',
        outcome: 'HandedOverOnDeletion',
      },
    ])
    const twins = `${module('twin-a', [spaceText('twins')])}${module('twin-b', [spaceText('twins')])}`
    expect(handovers((await run('plan -f -', twins)).out)).toEqual([
      'cluster-1, cluster-2  Namespace twins  conflict: in twin-a and twin-b; the first that starts owns it, and the other does not start (OwnedByAnother): remove it from one of the two',
    ])
    await applied(renamed)
    const waits = async () => (await run('why hello2')).out.includes('OwnedByAnother')
    await eventually(waits, 'hello2 waits')
    const before = await onBoth(PATHS)
    expect(before.map((o) => o?.unit)).toEqual(before.map(() => 'm.platform.hello'))
    expect(await run('delete module hello')).toMatchObject({ code: 0 })
    await ready('hello2')
    const after = await onBoth(PATHS)
    expect(after.map((o) => o?.uid)).toEqual(before.map((o) => o?.uid))
    expect(after.map((o) => o?.unit)).toEqual(before.map(() => 'm.platform.hello2'))
    expect(await onBoth(['namespaces/renamed/configmaps/old'])).toEqual([undefined, undefined])
  }, 120_000)
})

describe('a deselection (acceptance 1)', () => {
  const OBJECTS = [spaceText('ringed'), config('ringed', 'settings'), claim('ringed')]
  const NAMES = 'Namespace ringed, ConfigMap ringed/settings, PersistentVolumeClaim ringed/data'
  const PATHS = [
    'namespaces/ringed',
    'namespaces/ringed/configmaps/settings',
    'namespaces/ringed/persistentvolumeclaims/data',
  ]
  const byRing = (ring: string): string => `clusterSelector: {matchLabels: {ring: ${ring}}}`

  it('by a label of a cluster in the files, and by changed targets', async () => {
    await applied(relabel('cluster-1', 'blue'))
    await applied(module('ring-v1', OBJECTS, byRing('blue')) + module('ring-v2', OBJECTS, byRing('green')))
    await ready('ring-v1')
    const held = async (unit: string) => {
      const found = await Promise.all(PATHS.map((p) => there('cluster-1', p)))
      return found.every((o) => o?.unit === `m.platform.${unit}`) && found.map((o) => o!.uid)
    }
    const uids = await held('ring-v1')
    expect(uids).toHaveLength(PATHS.length)
    const green = relabel('cluster-1', 'green')
    const expected = [`cluster-1  ${NAMES}  ring-v1 → ring-v2`]
    expect(handovers((await run('plan -f -', green)).out)).toEqual(expected)
    expect(handovers((await run('apply -f - --dry-run=server', green)).out)).toEqual(expected)
    await applied(green)
    await eventually(async () => (await held('ring-v2')) !== false, 'ring-v2 has the objects')
    expect(await held('ring-v2')).toEqual(uids)

    const swapped = module('ring-v1', OBJECTS, byRing('green')) + module('ring-v2', OBJECTS, byRing('none'))
    const back = [`cluster-1  ${NAMES}  ring-v2 → ring-v1`]
    expect(handovers((await run('plan -f -', swapped)).out)).toEqual(back)
    expect(handovers((await run('apply -f - --dry-run=server', swapped)).out)).toEqual(back)
    await applied(swapped)
    await eventually(async () => (await held('ring-v1')) !== false, 'ring-v1 has the objects')
    expect(await held('ring-v1')).toEqual(uids)
    expect(handovers((await run('plan')).out)).toEqual([])
  }, 120_000)
})

describe('a Module of another namespace with the same objects (acceptance 7)', () => {
  it('receives nothing: the claim waits for a person, the ConfigMap is deleted', async () => {
    const objects = [spaceText('apart'), claim('apart'), config('apart', 'settings'), config('apart', 'own')]
    await applied(module('apart', objects))
    await ready('apart')
    const foreign = [claim('apart'), config('apart', 'settings')]
    expect(await runIn(other, 'apply -f -', module('foreign', foreign))).toMatchObject({ code: 0 })
    const published = async () =>
      JSON.parse((await runIn(other, 'get module foreign -o json')).out).status?.currentRevision !== undefined
    await eventually(published, 'the foreign Module is published')
    const less = module('apart', [spaceText('apart'), config('apart', 'own')])
    const expected = [
      `cluster-1, cluster-2  PersistentVolumeClaim apart/data  stays until confirmed: also in Module ${other.namespace}/foreign; lockstep rollout approve apart --stage prune`,
    ]
    expect(handovers((await run('plan -f -', less)).out)).toEqual(expected)
    expect(handovers((await run('apply -f - --dry-run=server', less)).out)).toEqual(expected)
    const data = 'namespaces/apart/persistentvolumeclaims/data'
    const before = await onBoth([data])
    await applied(less)
    const settings = 'namespaces/apart/configmaps/settings'
    const isDeleted = async () =>
      (await onBoth([settings])).every((o) => o === undefined || o.unit !== 'm.platform.apart')
    await eventually(isDeleted, 'the ConfigMap is deleted')
    const asks = async () =>
      JSON.stringify(JSON.parse((await run('get module apart -o json')).out).status?.blockers ?? []).includes(
        'PruneConfirmation',
      )
    await eventually(asks, 'a person is asked')
    expect(await onBoth([data])).toEqual(before)
    expect(await run('rollout approve apart --stage prune')).toMatchObject({ code: 0 })
    await eventually(
      async () => (await onBoth([data])).every((o) => o === undefined || o.unit !== 'm.platform.apart'),
      'the claim is deleted',
    )
  }, 120_000)
})
