/** Edges that annotations ask for. */
import { describe, expect, it } from 'vitest'
import {
  bundleOf,
  edgesOf,
  graphOf,
  isBefore,
  manifest,
  namesOf,
  nodeOf,
  refusalOf,
} from '../../../../../test/order.ts'
import type { KubeObject } from '../../../../kube/src/object/index.ts'

const api = (notes: Readonly<Record<string, string>>): KubeObject =>
  manifest('apps/v1 Deployment app/api', notes)
const [seed, db, settings] = [
  manifest('batch/v1 Job app/seed'),
  manifest('apps/v1 StatefulSet app/db'),
  manifest('v1 ConfigMap app/settings'),
]

describe('depends-on', () => {
  it.each<[what: string, key: string, value: string, edges: string[]]>([
    [
      'a Job completes, others are healthy',
      'lockstep.dev/depends-on',
      'batch/namespaces/app/Job/seed, apps/namespaces/app/StatefulSet/db',
      [
        'apps/StatefulSet app/db -(lockstep.dev/depends-on, Healthy)-> apps/Deployment app/api',
        'batch/Job app/seed -(lockstep.dev/depends-on, Complete)-> apps/Deployment app/api',
      ],
    ],
    [
      'with an ask of its own',
      'lockstep.dev/depends-on',
      'batch/namespaces/app/Job/seed=Applied,/namespaces/app/ConfigMap/settings=Exists',
      [
        'ConfigMap app/settings -(lockstep.dev/depends-on, Exists)-> apps/Deployment app/api',
        'batch/Job app/seed -(lockstep.dev/depends-on, Applied)-> apps/Deployment app/api',
      ],
    ],
    [
      'of cli-utils',
      'config.kubernetes.io/depends-on',
      'batch/namespaces/app/Job/seed',
      ['batch/Job app/seed -(config.kubernetes.io/depends-on, Complete)-> apps/Deployment app/api'],
    ],
    [
      'where a value is copied from',
      'config.kubernetes.io/apply-time-mutation',
      '[{sourceRef: {group: apps, kind: StatefulSet, name: db}, sourcePath: $.a, targetPath: $.metadata.annotations}]',
      [
        'apps/StatefulSet app/db -(config.kubernetes.io/apply-time-mutation, Healthy)-> apps/Deployment app/api',
      ],
    ],
  ])('%s', (_, key, value, edges) =>
    expect(edgesOf(graphOf([api({ [key]: value }), seed, db, settings]))).toEqual(edges),
  )

  it('on what the bundle does not deliver, or leaves alone, is a condition that is waited for', () => {
    const value = 'batch/namespaces/app/Job/seed, apps/namespaces/other/Deployment/x, /Namespace/y=Applied'
    const left = manifest('batch/v1 Job app/seed', { 'lockstep.dev/apply': 'Ignore' })
    const graph = graphOf([api({ 'lockstep.dev/depends-on': value }), left])
    const waits = graph.nodes.flatMap((n) => (n.type === 'wait' ? [[n.target, n.ask, n.why]] : []))
    expect(waits).toEqual([
      [
        { group: 'batch', kind: 'Job', namespace: 'app', name: 'seed' },
        'Complete',
        'lockstep.dev/depends-on',
      ],
      [
        { group: 'apps', kind: 'Deployment', namespace: 'other', name: 'x' },
        'Healthy',
        'lockstep.dev/depends-on',
      ],
      [{ group: '', kind: 'Namespace', name: 'y' }, 'Exists', 'lockstep.dev/depends-on'],
    ])
    expect(edgesOf(graph)).toContain(
      'Namespace y Exists -(lockstep.dev/depends-on, Exists)-> apps/Deployment app/api',
    )
  })

  it('the same condition is one node', () => {
    const value = { 'lockstep.dev/depends-on': '/Namespace/y' }
    const graph = graphOf([api(value), manifest('v1 ConfigMap app/a', value)])
    expect(graph.nodes.filter((n) => n.type === 'wait').length).toBe(1)
  })
})

