/** Changes that are tried before anything of their unit is written. */
import { describe, expect, it } from 'vitest'
import { publish, ready, reasons, unit } from './single.ts'
import { configManifest, Story } from './steps.ts'

const tries = (story: Story, cluster: string): number =>
  story.fleet.env.meters
    .read()
    .filter(
      (s) =>
        s.name === 'lockstep_client_requests_total' &&
        s.labels.cluster === cluster &&
        s.labels.why === 'dryrun',
    )
    .reduce((sum, s) => sum + s.value, 0)

const service = (port: number | string): string =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: default}\nspec: {selector: {app: s}, ports: [{port: ${port}}]}\n`

const dryRun = (word: string, rollout: object = {}) => ({ apply: { dryRun: word }, ...rollout })

describe('spec.apply.dryRun', () => {
  it('Updates: each object that is there and changes is tried once, before the first write', async () => {
    const story = await Story.begin('updates', ['edge'])
    const all = (v: string) => ['a', 'b', 'c'].map((n) => configManifest(n, v))
    await publish(story, all('1'), dryRun('Updates'))
    await ready(story)
    expect(tries(story, 'edge')).toBe(0)
    await publish(
      story,
      [...all('2').slice(0, 2), configManifest('c', '1'), configManifest('d', '1')],
      dryRun('Updates'),
    )
    await ready(story)
    expect(tries(story, 'edge')).toBe(2)
    await story.pass(700)
    expect(tries(story, 'edge')).toBe(2)
  })

  it('Updates: what is refused fails, and nothing of the unit is written until it is accepted', async () => {
    const story = await Story.begin('refused', ['edge'])
    await publish(story, [configManifest('a', '1'), service(80)], dryRun('Updates'))
    await ready(story)
    const from = story.fleet.commits.length
    await publish(
      story,
      [configManifest('a', '2'), configManifest('new', '1'), service(99999)],
      dryRun('Updates'),
    )
    expect(await story.until(() => unit(story)?.status?.state === 'Failed', 30)).toBe(true)
    expect(reasons(story)[0]).toMatch(/^ApplyFailed: Service default\/s: spec\.ports\[0\]\.port: .*99999/)
    await story.pass(400)
    expect(story.writes('edge', from)).toEqual([])
    await publish(
      story,
      [configManifest('a', '2'), configManifest('new', '1'), service(81)],
      dryRun('Updates'),
    )
    expect(await story.until(() => unit(story)?.status?.state === 'Ready', 30)).toBe(true)
    expect(story.writes('edge', from).sort()).toEqual([
      'apply configmaps default/a',
      'apply services default/s',
      'create configmaps default/new',
    ])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('Never: what is refused stops only itself', async () => {
    const story = await Story.begin('never', ['edge'])
    await publish(story, [configManifest('a', '1'), service(80)], dryRun('Never'))
    await ready(story)
    const from = story.fleet.commits.length
    await publish(story, [configManifest('a', '2'), service(99999)], dryRun('Never'))
    expect(await story.until(() => unit(story)?.status?.state === 'Failed', 30)).toBe(true)
    expect([tries(story, 'edge'), story.writes('edge', from)]).toEqual([0, ['apply configmaps default/a']])
  })

  const withMore = (v: string, more: object = {}): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { value: v, ...more },
    })
  const clusters = ['c1', 'c2', 'c3']

  it('FirstCluster: other fields are tried on one cluster of a rollout, other values on none', async () => {
    const story = await Story.begin('first', clusters)
    const all = (): number[] => clusters.map((c) => tries(story, c)).sort()
    await publish(story, [withMore('1')])
    await ready(story)
    // An installation has no earlier state to keep.
    expect(all()).toEqual([0, 0, 0])
    await publish(story, [withMore('2')])
    await ready(story)
    expect(all()).toEqual([0, 0, 0])
    await publish(story, [withMore('2', { more: '1' })])
    await ready(story)
    expect(all()).toEqual([0, 0, 1])
    for (const c of clusters)
      expect(story.live(c, 'configmaps', 'a')?.data).toEqual({ value: '2', more: '1' })
  })

  it('FirstCluster: a refusal keeps all of them as they were', async () => {
    const story = await Story.begin('firstrefused', clusters)
    const rollout = { rollout: { maxUnavailable: 1 } }
    await publish(story, [configManifest('a', '1'), service(80)], rollout)
    await ready(story)
    const from = story.fleet.commits.length
    await publish(story, [configManifest('a', '2'), service('80, name: a}, {name: b, port: 99999')], rollout)
    await story.pass(900)
    expect(clusters.flatMap((c) => story.writes(c, from))).toEqual([])
  })

  it('FirstCluster: no dry run on the only cluster; a refusal keeps later objects as they were', async () => {
    const story = await Story.begin('only', ['edge'])
    const wave = (n: number): string => `metadata: {annotations: {argocd.argoproj.io/sync-wave: "${n}"},`
    const inWave = (text: string, n: number): string => text.replace('metadata: {', wave(n))
    const all = (v: string, port: number | string): string[] => [
      inWave(configManifest('first', v), 1),
      inWave(service(port), 2),
      inWave(configManifest('last', v), 3),
    ]
    await publish(story, all('1', 80))
    await ready(story)
    const from = story.fleet.commits.length
    await publish(story, all('2', 99999))
    expect(await story.until(() => unit(story)?.status?.state === 'Failed', 30)).toBe(true)
    await story.pass(400)
    expect([tries(story, 'edge'), story.writes('edge', from)]).toEqual([
      0,
      ['apply configmaps default/first'],
    ])
    expect(reasons(story)[0]).toMatch(/^ApplyFailed: Service default\/s: spec\.ports\[0\]\.port: .*99999/)
  })

  it('FirstCluster: a new object that needs another new one is not refused for that', async () => {
    const story = await Story.begin('together', clusters)
    await publish(story, [configManifest('a', '1')])
    await ready(story)
    const fresh = configManifest('b', '1').replaceAll('kube-public', 'fresh').replaceAll('default', 'fresh')
    await publish(story, [
      configManifest('a', '1'),
      fresh,
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: fresh}\n',
    ])
    await ready(story)
    for (const c of clusters) expect(story.live(c, 'configmaps', 'b', 'fresh')).toBeDefined()
  })

  it('a custom resource is not tried before the definition that it needs', async () => {
    const story = await Story.begin('definition', ['edge'])
    const definition = (...fields: string[]) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {${fields.map((f) => `${f}: {type: integer}`).join(', ')}}}}}}}]
`
    const widget = (field: string) =>
      `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: default}\nspec: {${field}: 1}\n`
    await publish(story, [definition('old'), widget('old')], dryRun('Updates'))
    await ready(story)
    await publish(story, [definition('old', 'new'), widget('new')], dryRun('Updates'))
    await ready(story)
    expect([tries(story, 'edge'), story.live('edge', 'widgets.example.com', 'w')?.spec]).toEqual([
      1,
      { new: 1 },
    ])
  })

  it('a field that cannot change, of an object that may be made anew, is no refusal', async () => {
    const story = await Story.begin('anew', ['edge'])
    const more = { apply: { dryRun: 'Updates', replaceImmutable: true } }
    const sealed = (v: string) => `${configManifest('x', v)}immutable: true\n`
    await publish(story, [sealed('1'), configManifest('a', '1')], more)
    await ready(story)
    await publish(story, [sealed('2'), configManifest('a', '2')], more)
    await ready(story)
    expect(story.live('edge', 'configmaps', 'x')?.data).toEqual({ value: '2' })
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
