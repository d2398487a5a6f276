/** A dry run without a hub says of a bad document what the hub says. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sit } from './person.ts'
import { type NamespacedFleet, servedFleet } from './servedfleet.ts'

let fleet: NamespacedFleet

beforeAll(async () => {
  fleet = await servedFleet({ clusters: 1, namespace: 'platform' })
})
afterAll(async () => {
  await fleet.end()
})

const run = (args: string, input: string, kubeconfig = fleet.kubeconfig) =>
  sit(`apply -f - ${args}`.split(' '), { input, variables: { KUBECONFIG: kubeconfig } })

const module = (spec: string, metadata = 'name: web'): string =>
  `apiVersion: lockstep.dev/v1alpha1\nkind: Module\nmetadata:\n  ${metadata}\nspec:\n${spec}`

const INLINE = '  source: {inline: {objects: []}}\n'

/** Line 7 is `rollout`, line 9 `stages`; each stage is a line. */
const staged = (...stages: string[]): string =>
  module(
    `${INLINE}  rollout:\n    strategy: Staged\n    stages:\n${stages.map((s) => `      - ${s}\n`).join('')}`,
  )

describe('a bad document', () => {
  const cases: readonly [what: string, text: string, says: RegExp][] = [
    [
      'an unknown field',
      module(`${INLINE}  rollout:\n    strategi: Replace\n`),
      /:8:5 Module\/platform\/web: spec\.rollout\.strategi: unknown field[\s\S]*did you mean strategy\?/,
    ],
    [
      'an unknown field of an item',
      module(
        `${INLINE}  dependsOn:\n    - {id: a, module: {kind: Module, name: a}}\n    - modul: {}\n      id: b\n      module: {kind: Module, name: b}\n`,
      ),
      /:9:7 .*spec\.dependsOn\[id="b"\]\.modul: unknown field\n.*\n.*\n.* did you mean module\?/,
    ],
    [
      'several bad values',
      module(`${INLINE}  release: "-1"\n  rollout: {strategy: Recreate, maxUnavailable: "10 %"}\n`),
      /:7:12 .*spec\.release[\s\S]*:8:23 .*spec\.rollout\.strategy[\s\S]*:8:49 .*spec\.rollout\.maxUnavailable/,
    ],
    ['a type that is another', module(`${INLINE}  dependsOn: {a: b}\n`), /:7:14 .*spec\.dependsOn/],
    ['what is required', module('  targets: {hub: true}\n'), /:6:3 .*spec\.source: Required value/],
    [
      'two sources',
      module('  source: {inline: {objects: []}, configMaps: [{name: a}]}\n'),
      /:6:11 .*spec\.source: exactly one/,
    ],
    [
      'a field that excludes others',
      module(`${INLINE}  targets:\n    hub: true\n    clusters: [c1]\n`),
      /:8:10 .*spec\.targets\.hub: excludes clusterSelector, clusters, exclude, inventories and properties\n/,
    ],
    [
      'no source',
      module('  source: {}\n'),
      /:6:11 .*spec\.source: exactly one of git, helm, configMaps, secrets, resources, inline, none; found none\n/,
    ],
    [
      'a value that a rule refuses, in a list',
      module(
        `${INLINE}  targets:\n    clusterSelector:\n      matchExpressions:\n        - {key: a, operator: Exists}\n        - {key: a, operator: In}\n`,
      ),
      /:11:11 .*spec\.targets\.clusterSelector\.matchExpressions\[1\]: In and NotIn need values/,
    ],
    [
      'a selector, a name and a binding that are none, in two documents',
      `${module(`${INLINE}  targets:\n    clusterSelector: {matchExpressions: [{key: a, operator: Inn, values: [b]}]}\n    clusters: [A B]\n`)}---\n${module(`${INLINE}  bindings:\n    - {name: a, value: x, cluster: {name: true}}\n`, '{name: other, namespace: platform}')}`,
      /:8:61 .*operator: .*"Inn"[\s\S]*:9:16 .*clusters\[0\]: .*"A B"[\s\S]*:18:7 .*spec\.bindings\[0\]: exactly one of value, cluster, .*; found value cluster/,
    ],
    [
      'an edge to itself',
      module(`${INLINE}  dependsOn: [{id: a, module: {kind: Module, name: web}}]\n`),
      /:7:14 .*spec\.dependsOn: must not contain the Module itself/,
    ],
    [
      'more stages than there may be',
      staged(...Array.from({ length: 33 }, (_, i) => `{name: s${i}, clusterSelector: {}}`)),
      /:10:7 .*spec\.rollout\.stages: .*32/,
    ],
    [
      'two stages of one name',
      staged('{name: a, clusterSelector: {}}', '{name: a, clusterSelector: {}}'),
      /:11:9 .*spec\.rollout\.stages\[1\]: duplicate entries for key \[name="a"\]/,
    ],
    [
      'a stage that nobody would be in',
      staged('{name: a, size: 0}'),
      /:10:\d+ .*spec\.rollout\.stages\[0\]\.size: .*must be at least 1/,
    ],
    [
      'a stage that takes no cluster',
      staged('{name: a, soakSeconds: 60}'),
      /:10:9 .*spec\.rollout\.stages\[0\]: must set clusterSelector/,
    ],
    [
      'limits within which nothing ever starts',
      module(
        `${INLINE}  rollout:\n    strategy: Staged\n    maxNew: 0\n    stages:\n      - {name: a, clusterSelector: {}, maxUnavailable: 0, maxConcurrency: "0%"}\n`,
      ),
      /:9:13 .*maxNew: 0: must be at least 1[\s\S]*:11:56 .*stages\[0\]\.maxUnavailable: 0: must be at least 1[\s\S]*:11:75 .*maxConcurrency: "0%": must be at least 1/,
    ],
    [
      'expressions of a rollout that mean nothing',
      staged(
        '{name: a, clusterSelector: {}, gateExpr: "stage.nowhere == 1"}',
        '{name: b, clusters: [x], gates: [{apiVersion: v1, kind: ConfigMap, name: x, readyExpr: "1 +"}]}',
      ),
      /:10:50 .*spec\.rollout\.stages\[0\]\.gateExpr: 1:6: undefined field 'nowhere'[\s\S]*:11:96 .*stages\[1\]\.gates\[0\]\.readyExpr: 1:4: Syntax error/,
    ],
    [
      'windows that never open',
      module(
        `${INLINE}  rollout:\n    windows:\n      - {schedule: 0 0 31 2 *, durationSeconds: 600}\n      - {schedule: 0 2 * * *, durationSeconds: 600, timeZone: Mars/Olympus}\n`,
      ),
      /:9:20 .*windows\[0\]\.schedule: "0 0 31 2 \*": no such day exists; for example[\s\S]*:10:63 .*windows\[1\]\.timeZone: "Mars\/Olympus": unknown time zone; for example Europe\/Berlin/,
    ],
    [
      'an expression of health that does not compile',
      module(
        `${INLINE}  health:\n    expressions:\n      - {apiVersion: v1, kind: Pod, current: statsu.x}\n`,
      ),
      /:9:46 .*spec\.health\.expressions\[0\]\.current: 1:1: undeclared reference to 'statsu'/,
    ],
    ['a bad name', module(INLINE, 'name: Web_1'), /:4:9 .*metadata\.name: "Web_1"/],
    [
      'a value of a ConfigMap that is not a text',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: 1\n',
      /:5:6 ConfigMap\/platform\/a: data\.x: expected string\n/,
    ],
    [
      'a Secret that is not base64',
      'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {pw: hunter2!}\n',
      /:1:1 Secret\/platform\/s: /,
    ],
  ]
  it.each(cases)('%s: the same words, with and without the hub', async (_, text, says) => {
    const here = await run('--dry-run=client', text)
    expect([here.code, here.out]).toEqual([2, ''])
    expect(here.err).toMatch(says)
    expect(here.err).not.toContain('hunter2')
    expect(here).toEqual(await run('--dry-run=server', text))
    const json = await run('--dry-run=client -o json', text)
    expect(json).toEqual(await run('--dry-run=server -o json', text))
  })
})

describe('without any hub', () => {
  const nowhere = (): string => join(fleet.folder, 'none')

  it('good documents are good, in whatever namespace', async () => {
    const text = `${module(INLINE)}---\n${module(INLINE, '{name: x, namespace: elsewhere}')}`
    expect(await run('--dry-run=client', text, nowhere())).toEqual({
      code: 0,
      out: 'module.lockstep.dev/web checked (client dry run)\nmodule.lockstep.dev/x checked (client dry run)\n',
      err: '',
    })
  })
  it('of several documents all that is bad is said', async () => {
    const bad = module(`${INLINE}  relase: "1"\n`)
    const ran = await run('-n team --dry-run=client', `${bad}---\n${module(INLINE)}---\n${bad}`, nowhere())
    expect(ran.err.match(/^error: .*Module\/team\/web: spec\.relase: unknown field$/gm)?.length).toBe(2)
    expect(ran.err).toContain('Nothing was changed: 2 of 3 documents are invalid')
  })
  it('nothing to check is an error', async () => {
    expect(await run('--dry-run=client', '# nothing\n', nowhere())).toMatchObject({ code: 2, out: '' })
  })
})