describe('wait-for', () => {
  const waiting = (list: object[]) => api({ 'lockstep.dev/wait-for': JSON.stringify(list) })
  it('existence, or an expression, of what is outside', () => {
    const graph = graphOf([
      waiting([
        { apiVersion: 'v1', kind: 'Secret', name: 'token' },
        { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', namespace: 'x', when: 'object.spec.on' },
      ]),
    ])
    expect(graph.nodes.filter((n) => n.type === 'wait')).toMatchObject([
      {
        target: { group: '', version: 'v1', kind: 'Secret', namespace: 'app', name: 'token' },
        ask: 'Exists',
      },
      {
        target: { group: 'example.com', kind: 'Widget', namespace: 'x' },
        ask: 'Expr',
        expression: 'object.spec.on',
      },
    ])
    expect(graph.needs.flat().map((e) => e.expression)).toEqual([undefined, 'object.spec.on'])
  })

  it('an object of the bundle is asked itself', () => {
    const graph = graphOf([
      waiting([{ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', when: 'true' }]),
      settings,
    ])
    expect(edgesOf(graph)).toEqual([
      'ConfigMap app/settings -(lockstep.dev/wait-for, Expr)-> apps/Deployment app/api',
    ])
  })
})

describe('kapp', () => {
  const member = { 'kapp.k14s.io/change-group': 'g' }
  it('a rule over a group: its members first, all of them', () => {
    const rule = { 'kapp.k14s.io/change-rule': 'upsert after upserting g' }
    const graph = graphOf([
      api(rule),
      manifest('v1 ConfigMap app/a', rule),
      manifest('batch/v1 Job app/j', member),
      manifest('v1 Secret app/s', { 'kapp.k14s.io/change-group.x': 'g' }),
    ])
    expect(edgesOf(graph)).toEqual([
      'Secret app/s -(kapp.k14s.io/change-rule upsert after upserting g, Healthy)-> kapp.k14s.io/change-group after g',
      'batch/Job app/j -(kapp.k14s.io/change-rule upsert after upserting g, Complete)-> kapp.k14s.io/change-group after g',
      'kapp.k14s.io/change-group after g -(kapp.k14s.io/change-rule upsert after upserting g, Applied)-> ConfigMap app/a',
      'kapp.k14s.io/change-group after g -(kapp.k14s.io/change-rule upsert after upserting g, Applied)-> apps/Deployment app/api',
    ])
  })

  it('before a group, and placeholders in rules', () => {
    const first = { 'kapp.k14s.io/change-rule.a': 'upsert before upserting {namespace}' }
    const graph = graphOf([api(first), manifest('v1 Secret app/s', { 'kapp.k14s.io/change-group': 'app' })])
    expect(namesOf(graph)).toEqual(['apps/Deployment app/api', 'Secret app/s'])
  })

  it('a member of the group that it waits for is a cycle, as with kapp', () => {
    const both = { ...member, 'kapp.k14s.io/change-rule': 'upsert after upserting g' }
    expect(refusalOf([api(both)])).toBe(
      'CycleDetected: order has a cycle: apps/Deployment app/api -(kapp.k14s.io/change-rule upsert after upserting g)-> apps/Deployment app/api; remove one of these dependencies',
    )
  })

  it('what need not be waited for is asked to be applied; what must exist, to exist', () => {
    const rule = { 'kapp.k14s.io/change-rule': 'upsert after upserting g' }
    const graph = graphOf([
      api(rule),
      manifest('batch/v1 Job app/j', { ...member, 'kapp.k14s.io/disable-wait': '' }),
      manifest('v1 Secret app/s', { ...member, 'kapp.k14s.io/exists': '' }),
      manifest('v1 Secret app/t', { ...member, 'kapp.k14s.io/noop': '' }),
    ])
    const asked = graph.needs.flat().map((e) => e.ask)
    expect(asked.sort()).toEqual(['Applied', 'Applied', 'Exists'])
  })

  it('rules of deletion turn the order of deletion round, and only that', () => {
    const graph = graphOf([
      manifest('v1 Namespace app'),
      manifest('v1 ConfigMap app/a', { ...member }),
      manifest('v1 Secret app/s', { 'kapp.k14s.io/change-rule': 'delete after deleting g' }),
      api({
        'kapp.k14s.io/change-rule': 'delete before deleting g',
        'lockstep.dev/depends-on': '/namespaces/app/Secret/s',
      }),
    ])
    const levels = Object.fromEntries(graph.nodes.map((n, i) => [n.id, graph.depths[i]!.level]))
    const inOrder = ['apps/Deployment/app/api', '/ConfigMap/app/a', '/Secret/app/s', '/Namespace//app']
    expect(Object.keys(levels).sort((a, b) => levels[b]! - levels[a]!)).toEqual(inOrder)
    expect(graph.removals.map((e) => [graph.nodes[e.from]!.id, graph.nodes[e.to]!.id, e.ask])).toEqual([
      ['/ConfigMap/app/a', '/Secret/app/s', 'Gone'],
      ['apps/Deployment/app/api', '/ConfigMap/app/a', 'Gone'],
    ])
  })

  it('two rules of deletion that contradict each other are a cycle', () => {
    const rules = (mine: string, other: string) => ({
      'kapp.k14s.io/change-group': mine,
      'kapp.k14s.io/change-rule': `delete before deleting ${other}`,
    })
    expect(
      refusalOf([manifest('v1 Secret a/x', rules('x', 'y')), manifest('v1 Secret a/y', rules('y', 'x'))]),
    ).toBe(
      'CycleDetected: order has a cycle: Secret a/x -(kapp.k14s.io/change-rule delete before deleting y, Gone)-> Secret a/y -(kapp.k14s.io/change-rule delete before deleting x, Gone)-> Secret a/x; remove one of these dependencies',
    )
  })
})

describe('a Config of kapp in the bundle', () => {
  const config = (body: string) =>
    bundleOf(`{apiVersion: kapp.k14s.io/v1alpha1, kind: Config, metadata: {name: c}, ${body}}`)
  const rules = (more: string) =>
    config(`changeGroupBindings: [{name: all, resourceMatchers: [{apiVersionKindMatcher: {apiVersion: v1, kind: ConfigMap}}]}],
      changeRuleBindings: [{rules: ["upsert after upserting all"], ${more} resourceMatchers: [{anyMatcher: {matchers: [
        {hasNamespaceMatcher: {names: [app]}}]}}]}]`)

  it('is not applied; it binds groups and rules to objects', () => {
    const graph = graphOf([...rules(''), db, manifest('v1 ConfigMap other/c')])
    expect(namesOf(graph)).toEqual(['ConfigMap other/c', 'apps/StatefulSet app/db'])
    expect(isBefore(graph, 'ConfigMap other/c', 'apps/StatefulSet app/db')).toBe(true)
  })

  it('a rule that may be left out is, where it would close a cycle; without that it is one', () => {
    const bundle = [settings, db]
    expect(namesOf(graphOf([...rules('ignoreIfCyclical: true,'), ...bundle]))).toEqual([
      'ConfigMap app/settings',
      'apps/StatefulSet app/db',
    ])
    expect(refusalOf([...rules(''), ...bundle])).toBe(
      'CycleDetected: order has a cycle: ConfigMap app/settings -(kapp.k14s.io/change-rule upsert after upserting all)-> ConfigMap app/settings; remove one of these dependencies',
    )
  })

  it('is an object like any other where the dialect is switched off', () => {
    expect(namesOf(graphOf(rules(''), ['Argo']))).toEqual(['kapp.k14s.io/Config c'])
  })

  it('rules of waiting become expressions of health, for the objects that they match', () => {
    const text = `waitRules: [{supportsObservedGeneration: true, resourceMatchers: [{notMatcher: {matcher: {kindNamespaceNameMatcher: {kind: StatefulSet, namespace: app, name: db}}}}],
      conditionMatchers: [{type: Failed, status: "True", failure: true}, {type: Up, status: "True", success: true, unblockChanges: true}]}]`
    const graph = graphOf([...config(text), settings, db])
    const condition = (type: string) =>
      `(has(object.status) && has(object.status.conditions) && object.status.conditions.exists(c, c.type == "${type}" && c.status == "True"))`
    expect(nodeOf(graph, 'object', 'settings').options.health).toEqual({
      inProgress:
        '!has(object.status) || !has(object.status.observedGeneration) || object.status.observedGeneration != object.metadata.generation',
      failed: condition('Failed'),
      current: condition('Up'),
      unblocks: condition('Up'),
    })
    expect(nodeOf(graph, 'object', 'db').options.health).toBe(undefined)
  })

  it.each<[what: string, body: string, refusal: string]>([
    [
      'an unknown matcher',
      'changeGroupBindings: [{name: g, resourceMatchers: [{fooMatcher: {}}]}]',
      'InvalidAnnotation: kapp.k14s.io/Config c: changeGroupBindings[0].resourceMatchers has value {"fooMatcher":{}}; allowed: allMatcher, anyMatcher, andMatcher, notMatcher, kindNamespaceNameMatcher, apiGroupKindMatcher, apiVersionKindMatcher, hasAnnotationMatcher, hasNamespaceMatcher, customResourceMatcher, emptyFieldMatcher',
    ],
    [
      'a rule that is none',
      'changeRuleBindings: [{rules: [x], resourceMatchers: [{allMatcher: {}}]}]',
      'InvalidAnnotation: kapp.k14s.io/Config c: changeRuleBindings[0].rules has value "x"; allowed: (upsert|delete) (before|after) (upserting|deleting) GROUP (ConfigMap app/settings)',
    ],
    [
      'ytt',
      'waitRules: [{ytt: {}, resourceMatchers: []}]',
      'UnsupportedAnnotation: kapp.k14s.io/Config c: waitRules[0].ytt is not supported: write conditionMatchers',
    ],
  ])('%s is refused', (_, body, refusal) => expect(refusalOf([...config(body), settings])).toBe(refusal))
})
