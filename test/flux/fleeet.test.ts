/** Modules of Fleeet as ours: which clusters get them, what they are bound to, what is listed. */
import { describe, expect, it } from 'vitest'
import { at, encodeYaml, matchesSelector, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import { valuePathText } from '../../packages/kube/src/object/yaml/valuepathtext.ts'
import { moduleSpec } from '../../packages/lockstep/src/api/kinds/module/spec.ts'
import { gitProblem } from '../../packages/lockstep/src/cli/commands/import/gitproblem.ts'
import { selectsCluster } from '../../packages/lockstep/src/fleet/clusters/clusterselection.ts'
import { importFleeet } from '../../packages/lockstep/src/tools/fleeet/importfleeet.ts'
import { importedModuleText } from '../../packages/lockstep/src/tools/fluximport/importedmodule.ts'

const SYNC = `
  sync:
    source: {git: {url: "https://example.com/apps", version: {tag: v1}}}
    package: {kustomize: {path: ./apps}}`

const object = (kind: string, name: string, spec: string): string =>
  `apiVersion: fleet.squaremo.dev/v1alpha1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: default}\nspec:${spec}\n`

const made = (...texts: readonly string[]) =>
  importFleeet([{ file: 'x.yaml', text: texts.join('---\n') }], { gitProblem })
const specOf = (text: string) => made(text).modules[0]?.module.spec
const told = (m: ReturnType<typeof made>) =>
  m.listed.map((l) => `${l.level} ${valuePathText(l.path)}: ${l.why}`)

/** The demo of Fleeet, its tutorial, and a module that goes nowhere. */
const FLEET = [
  object('BootstrapModule', 'flux-components', `\n  selector: {matchLabels: {}}${SYNC}`),
  object('Module', 'podinfo', `\n  selector: {}${SYNC}`),
  object('Module', 'nowhere', SYNC),
  object('Module', 'nulled', `\n  selector: null${SYNC}`),
  object(
    'Module',
    'regional',
    `\n  selector: {matchLabels: {env: prod}, matchExpressions: [{key: region, operator: NotIn, values: [us]}]}
  controlPlaneBindings:
    - {name: region, objectFieldRef: {apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, name: $(CLUSTER_NAME), fieldPath: /metadata/labels/region}}
    - {name: place, value: $(region)/$(CLUSTER_NAME)}${SYNC}`,
  ),
]

const SOME: { name: string; labels: Record<string, string> }[] = [
  { name: 'a', labels: { env: 'prod', region: 'eu' } },
  { name: 'b', labels: { env: 'prod', region: 'us' } },
  { name: 'c', labels: { env: 'dev' } },
]
const CLUSTERS = SOME.map((c) => ({ ...c, objectName: c.name, kind: 'ClusterAPI' as const, properties: {} }))

it('go to the clusters that Fleeet would have put them on', () => {
  const { modules, listed } = made(...FLEET)
  const theirs = FLEET.map((text) => {
    const [value] = parseYamlStream(text)
    const selector = at(value, 'spec', 'selector') as Parameters<typeof matchesSelector>[0] | null | undefined
    // Without a selector on no cluster, with an empty one on each (module/controllers, LabelSelectorAsSelector).
    const on = CLUSTERS.filter((c) => selector && matchesSelector(selector, c.labels)).map((c) => c.name)
    return [`${at(value, 'kind')} ${at(value, 'metadata', 'name')}`, on]
  })
  const ours = modules.map(({ module, unit }) => {
    const spec = moduleSpec.parse(module.spec)
    return [
      `${unit.kind} ${unit.name}`,
      CLUSTERS.filter((c) => selectsCluster(spec.targets, c)).map((c) => c.name),
    ]
  })
  expect(new Map(ours as [string, string[]][])).toEqual(new Map(theirs as [string, string[]][]))
  expect(listed).toEqual([])
})

it('have their source at the version that is written, and leave what is there when they go', () => {
  expect(specOf(FLEET[1]!)).toEqual({
    source: { git: { url: 'https://example.com/apps', ref: { tag: 'v1' }, path: 'apps' } },
    render: { kustomize: {} },
    targets: { clusterSelector: {} },
    apply: { prune: false, deletionPolicy: 'Orphan' },
  })
  const commit = 'a123456789012345678901234567890123456789'
  const at = FLEET[1]!.replace('tag: v1', `revision: ${commit}`).replace('path: ./apps', '')
  expect(specOf(at)).toMatchObject({ source: { git: { ref: { commit }, path: '.' } } })
})

it('have bindings: of the hub, and of the cluster', () => {
  expect(specOf(FLEET[4]!)).toMatchObject({
    bindings: [
      {
        name: 'region',
        objectFieldRef: {
          apiVersion: 'cluster.x-k8s.io/v1beta1',
          kind: 'Cluster',
          name: '$(CLUSTER_NAME)',
          fieldPath: 'metadata.labels.region',
        },
      },
      { name: 'place', value: '$(region)/$(CLUSTER_NAME)' },
    ],
  })
  const downstream = `${SYNC}\n    bindings:\n      - {name: host, objectFieldRef: {apiVersion: v1, kind: Service, name: gw, fieldPath: /status/loadBalancer/ingress/0/ip}}`
  const m = made(object('Module', 'm', `\n  selector: {}${downstream}`))
  expect(at(m.modules[0]!.module.spec, 'bindings')).toEqual([
    {
      name: 'host',
      workloadFieldRef: {
        apiVersion: 'v1',
        kind: 'Service',
        name: 'gw',
        fieldPath: 'status.loadBalancer.ingress[0].ip',
        namespace: 'default',
      },
    },
  ])
  expect(told(m)).toEqual([
    'note spec.sync.bindings[0].objectFieldRef: the object is looked for in namespace default of the cluster, where Fleeet has its assemblage',
  ])
})

it('keep how they roll out', () => {
  const rollout = `\n  selector: {}\n  strategy: Replace\n  rollout: {maxUnreadyClusters: 3}${SYNC}`
  expect(specOf(object('Module', 'm', rollout))).toMatchObject({
    rollout: { strategy: 'Replace', maxUnavailable: 3 },
  })
})

describe('what ours cannot say is listed with its path, and the module waits', () => {
  const substitute = SYNC.replace('path: ./apps', 'path: ./apps, substitute: {REGION: $(r), SAME: $(SAME)}')
  const bindings = (text: string): string => `\n  selector: {}\n  controlPlaneBindings: [${text}]${SYNC}`
  it.each<[string, string, string[]]>([
    [
      'substitutions',
      `\n  selector: {}\n  controlPlaneBindings: [{name: r, value: eu}, {name: SAME, value: x}]${substitute}`,
      [
        `loss spec.sync.package.kustomize.substitute.REGION: manifests mention it as \${REGION}, which is not replaced`,
        `loss spec.sync.package.kustomize.substitute.SAME: manifests mention it as \${SAME}, which is not replaced`,
      ],
    ],
    [
      'a Secret',
      bindings('{name: s, objectFieldRef: {apiVersion: v1, kind: Secret, name: x, fieldPath: /data/k}}'),
      ['loss spec.controlPlaneBindings[0]: fields of Secrets are not read; secretKeyRef takes a key as text'],
    ],
    [
      'a name that is given',
      bindings('{name: CLUSTER_NAME, value: x}'),
      ['loss spec.controlPlaneBindings[0]: CLUSTER_NAME is given, and cannot be another value'],
    ],
    [
      'a dollar',
      bindings('{name: a, value: 5$$}'),
      ['loss spec.controlPlaneBindings[0]: it has $$, which is a text here where no ( follows'],
    ],
    [
      'another strategy',
      `\n  selector: {}\n  strategy: Canary${SYNC}`,
      ['loss spec.strategy: this field is not known, or has a value that Fleeet does not accept'],
    ],
    [
      'a selector that is none',
      `\n  selector: {matchExpressions: [{key: a, operator: Inn}]}${SYNC}`,
      [
        expect.stringMatching(
          /^loss spec\.selector: spec\.targets\.clusterSelector.*operator of a Module: /,
        ) as never,
      ],
    ],
  ])('%s', (_, spec, listed) => {
    const m = made(object('Module', 'm', spec))
    expect(told(m)).toEqual(listed)
    expect(m.modules[0]!.held).not.toEqual([])
    expect(m.modules[0]!.module.spec).not.toHaveProperty('targets')
    expect(importedModuleText(m.modules[0]!)).toContain('# It selects no cluster yet')
  })
})

it('others are not imported: no version, a name, what somebody else has made', () => {
  const branch = object('Module', 'm', SYNC.replace('tag: v1', ''))
  const assemblage = (more: string) =>
    `apiVersion: fleet.squaremo.dev/v1alpha1\nkind: RemoteAssemblage\nmetadata: {name: c1, namespace: default${more}}\nspec: {}\n`
  const owned = assemblage(', ownerReferences: [{kind: Module, name: podinfo}]')
  expect(told(made(branch, object('Module', 'M_1', SYNC), owned, assemblage('')))).toEqual([
    'loss : spec.sync.source.git: source: it has no repository with a tag or a revision',
    'loss : default/M_1 is not a valid Module name',
    'note : it was created from Modules, and is created again from them',
    'loss : an assemblage is not a Module; its controller continues to manage it',
  ])
})

it('the same texts give the same bytes, in a form that our server takes', () => {
  const texts = () => made(...FLEET).modules.map(importedModuleText)
  expect(texts()).toEqual(texts())
  for (const m of made(...FLEET).modules) {
    expect(moduleSpec.safeParse(m.module.spec).success).toBe(true)
    expect(parseYamlStream(encodeYaml(m.module))).toHaveLength(1)
  }
})
