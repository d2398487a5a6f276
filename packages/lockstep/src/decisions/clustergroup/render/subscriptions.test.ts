import { describe, expect, it } from 'vitest'
import { at, type JsonObject, type JsonValue } from '../../../../../kube/src/object/index.ts'
import { bodyOf, hub, made, refusal, those, warnings } from '../clustergroup.cases.ts'

const NO_CSV = 'global: {pattern: p, options: {useCSV: false}}'
const subs = (all: string): string => hub(`subscriptions: ${all}`)
const one = (kind: string, entry: string): unknown => bodyOf(those(kind, subs(`{a: ${entry}}`), NO_CSV)[0]!)
const names = (kind: string, all: string): unknown[] =>
  those(kind, subs(all), NO_CSV).map((o) => at(o, 'metadata', 'name'))

const SPEC = {
  name: 'odf',
  source: 'redhat-operators',
  sourceNamespace: 'openshift-marketplace',
  installPlanApproval: 'Automatic',
}

describe('a Subscription', () => {
  it('has a name, and the rest by default', () =>
    expect(one('Subscription', '{name: odf}')).toEqual({
      metadata: { name: 'odf', namespace: 'openshift-operators' },
      spec: SPEC,
    }))
  it('has what is said of it', () =>
    expect(
      one(
        'Subscription',
        '{name: odf, namespace: storage, source: mine, sourceNamespace: market, channel: "4.10", csv: odf.v1, installPlanApproval: Manual, annotations: {w: 5, v: null}, config: {env: [{name: a, value: 1}]}}',
      ),
    ).toEqual({
      metadata: { name: 'odf', namespace: 'storage', annotations: { w: '5', v: '' } },
      spec: {
        name: 'odf',
        source: 'mine',
        sourceNamespace: 'market',
        channel: 4.1,
        installPlanApproval: 'Manual',
        config: { env: [{ name: 'a', value: 1 }] },
        startingCSV: 'odf.v1',
      },
    }))
  it('takes null and empty for nothing', () =>
    expect(
      one(
        'Subscription',
        '{name: odf, namespace: "", source: null, channel: null, annotations: {}, config: {}, csv: ""}',
      ),
    ).toEqual({
      metadata: { name: 'odf', namespace: 'openshift-operators' },
      spec: SPEC,
    }))
  it('passes its configuration through as it is written', () => {
    const config = '{replicas: 1000000, on: [1e3, null, "5.10"], "{{ .Values.a }}": {}}'
    expect(at(those('Subscription', subs(`{a: {name: a, config: ${config}}}`))[0], 'spec', 'config')).toEqual(
      {
        replicas: 1000000,
        true: [1000, null, '5.10'],
        '{{ .Values.a }}': {},
      },
    )
  })
  it('has a starting CSV, null where none is named, if CSVs are used', () => {
    const specs = those('Subscription', subs('{a: {name: a}, b: {name: b, csv: b.v1}}')).map((o) =>
      at(o, 'spec', 'startingCSV'),
    )
    expect(specs).toEqual([null, 'b.v1'])
  })
  it('is approved as the pattern says', () => {
    const manual = 'global: {options: {installPlanApproval: Manual}}'
    expect(at(those('Subscription', subs('{a: {name: a}}'), manual)[0], 'spec', 'installPlanApproval')).toBe(
      'Manual',
    )
  })
  it('is there once for each of its namespaces', () => {
    const all = those('Subscription', subs('{a: {name: a, namespace: x, channels: [c], namespaces: [v, w]}}'))
    expect(all.map((o) => at(o, 'metadata', 'namespace'))).toEqual(['v', 'w'])
    expect(made(subs('{a: {name: a, namespaces: []}}')).objects).toHaveLength(1)
  })
})

describe('entries', () => {
  it('of a map come by key, of a list in order', () => {
    expect(names('Subscription', '{b: {name: one}, a: {name: two}}')).toEqual(['two', 'one'])
    expect(names('Subscription', '[{name: one}, {name: two}]')).toEqual(['one', 'two'])
  })
  it('without a name, and null, are nothing, not even a Job', () =>
    expect(
      made(subs('{a: null, b: {channel: x, annotations: {}, sequenceJob: {syncWave: "1"}}, c: {name: ""}}'))
        .objects,
    ).toEqual([]))
  it('that are disabled are none', () => {
    expect(
      names(
        'Subscription',
        '{a: {name: a, disabled: true}, b: {name: b, disabled: "false"}, c: {name: c, disabled: ""}}',
      ),
    ).toEqual(['c'])
    expect(warnings(subs('{b: {name: b, disabled: "false"}}'))).toEqual([
      'values.yaml: clusterGroup.subscriptions.b.disabled: the text "false" disables, since it is not empty; use a boolean',
    ])
    expect(warnings(subs('{b: {name: b, disabled: "yes"}}'))).toEqual([])
  })
  it('of another kind are refused', () =>
    expect(refusal(subs('{a: text}'))).toEqual([
      'template: values.yaml: clusterGroup.subscriptions.a: "text" is not expected; write a map, or nothing',
    ]))
  it('with keys that nothing reads are rendered, and it is said', () =>
    expect(
      warnings(subs('{a: {name: a, chanel: x, annotations: {}, sequenceJob: {syncwave: "1"}}}')),
    ).toEqual(
      expect.arrayContaining([
        'values.yaml: clusterGroup.subscriptions.a.chanel: nothing reads it; did you mean channel?',
        'values.yaml: clusterGroup.subscriptions.a.sequenceJob.syncwave: nothing reads it; did you mean syncWave?',
      ]),
    ))
})

