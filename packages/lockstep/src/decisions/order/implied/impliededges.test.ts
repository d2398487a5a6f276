/** Every row of what manifests imply: a bundle, and the edges that come of it. */
import { describe, expect, it } from 'vitest'
import { bundleOf, edgesOf, graphOf, isBefore, manifest } from '../../../../../../test/order.ts'
import { compileReady } from '../../../../../health/src/health/compiledexpression.ts'
import type { KubeObject } from '../../../../../kube/src/object/index.ts'

const edges = (yaml: string): string[] => edgesOf(graphOf(bundleOf(yaml)))

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: app}
spec:
  template:
    metadata: {labels: {app: api}}
    spec: {containers: []}
---`
const SERVICE = `
apiVersion: v1
kind: Service
metadata: {name: api, namespace: app}
spec: {selector: {app: api}}
---`
const widgets = (spec: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgetry}, ${spec}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: app}
---`
const pod = (spec: string): string => `
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: app}
spec: {containers: [], ${spec}}
---`
const plain = (apiVersion: string, kind: string, name: string, namespace?: string, more = ''): string =>
  `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: ${name}${namespace ? `, namespace: ${namespace}` : ''}}
${more}
---`

it.each<[row: string, yaml: string, edges: string[]]>([
  [
    'Namespace: everything in it',
    plain('v1', 'Namespace', 'app') + plain('v1', 'Secret', 's', 'app') + plain('v1', 'Secret', 's', 'other'),
    ['Namespace app -(namespace, Applied)-> Secret app/s'],
  ],
  [
    'definition: its custom resources',
    widgets(''),
    [
      'apiextensions.k8s.io/CustomResourceDefinition widgets.example.com -(CustomResourceDefinition, Served)-> example.com/Widget app/w',
    ],
  ],
  [
    'definition with a conversion webhook: who answers it',
    widgets('conversion: {webhook: {clientConfig: {service: {namespace: app, name: api}}}}') +
      DEPLOYMENT +
      SERVICE,
    [
      'apiextensions.k8s.io/CustomResourceDefinition widgets.example.com -(CustomResourceDefinition, Served)-> example.com/Widget app/w',
      'apps/Deployment app/api -(conversion webhook, Healthy)-> example.com/Widget app/w',
    ],
  ],
  [
    'APIService: what answers it, and what is of its group and version',
    DEPLOYMENT +
      SERVICE +
      plain(
        'apiregistration.k8s.io/v1',
        'APIService',
        'v1.x.io',
        undefined,
        'spec: {group: x.io, version: v1, service: {namespace: app, name: api}}',
      ) +
      plain('x.io/v1', 'Thing', 't') +
      plain('x.io/v2', 'Thing', 'u'),
    [
      'Service app/api -(service of APIService, Applied)-> apiregistration.k8s.io/APIService v1.x.io',
      'apiregistration.k8s.io/APIService v1.x.io -(APIService, Served)-> x.io/Thing t',
      'apps/Deployment app/api -(backend of APIService, Healthy)-> apiregistration.k8s.io/APIService v1.x.io',
    ],
  ],
  [
    'account, its bindings, their roles: workloads that run as it',
    pod('') +
      plain('v1', 'ServiceAccount', 'default', 'app') +
      plain('rbac.authorization.k8s.io/v1', 'Role', 'r', 'app') +
      plain(
        'rbac.authorization.k8s.io/v1',
        'RoleBinding',
        'b',
        'app',
        'roleRef: {kind: Role, name: r}\nsubjects: [{kind: ServiceAccount, name: default}]',
      ) +
      plain('rbac.authorization.k8s.io/v1', 'ClusterRole', 'c') +
      plain(
        'rbac.authorization.k8s.io/v1',
        'ClusterRoleBinding',
        'd',
        undefined,
        'roleRef: {kind: ClusterRole, name: c}\nsubjects: [{kind: ServiceAccount, name: default, namespace: app}]',
      ),
    [
      'ServiceAccount app/default -(serviceAccountName, Applied)-> Pod app/p',
      'rbac.authorization.k8s.io/ClusterRole c -(roleRef, Applied)-> rbac.authorization.k8s.io/ClusterRoleBinding d',
      'rbac.authorization.k8s.io/ClusterRoleBinding d -(serviceAccountName, Applied)-> Pod app/p',
      'rbac.authorization.k8s.io/Role app/r -(roleRef, Applied)-> rbac.authorization.k8s.io/RoleBinding app/b',
      'rbac.authorization.k8s.io/RoleBinding app/b -(serviceAccountName, Applied)-> Pod app/p',
    ],
  ],
  [
    'ConfigMap, Secret: workloads that read them, optional ones too',
    plain('v1', 'ConfigMap', 'c', 'app') +
      plain('v1', 'Secret', 's', 'app') +
      plain(
        'batch/v1',
        'CronJob',
        'j',
        'app',
        'spec: {jobTemplate: {spec: {template: {spec: {initContainers: [{env: [{valueFrom: {configMapKeyRef: {name: c, optional: true}}}]}], imagePullSecrets: [{name: s}]}}}}}',
      ),
    [
      'ConfigMap app/c -(reads ConfigMap, Applied)-> batch/CronJob app/j',
      'Secret app/s -(reads Secret, Applied)-> batch/CronJob app/j',
    ],
  ],
  [
    'policy of a namespace: its workloads',
    pod('') + plain('v1', 'LimitRange', 'l', 'app') + plain('v1', 'LimitRange', 'l', 'other'),
    ['LimitRange app/l -(policy of the namespace, Applied)-> Pod app/p'],
  ],
  [
    'class, volume, claim, workload: never that a claim is bound',
    plain('storage.k8s.io/v1', 'StorageClass', 'fast') +
      plain(
        'v1',
        'PersistentVolume',
        'v',
        undefined,
        'spec: {storageClassName: fast, claimRef: {namespace: app, name: data}}',
      ) +
      plain('v1', 'PersistentVolumeClaim', 'data', 'app', 'spec: {storageClassName: fast}') +
      pod('volumes: [{persistentVolumeClaim: {claimName: data}}]'),
    [
      'PersistentVolume v -(volume of the claim, Applied)-> PersistentVolumeClaim app/data',
      'PersistentVolumeClaim app/data -(persistentVolumeClaim, Applied)-> Pod app/p',
      'storage.k8s.io/StorageClass fast -(storageClassName, Applied)-> PersistentVolume v',
      'storage.k8s.io/StorageClass fast -(storageClassName, Applied)-> PersistentVolumeClaim app/data',
    ],
  ],
  [
    'class: the templates of claims',
    plain('storage.k8s.io/v1', 'StorageClass', 'fast') +
      plain(
        'apps/v1',
        'StatefulSet',
        's',
        'app',
        'spec: {volumeClaimTemplates: [{spec: {storageClassName: fast}}]}',
      ),
    ['storage.k8s.io/StorageClass fast -(storageClassName, Applied)-> apps/StatefulSet app/s'],
  ],
  [
    'classes of Pods',
    plain('scheduling.k8s.io/v1', 'PriorityClass', 'high') +
      plain('node.k8s.io/v1', 'RuntimeClass', 'gvisor') +
      pod('priorityClassName: high, runtimeClassName: gvisor'),
    [
      'node.k8s.io/RuntimeClass gvisor -(runtimeClassName, Applied)-> Pod app/p',
      'scheduling.k8s.io/PriorityClass high -(priorityClassName, Applied)-> Pod app/p',
    ],
  ],
  [
    'classes of other objects',
    plain('networking.k8s.io/v1', 'IngressClass', 'nginx') +
      plain('networking.k8s.io/v1', 'Ingress', 'i', 'app', 'spec: {ingressClassName: nginx}') +
      plain('gateway.networking.k8s.io/v1', 'GatewayClass', 'g') +
      plain('gateway.networking.k8s.io/v1', 'Gateway', 'gw', 'app', 'spec: {gatewayClassName: g}') +
      plain('snapshot.storage.k8s.io/v1', 'VolumeSnapshotClass', 'k') +
      plain('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 's', 'app', 'spec: {volumeSnapshotClassName: k}'),
    [
      'gateway.networking.k8s.io/GatewayClass g -(gatewayClassName, Applied)-> gateway.networking.k8s.io/Gateway app/gw',
      'networking.k8s.io/IngressClass nginx -(ingressClassName, Applied)-> networking.k8s.io/Ingress app/i',
      'snapshot.storage.k8s.io/VolumeSnapshotClass k -(volumeSnapshotClassName, Applied)-> snapshot.storage.k8s.io/VolumeSnapshot app/s',
    ],
  ],
  [
    'Service: StatefulSet, Ingress, routes',
    SERVICE +
      plain('apps/v1', 'StatefulSet', 's', 'app', 'spec: {serviceName: api}') +
      plain(
        'networking.k8s.io/v1',
        'Ingress',
        'i',
        'app',
        'spec: {rules: [{http: {paths: [{backend: {service: {name: api}}}]}}]}',
      ) +
      plain(
        'gateway.networking.k8s.io/v1',
        'HTTPRoute',
        'r',
        'other',
        'spec: {rules: [{backendRefs: [{name: api, namespace: app}, {kind: Bucket, name: api}]}]}',
      ),
    [
      'Service app/api -(backend, Applied)-> networking.k8s.io/Ingress app/i',
      'Service app/api -(backendRefs, Applied)-> gateway.networking.k8s.io/HTTPRoute other/r',
      'Service app/api -(serviceName, Applied)-> apps/StatefulSet app/s',
    ],
  ],
  [
    'scale target: autoscaler; workload: budget',
    DEPLOYMENT +
      plain(
        'autoscaling/v2',
        'HorizontalPodAutoscaler',
        'h',
        'app',
        'spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: api}}',
      ) +
      plain(
        'policy/v1',
        'PodDisruptionBudget',
        'b',
        'app',
        'spec: {selector: {matchExpressions: [{key: app, operator: In, values: [api]}]}}',
      ) +
      plain('policy/v1', 'PodDisruptionBudget', 'c', 'app', 'spec: {selector: {matchLabels: {app: web}}}'),
    [
      'apps/Deployment app/api -(scaleTargetRef, Applied)-> autoscaling/HorizontalPodAutoscaler app/h',
      'apps/Deployment app/api -(selector of the budget, Applied)-> policy/PodDisruptionBudget app/b',
    ],
  ],
  [
    'operators of OLM',
    plain('operators.coreos.com/v1', 'OperatorGroup', 'g', 'app') +
      plain('operators.coreos.com/v1alpha1', 'CatalogSource', 'c', 'olm') +
      plain(
        'operators.coreos.com/v1alpha1',
        'Subscription',
        's',
        'app',
        'spec: {source: c, sourceNamespace: olm}',
      ),
    [
      'operators.coreos.com/CatalogSource olm/c -(CatalogSource, Applied)-> operators.coreos.com/Subscription app/s',
      'operators.coreos.com/OperatorGroup app/g -(OperatorGroup, Applied)-> operators.coreos.com/Subscription app/s',
    ],
  ],
  [
    'Applications of Argo CD',
    plain('argoproj.io/v1alpha1', 'AppProject', 'p', 'argo') +
      plain('argoproj.io/v1alpha1', 'Application', 'a', 'argo', 'spec: {project: p}') +
      plain('argoproj.io/v1alpha1', 'Application', 'b', 'argo', 'spec: {project: other}'),
    ['argoproj.io/AppProject argo/p -(project, Applied)-> argoproj.io/Application argo/a'],
  ],
])('%s', (_, yaml, expected) => expect(edges(yaml)).toEqual(expected))

describe('admission webhooks', () => {
  const webhook = (rule: string, more = ''): string =>
    plain(
      'admissionregistration.k8s.io/v1',
      'ValidatingWebhookConfiguration',
      'v',
      undefined,
      `webhooks: [{clientConfig: {service: {namespace: app, name: api}}, rules: [{${rule}}]${more}}]`,
    )
  const WIDGETS = 'apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [widgetry]'
  const isAsked = (yaml: string): boolean =>
    edges(yaml).some((e) =>
      e.endsWith('-(webhook rules, once caBundle is injected, Expr)-> example.com/Widget app/w'),
    )

  it('who answers it, then the configuration, then what it is asked about, once there is a certificate', () => {
    const graph = graphOf(bundleOf(widgets('') + DEPLOYMENT + SERVICE + webhook(WIDGETS)))
    expect(edgesOf(graph).filter((e) => e.includes('webhook'))).toEqual([
      'Service app/api -(service of the webhook, Applied)-> admissionregistration.k8s.io/ValidatingWebhookConfiguration v',
      'admissionregistration.k8s.io/ValidatingWebhookConfiguration v -(webhook rules, once caBundle is injected, Expr)-> example.com/Widget app/w',
      'apps/Deployment app/api -(backend of the webhook, Healthy)-> admissionregistration.k8s.io/ValidatingWebhookConfiguration v',
    ])
    expect(graph.needs.flat().find((e) => e.ask === 'Expr')?.expression).toBe(
      'object.webhooks.all(w, !has(w.clientConfig.service) || has(w.clientConfig.caBundle) && size(w.clientConfig.caBundle) > 0)',
    )
  })

  it('with a certificate in the manifest, or a URL, it is asked only to be there', () => {
    const given = webhook(WIDGETS).replace('clientConfig: {', 'clientConfig: {caBundle: Zm9v, ')
    expect(edges(widgets('') + given)).toContain(
      'admissionregistration.k8s.io/ValidatingWebhookConfiguration v -(webhook rules, Applied)-> example.com/Widget app/w',
    )
  })

  it('of several, those behind a Service need a certificate; a URL may have one that everybody trusts', () => {
    const url = webhook(WIDGETS).replace('}]}]', '}]}, {clientConfig: {url: "https://policy.example.com"}}]')
    const graph = graphOf(bundleOf(widgets('') + url))
    const { expression } = graph.needs.flat().find((e) => e.ask === 'Expr')!
    const injected = compileReady(expression!)
    if (!injected.ok) throw new Error('does not compile')
    const live = (caBundle?: string) =>
      ({
        apiVersion: 'v1',
        kind: 'V',
        metadata: { name: 'v' },
        webhooks: [
          { clientConfig: { service: { name: 'api' }, ...(caBundle === undefined ? {} : { caBundle }) } },
          { clientConfig: { url: 'https://policy.example.com' } },
        ],
      }) as KubeObject
    expect([live(), live(''), live('Zm9v')].map((o) => injected.value.evaluate(o))).toEqual([
      false,
      false,
      true,
    ])
  })

  it.each<[what: string, asked: boolean, yaml: string]>([
    ['by its plural in the definition', true, webhook(WIDGETS)],
    ['of all resources', true, webhook(WIDGETS.replace('widgetry', "'*/*'"))],
    ['with subresources', true, webhook(WIDGETS.replace('widgetry', 'widgetry/*'))],
    ['a subresource only', false, webhook(WIDGETS.replace('widgetry', 'widgetry/status'))],
    ['another plural', false, webhook(WIDGETS.replace('widgetry', 'widgets'))],
    ['another group', false, webhook(WIDGETS.replace('example.com', 'other.com'))],
    ['another version', false, webhook(WIDGETS.replace('v1', 'v2'))],
    ['only at deletion', false, webhook(WIDGETS.replace('CREATE', 'DELETE'))],
    ['of the scope', true, webhook(`${WIDGETS}, scope: Namespaced`)],
    ['of another scope', false, webhook(`${WIDGETS}, scope: Cluster`)],
    ['of other objects by label', false, webhook(WIDGETS, ', objectSelector: {matchLabels: {a: b}}')],
    [
      'of a namespace that nobody knows',
      true,
      webhook(WIDGETS, ', namespaceSelector: {matchLabels: {a: b}}'),
    ],
    [
      'of other namespaces',
      false,
      plain('v1', 'Namespace', 'app') + webhook(WIDGETS, ', namespaceSelector: {matchLabels: {a: b}}'),
    ],
    [
      'of a namespace by name',
      true,
      plain('v1', 'Namespace', 'app') +
        webhook(WIDGETS, ', namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: app}}'),
    ],
  ])('asked about %s: %s', (_, asked, yaml) => expect(isAsked(widgets('') + yaml)).toBe(asked))

  it('kinds of Kubernetes have the resource that it guesses', () => {
    const rule =
      'apiGroups: [networking.k8s.io], apiVersions: ["*"], operations: ["*"], resources: [ingresses, networkpolicies]'
    const bundle =
      webhook(rule) +
      plain('networking.k8s.io/v1', 'Ingress', 'i', 'app') +
      plain('networking.k8s.io/v1', 'NetworkPolicy', 'n', 'app')
    expect(edges(bundle).length).toBe(2)
  })

  it('one that is asked about everything comes behind what it needs itself', () => {
    const all = 'apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]'
    const others = [0, 1, 2, 3].map((i) => plain('v1', 'ConfigMap', `c${i}`, 'app')).join('')
    const graph = graphOf(
      bundleOf(plain('v1', 'Namespace', 'app') + DEPLOYMENT + SERVICE + webhook(all) + others),
    )
    const name = 'admissionregistration.k8s.io/ValidatingWebhookConfiguration v'
    for (const before of ['Namespace app', 'apps/Deployment app/api', 'Service app/api'])
      expect(isBefore(graph, before, name)).toBe(true)
    for (const i of [0, 1, 2, 3]) expect(isBefore(graph, name, `ConfigMap app/c${i}`)).toBe(true)
  })
})

it('an object of kapp without default rules has none of what is only preferred', () => {
  const bare = { 'kapp.k14s.io/disable-default-change-group-and-rules': '' }
  const podSpec = { spec: { serviceAccountName: 'a', containers: [] } }
  const bundle = [
    manifest('v1 Namespace app'),
    manifest('v1 ServiceAccount app/a'),
    manifest('v1 Pod app/p', bare, podSpec),
    manifest('v1 Pod app/q', undefined, podSpec),
  ]
  expect(edgesOf(graphOf(bundle)).filter((e) => e.includes('Pod'))).toEqual([
    'Namespace app -(namespace, Applied)-> Pod app/p',
    'Namespace app -(namespace, Applied)-> Pod app/q',
    'ServiceAccount app/a -(serviceAccountName, Applied)-> Pod app/q',
  ])
})
