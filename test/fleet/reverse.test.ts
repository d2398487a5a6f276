/** In which order objects go, and what holds up whom. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { must } from './simfleet.ts'
import { edge, KEY, listed, liveOf, publish, ready, reasons, said, USER, unit } from './single.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
const widgetKind = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
})
const WIDGET =
  'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: ops, finalizers: [example.com/cleanup]}\n'

/** An operator that takes a finalizer off, and needs its rights for that. */
const OPERATOR = [
  'apiVersion: v1\nkind: Namespace\nmetadata: {name: ops}\n',
  'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: operator, namespace: ops}\n',
  'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: operator}\nrules: []\n',
  `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operator}
subjects: [{kind: ServiceAccount, name: operator, namespace: ops}]
`,
  deploymentManifest('operator', 'operator:1')
    .replaceAll('namespace: default', 'namespace: ops')
    .replace('spec:\n      containers', 'spec:\n      serviceAccountName: operator\n      containers'),
]

const deletes = (story: Story, from: number): string[] =>
  story.writes('edge', from).filter((w) => w.startsWith('delete'))

describe('an operator and its custom resources', () => {
  it.each([
    ['when they leave the bundle', (story: Story) => publish(story, configManifest('stays', '1'))],
    ['when their unit leaves', (story: Story) => story.deleteModule('m')],
  ])('those are gone before it, and all that it needs, %s', async (_, leave) => {
    const story = await Story.begin(`operator ${_}`, ['edge'])
    await publish(story, [...OPERATOR, DEFINITION, WIDGET, configManifest('stays', '1')])
    await ready(story, 300)
    const from = story.fleet.commits.length
    await leave(story)
    await story.pass(60)
    expect(reasons(story)).toContain('FinalizerPending: Widget ops/w is terminating: example.com/cleanup')
    expect(deletes(story, from).filter((w) => !w.includes('widgets'))).toEqual([])
    const free = { metadata: { finalizers: null } }
    must(await story.during(edge(story).patch(widgetKind, { name: 'w', namespace: 'ops' }, free, USER)))
    expect(await story.until(() => story.live('edge', 'namespaces', 'ops', '') === undefined, 60)).toBe(true)
    const order = deletes(story, from).map((w) => w.split(' ')[1])
    expect(order.indexOf('deployments.apps')).toBeLessThan(order.indexOf('serviceaccounts'))
    expect(order.slice(-2)).toEqual(['customresourcedefinitions.apiextensions.k8s.io', 'namespaces'])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

it('a rule of kapp that wants something gone before a custom resource goes before that', async () => {
  const story = await Story.begin('kapp and widgets', ['edge'])
  const grouped = said('x', '1', 'kapp.k14s.io/change-group', 'g')
  const widget = WIDGET.replace(
    'finalizers: [example.com/cleanup]',
    'annotations: {kapp.k14s.io/change-rule: delete after deleting g}',
  )
  await publish(story, [OPERATOR[0]!, DEFINITION, widget, grouped, configManifest('w', '1')])
  await ready(story, 300)
  const from = story.fleet.commits.length
  await story.deleteModule('m')
  expect(await story.until(() => story.inventories.length === 0)).toBe(true)
  expect(deletes(story, from).slice(0, 3)).toEqual([
    'delete configmaps default/x',
    'delete widgets.example.com ops/w',
    'delete configmaps default/w',
  ])
})

it('what waits for a person holds up what it needs, and nothing else', async () => {
  const story = await Story.begin('held', ['edge'])
  const notes = `lockstep.dev/depends-on: /namespaces/default/ConfigMap/needed, argocd.argoproj.io/sync-options: Prune=confirm`
  const held = configManifest('x', '1').replace(
    'namespace: default}',
    `namespace: default, annotations: {${notes}}}`,
  )
  const stays = configManifest('stays', '1')
  await publish(story, [stays, configManifest('needed', '1'), held, configManifest('other', '1')])
  await ready(story)
  await publish(story, stays)
  expect(await story.until(() => listed(story).join() === 'needed,stays,x', 30)).toBe(true)
  await story.pass(60)
  expect(liveOf(story, 'needed')).toBeDefined()
  must(await story.during(edge(story).delete(configMapKind, KEY, USER)))
  await ready(story)
  expect(listed(story)).toEqual(['stays'])
})

it('the order is that of the newest bundle, also of objects that have not changed', async () => {
  const story = await Story.begin('grown', ['edge'])
  const on = (name: string, other: string) =>
    said(name, '1', 'lockstep.dev/depends-on', `/namespaces/default/ConfigMap/${other}`)
  await publish(story, [configManifest('a', '1'), on('b', 'a')])
  await ready(story)
  const { content } = unit(story)!.spec.objects!.find((o) => o.name === 'b')!
  await publish(story, [on('a', 'c'), on('b', 'a'), on('c', 'd'), configManifest('d', '1')])
  await ready(story)
  expect(unit(story)!.spec.objects!.map((o) => [o.name, o.level])).toEqual([
    ['a', 2],
    ['b', 3],
    ['c', 1],
    ['d', 0],
  ])
  expect(unit(story)!.spec.objects!.find((o) => o.name === 'b')!.content).toBe(content)
  const from = story.fleet.commits.length
  await story.deleteModule('m')
  expect(await story.until(() => story.inventories.length === 0)).toBe(true)
  expect(deletes(story, from)).toEqual(['b', 'a', 'c', 'd'].map((n) => `delete configmaps default/${n}`))
})
