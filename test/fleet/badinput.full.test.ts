/** What is wrong says what, where and what to do; everything beside it goes on. */
import { describe, expect, it } from 'vitest'
import { configManifest, deploymentManifest, Story } from './steps.ts'

/** `bad` with this text beside `good`, which is delivered. */
async function beside(
  name: string,
  text: string,
  options: Parameters<Story['module']>[2] = {},
): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await story.config('bad', text)
  await story.config('good', configManifest('good', '1'))
  await story.module('bad', 'bad', options)
  await story.module('good', 'good')
  expect(await story.until(() => story.isReady('good'))).toBe(true)
  return story
}

const stalled = (story: Story) => story.see('bad').status?.conditions?.find((c) => c.type === 'Stalled')

/** Reasons of the unit on the cluster: what a cluster refuses is told there. */
const unitBlockers = (story: Story) =>
  (story.inventory('bad', 'edge')?.status?.blockers ?? []).map((b) => `${b.reason}: ${b.message}`)

const failedUnit = (story: Story) => story.inventory('bad', 'edge')?.status?.state === 'Failed'

/** Of two with one list kind the server establishes the first only. */
const definition = (kind: string, plural: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: ${kind}, plural: ${plural}, listKind: WidgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`

describe('a bundle that cannot be published', () => {
  it.each([
    [
      'more than 10,000 objects',
      Array.from({ length: 10_001 }, (_, i) => `{apiVersion: v1, kind: Pod, metadata: {name: p${i}}}`).join(
        '\n---\n',
      ),
      'BundleTooLarge: 10001 objects, the limit is 10000 objects; split the Module',
    ],
    [
      'more than 64 MiB, of few bytes in the source',
      `apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: c}\n  data: {a: &a ${'x'.repeat(700_000)}}\n${Array.from({ length: 48 }, (_, i) => `- {metadata: {name: c${i}}, data: {a: *a, b: *a}}\n`).join('')}`,
      'BundleTooLarge: 64.8 MiB rendered, the limit is 64 MiB; split the Module',
    ],
    [
      'an object twice with different content',
      `${configManifest('a', '1')}---\n${configManifest('b', '1')}---\n${configManifest('a', '2')}`,
      'DuplicateObject: ConfigMap default/a occurs twice with different content (ConfigMap platform/bad key all.yaml doc 1, ConfigMap platform/bad key all.yaml doc 3)',
    ],
    [
      'an object without a name',
      `${configManifest('a', '1')}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: default}\n`,
      'InvalidObject: ConfigMap platform/bad key all.yaml doc 2: ConfigMap: metadata.name is missing',
    ],
    [
      'a name that YAML reads as false',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n, namespace: default}\n',
      'InvalidObject: ConfigMap platform/bad key all.yaml doc 1: ConfigMap: metadata.name: false is not a string; put it into quotes',
    ],
    [
      'a label that is no string',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {on: 1}}\n',
      'InvalidObject: ConfigMap platform/bad key all.yaml doc 1: ConfigMap a: metadata.labels.true: 1 is not a string; put it into quotes',
    ],
    [
      'YAML that ends too early',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\ndata: {}\n',
      'RenderFailed: ConfigMap platform/bad key all.yaml:4:1: missed comma between flow collection entries',
    ],
    [
      'aliases that stand for billions of values',
      Array.from(
        { length: 12 },
        (_, i) => `a${i}: &a${i} [${Array(10).fill(i === 0 ? 'x' : `*a${i - 1}`)}]\n`,
      ).join(''),
      'RenderFailed: ConfigMap platform/bad key all.yaml:2:10: aliases make more than 1000000 values of it',
    ],
    [
      'a value that is copied out of a Secret',
      configManifest('m', '1').replace(
        '}',
        `, annotations: {config.kubernetes.io/apply-time-mutation: '[{"sourceRef":{"kind":"Secret","name":"s"},"sourcePath":"$.data.x","targetPath":"$.data.value"}]'}}`,
      ),
      'UnsupportedAnnotation: ConfigMap default/m: config.kubernetes.io/apply-time-mutation is not supported: it copies from Secret default/s into a ConfigMap, which is readable without access to Secrets; copy into a Secret',
    ],
  ])('%s', async (what, text, expected) => {
    const story = await beside(`unpublished ${what}`, text)
    expect(await story.until(() => stalled(story)?.status === 'True')).toBe(true)
    // What is said of clusters that are being connected to goes a moment later.
    await story.pass(2)
    expect(story.blockers('bad')).toEqual([expected])
    expect(story.inventory('bad', 'edge')).toBeUndefined()
  })
})

describe('a source that is not there', () => {
  it('is named; the module goes on once it comes', async () => {
    const story = await Story.begin('missing', ['edge'])
    await story.module('bad', 'nowhere')
    await story.pass(5)
    expect(story.blockers('bad')).toEqual([
      'ResourceNotFound: spec.source.configMaps[0]: ConfigMap platform/nowhere does not exist',
    ])
    await story.config('nowhere', configManifest('a', '1'))
    expect(await story.until(() => story.isReady('bad'))).toBe(true)
  })
})

describe('a bundle that does not fit its cluster', () => {
  it('a namespace on a kind without one is dropped; none on a kind with one is reported, the rest delivered', async () => {
    const story = await beside(
      'scope',
      [
        'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, namespace: default}\n',
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: homeless}\n',
        configManifest('fine', '1'),
      ].join('---\n'),
    )
    expect(await story.until(() => failedUnit(story))).toBe(true)
    expect(unitBlockers(story)).toEqual([
      'NamespaceMissing: ConfigMap homeless has no namespace; set metadata.namespace or spec.render.namespace',
    ])
    expect(story.live('edge', 'configmaps', 'fine')).toBeDefined()
    expect(story.live('edge', 'namespaces', 'shop', '')).toBeDefined()
  })

  it('two manifests that become one object by spec.render.namespace: refused before anything is written', async () => {
    const bare = configManifest('a', '2').replace(', namespace: default', '')
    const story = await beside('twins', `${configManifest('a', '1')}---\n${bare}`, {
      render: { namespace: 'default' },
    })
    expect(await story.until(() => unitBlockers(story).length > 0)).toBe(true)
    expect(unitBlockers(story)).toEqual([
      'DuplicateObject: ConfigMap default/a occurs twice with different content (without metadata.namespace, with metadata.namespace default)',
    ])
    expect(story.live('edge', 'configmaps', 'a')).toBeUndefined()
  })

  it('a field of the wrong type: the server says which, the rest is delivered', async () => {
    const wrong = deploymentManifest('d', 'd:1').replace('replicas: 1', 'replicas: two')
    const story = await beside('type', `${wrong}---\n${configManifest('fine', '1')}`)
    expect(await story.until(() => failedUnit(story))).toBe(true)
    expect(unitBlockers(story)[0]).toMatch(/^ApplyFailed: Deployment default\/d: .*spec\.replicas/)
    expect(story.live('edge', 'configmaps', 'fine')).toBeDefined()
  })

  it('a definition that is never established: said with the reason of the server; its objects wait for it', async () => {
    const resource = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: default}\n'
    const story = await beside(
      'established',
      [
        definition('Gadget', 'gadgets'),
        definition('Widget', 'widgets'),
        configManifest('fine', '1'),
        resource,
      ].join('---\n'),
      { health: { degradedSeconds: 5 } },
    )
    expect(await story.until(() => failedUnit(story), 60)).toBe(true)
    expect(unitBlockers(story)).toEqual([
      'ObjectFailed: CustomResourceDefinition widgets.example.com: ListKindConflict: "WidgetList" is already in use',
      'WaitingForObject: Widget default/w waits for CustomResourceDefinition widgets.example.com to be served (CustomResourceDefinition)',
    ])
    expect(story.live('edge', 'configmaps', 'fine')).toBeDefined()
  })
})

describe('a rollout that could never go on as it is written', () => {
  const staged = (stage: object) => ({
    strategy: 'Staged',
    stages: [{ name: 'all', clusterSelector: {}, ...stage }],
  })
  it.each([
    [
      'an expression with a type error',
      staged({ gateExpr: 'stage.nowhere == 1' }),
      "InvalidExpression: spec.rollout.stages[0].gateExpr: 1:6: undefined field 'nowhere'",
    ],
    [
      'a window that never opens',
      { windows: [{ schedule: '0 0 31 2 *', durationSeconds: 600 }] },
      'InvalidSpec: spec.rollout.windows[0].schedule: "0 0 31 2 *": no such day exists; for example 0 22 * * 1-5',
    ],
    [
      'a time zone that there is not',
      staged({ windows: [{ schedule: '0 2 * * *', durationSeconds: 600, timeZone: 'Mars/Olympus' }] }),
      'InvalidSpec: spec.rollout.stages[0].windows[0].timeZone: "Mars/Olympus": unknown time zone; for example Europe/Berlin',
    ],
  ])('%s: what was published stays; others go on', async (name, rollout, says) => {
    const story = await Story.begin(`rollout ${name}`, ['edge'])
    for (const n of ['1', '2']) await story.config(`v${n}`, configManifest('bad', n))
    await story.module('bad', 'v1')
    expect(await story.until(() => story.isReady('bad'))).toBe(true)
    const { currentRevision } = story.see('bad').status!
    await story.module('bad', 'v2', { rollout })
    await story.config('good', configManifest('good', '1'))
    await story.module('good', 'good')
    expect(await story.until(() => story.isReady('good') && stalled(story)?.status === 'True')).toBe(true)
    expect(stalled(story)?.message).toBe(says)
    expect(story.see('bad').status).toMatchObject({ currentRevision, clusters: { ready: 1, failed: 0 } })
    expect(story.live('edge', 'configmaps', 'bad')).toMatchObject({ data: { value: '1' } })
    await story.module('bad', 'v2')
    expect(await story.until(() => story.isReady('bad'))).toBe(true)
    expect(story.see('bad').status!.currentRevision).not.toBe(currentRevision)
  })
})