describe('a ClusterExtension', () => {
  const catalog = { packageName: 'quay', upgradeConstraintPolicy: 'CatalogProvided' }
  const extension = (more: object, rest: object = {}): unknown => ({
    metadata: { name: 'quay' },
    spec: {
      namespace: 'openshift-operators',
      source: { sourceType: 'Catalog', catalog: { ...catalog, ...more } },
      ...rest,
    },
  })
  it.each([
    ['channels: [a, "5"]', extension({ channels: ['a', '5'] })],
    ['version: 1.10', extension({ version: '1.1' })],
    ['upgradeConstraintPolicy: SelfCertified', extension({ upgradeConstraintPolicy: 'SelfCertified' })],
    ['serviceAccountName: sa', extension({}, { serviceAccount: { name: 'sa' } })],
    ['version: "1", namespace: q', extension({ version: '1' }, { namespace: 'q' })],
  ])('by %s', (key, expected) => expect(one('ClusterExtension', `{name: quay, ${key}}`)).toEqual(expected))
  it('has annotations', () =>
    expect(one('ClusterExtension', '{name: quay, version: "1", annotations: {a: 1}}')).toMatchObject({
      metadata: { annotations: { a: '1' } },
    }))
})

describe('a sequenceJob', () => {
  const WAVE = 'argocd.argoproj.io/sync-wave'
  const job = (members: string, annotations = `{${WAVE}: "5"}`): JsonObject =>
    those('Job', subs(`{a: {name: odf, annotations: ${annotations}, sequenceJob: ${members}}}`))[0]!
  const container = (members: string): JsonValue =>
    at(job(members), 'spec', 'template', 'spec', 'containers', 0)!
  const annotationsOf = (o: JsonObject): JsonValue => at(o, 'metadata', 'annotations')!

  it('is a hook in the wave of its subscription, without a namespace', () => {
    expect(bodyOf(job('{resourceType: sc, resourceName: ceph}'))).toEqual({
      metadata: { name: 'odf-sequencejob', annotations: { 'argocd.argoproj.io/hook': 'Sync', [WAVE]: '5' } },
      spec: {
        parallelism: 1,
        completions: 1,
        template: {
          spec: {
            restartPolicy: 'OnFailure',
            containers: [
              {
                name: 'odf-sequencejob',
                image: 'quay.io/validatedpatterns/imperative-container:v1',
                command: [
                  '/bin/bash',
                  '-c',
                  'while [ 1 ];\ndo\n  oc get sc ceph && break\n  echo "sc ceph not found, waiting..."\n  sleep 5\ndone\necho "sc ceph found, exiting..."\nexit 0\n',
                ],
              },
            ],
          },
        },
      },
    })
  })
  it('whose own wave is empty or 0 is in that of the subscription', () => {
    for (const wave of ['""', '0', 'null'])
      expect(at(annotationsOf(job(`{syncWave: ${wave}}`)), WAVE)).toBe('5')
    expect(at(annotationsOf(job('{syncWave: 0}', '{}')), WAVE)).toBeNull()
  })
  it('waits for nothing in particular, if nothing is named', () =>
    expect(at(container('{syncWave: "1"}'), 'command', 2)).toContain('  oc get   && break\n'))
  it('with an empty command waits as well', () =>
    expect(at(container('{resourceType: sc, command: []}'), 'command', 2)).toContain(
      '  oc get sc  && break\n',
    ))
  it('waits in a namespace', () => {
    const script = at(
      container('{resourceType: deploy, resourceName: a, resourceNamespace: b}'),
      'command',
      2,
    )
    expect(script).toContain('  oc get deploy a -n b && break\n')
    expect(script).toContain('echo "deploy a in b found, exiting..."\n')
  })
  it('does what its command says, in its image, in its phase and wave', () => {
    expect(container('{command: [oc, get, "1", 2], image: my/image:v1}')).toMatchObject({
      command: ['oc', 'get', '1', 2],
      image: 'my/image:v1',
    })
    expect(annotationsOf(job('{syncWave: 7, hookType: PreSync}'))).toEqual({
      'argocd.argoproj.io/hook': 'PreSync',
      [WAVE]: '7',
    })
  })
  it('without a wave has null, which is said', () => {
    expect(at(annotationsOf(job('{resourceType: sc}', '{}')), WAVE)).toBeNull()
    expect(warnings(subs('{a: {name: odf, annotations: {}, sequenceJob: {resourceType: sc}}}'))).toEqual([
      expect.stringMatching(/^values.yaml: clusterGroup.subscriptions.a.sequenceJob has no wave/),
    ])
  })
  it('needs annotations on the subscription, though it has a wave of its own', () => {
    for (const annotations of ['', 'annotations: null, '])
      expect(refusal(subs(`{odf: {name: odf, ${annotations}sequenceJob: {syncWave: "5"}}}`))).toEqual([
        'template: values.yaml: clusterGroup.subscriptions.odf.sequenceJob needs annotations (at least {}) on the subscription',
      ])
  })
  it('is one, however many namespaces there are; none if it is disabled', () => {
    expect(
      names('Job', '{a: {name: a, namespaces: [x, w], annotations: {}, sequenceJob: {syncWave: "1"}}}'),
    ).toEqual(['a-sequencejob'])
    expect(
      names(
        'Job',
        '{a: {name: a, annotations: {}, sequenceJob: {disabled: true}}, b: {name: b, sequenceJob: {}}}',
      ),
    ).toEqual([])
  })
  it('of a disabled subscription is there all the same, which is said', () => {
    const all = '{a: {name: a, disabled: true, annotations: {}, sequenceJob: {syncWave: "1"}}}'
    expect(made(subs(all)).objects.map((o) => o.kind)).toEqual(['Job'])
    expect(warnings(subs(all))).toEqual([
      expect.stringMatching(/sequenceJob: the subscription is disabled and its Job is not/),
    ])
  })
})
