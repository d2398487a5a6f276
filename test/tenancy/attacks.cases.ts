/** Attacks of a user with the role edit in namespace team-a, and their refusals. */
import { DEPLOYER, PLATFORM, TEAM } from './tenancystage.ts'

export interface Attack {
  /** Row, and the attack. */
  readonly name: string
  /** Applied by `dev`. */
  readonly applied: string
  /** The Module, or Pipeline, whose status has the refusal. */
  readonly module?: string
  readonly pipeline?: string
  readonly refused: RegExp
  /** Objects that must not exist: apiVersion, kind, name, namespace. */
  readonly absent?: readonly (readonly [string, string, string, string?])[]
  /** Objects that must not change. */
  readonly unchanged?: readonly (readonly [string, string, string, string])[]
}

/** A Module of `team-a` on the hub, of objects in JSON or flow YAML. */
const hubModule = (name: string, ...objects: readonly string[]): string => `
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: ${name}, namespace: ${TEAM}}
spec:
  targets: {hub: true}
  source:
    inline:
      objects:
${objects.map((o) => `        - ${o}`).join('\n')}
`

const cannot = (what: string): RegExp => new RegExp(`^Forbidden: ${DEPLOYER} cannot ${what}`)

export const attacks: readonly Attack[] = [
  {
    name: "A1 a ConfigMap of the platform, another team's source",
    module: 'a1',
    applied: hubModule(
      'a1',
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: web-1, namespace: ${PLATFORM}}, data: {a.yaml: mine}}`,
    ),
    refused: cannot('(create|patch) configmaps in namespace platform on hub; 1 of 1 objects are refused'),
    unchanged: [['v1', 'ConfigMap', 'web-1', PLATFORM]],
  },
  {
    name: "A2 a Job as the controller's account, as a hook",
    module: 'a2',
    applied: hubModule(
      'a2',
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: a2, namespace: ${TEAM}}}`,
      '{apiVersion: batch/v1, kind: Job, metadata: {name: steal, namespace: lockstep-system, annotations: {argocd.argoproj.io/hook: PreSync}}, spec: {template: {spec: {serviceAccountName: lockstep-controller, restartPolicy: Never, containers: [{name: c, image: alpine}]}}}}',
    ),
    refused: cannot('create jobs.batch in namespace lockstep-system on hub; 1 of 2 objects are refused'),
    absent: [
      ['batch/v1', 'Job', 'steal', 'lockstep-system'],
      ['v1', 'ConfigMap', 'a2', TEAM],
    ],
  },
  {
    name: 'A3 a Module of the platform that makes a cluster-admin everywhere',
    module: 'a3',
    applied: hubModule(
      'a3',
      `{apiVersion: lockstep.dev/v1alpha1, kind: Module, metadata: {name: evil, namespace: ${PLATFORM}}, spec: {targets: {clusterSelector: {}}, source: {inline: {objects: [{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: pwned}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, subjects: [{kind: User, name: dev, apiGroup: rbac.authorization.k8s.io}]}]}}}}`,
    ),
    refused: cannot('create modules.lockstep.dev in namespace platform on hub'),
    absent: [['lockstep.dev/v1alpha1', 'Module', 'evil', PLATFORM]],
  },
  {
    name: 'A4 a token of an account of kube-system, from a Secret',
    module: 'a4',
    applied: `
apiVersion: v1
kind: Secret
metadata: {name: a4src, namespace: ${TEAM}}
stringData:
  a.yaml: |
    apiVersion: v1
    kind: Secret
    metadata: {name: wanted, namespace: kube-system, annotations: {kubernetes.io/service-account.name: default}}
    type: kubernetes.io/service-account-token
---
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: a4, namespace: ${TEAM}}
spec:
  source: {secrets: [{name: a4src}]}
  targets: {hub: true}
`,
    refused: cannot('create secrets in namespace kube-system on hub'),
    absent: [['v1', 'Secret', 'wanted', 'kube-system']],
  },
  {
    name: 'A5 bindings that read a ConfigMap and a Module of the platform',
    module: 'a5',
    applied: `
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: a5, namespace: ${TEAM}}
spec:
  targets: {hub: true}
  bindings:
    - {name: x, workloadFieldRef: {apiVersion: v1, kind: ConfigMap, name: web-1, namespace: ${PLATFORM}, fieldPath: 'data["a.yaml"]'}}
    - {name: "y", workloadFieldRef: {apiVersion: lockstep.dev/v1alpha1, kind: Module, name: web, namespace: ${PLATFORM}, fieldPath: spec}}
  source:
    inline:
      objects:
        - {apiVersion: v1, kind: ConfigMap, metadata: {name: mine, namespace: ${TEAM}}, data: {stolen: "$(x)", spec: "$(y)"}}
`,
    refused: new RegExp(
      `^BindingUnresolved: .*x: ${DEPLOYER} cannot get configmaps/web-1 in namespace platform on hub`,
    ),
    absent: [['v1', 'ConfigMap', 'mine', TEAM]],
  },
  {
    name: 'A7 a ClusterRoleBinding',
    module: 'a7',
    applied: hubModule(
      'a7',
      '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: pwned-7}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, subjects: [{kind: User, name: dev, apiGroup: rbac.authorization.k8s.io}]}',
    ),
    refused: cannot('create clusterrolebindings.rbac.authorization.k8s.io on hub'),
    absent: [['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'pwned-7']],
  },
  {
    name: 'A8 a Module of the platform that brings its kubeconfig',
    module: 'a8',
    applied: hubModule(
      'a8',
      `{apiVersion: lockstep.dev/v1alpha1, kind: Module, metadata: {name: courier, namespace: ${PLATFORM}}, spec: {bindings: [{name: k, secretKeyRef: {name: c1, key: kubeconfig}}], targets: {hub: true}, source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: loot, namespace: ${TEAM}}, data: {k: "$$(k)"}}]}}}}`,
    ),
    refused: cannot('create modules.lockstep.dev in namespace platform on hub'),
    absent: [
      ['lockstep.dev/v1alpha1', 'Module', 'courier', PLATFORM],
      ['v1', 'ConfigMap', 'loot', TEAM],
    ],
  },
  {
    name: 'A9 the credential of a cluster of the platform, and a cluster more',
    module: 'a9',
    applied: `
apiVersion: v1
kind: Secret
metadata: {name: a9src, namespace: ${TEAM}}
stringData:
  a.yaml: |
    apiVersion: v1
    kind: Secret
    metadata: {name: c1, namespace: ${PLATFORM}}
    stringData: {kubeconfig: none}
    ---
    apiVersion: v1
    kind: Secret
    metadata: {name: c9, namespace: ${PLATFORM}, labels: {argocd.argoproj.io/secret-type: cluster}}
    stringData: {name: c9, server: "https://c9"}
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: aws-auth, namespace: kube-system}
    data: {mapUsers: dev}
---
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: a9, namespace: ${TEAM}}
spec:
  source: {secrets: [{name: a9src}]}
  targets: {hub: true}
`,
    refused: cannot('create \\S+ in namespace (platform|kube-system) on hub; 3 of 3 objects are refused'),
    absent: [
      ['v1', 'Secret', 'c9', PLATFORM],
      ['v1', 'ConfigMap', 'aws-auth', 'kube-system'],
    ],
    unchanged: [['v1', 'Secret', 'c1', PLATFORM]],
  },
  {
    name: 'A10 a dependency that asks a Secret of the platform bit by bit',
    module: 'a10',
    applied: `
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: a10, namespace: ${TEAM}}
spec:
  targets: {hub: true}
  dependsOn:
    - {id: s, object: {apiVersion: v1, kind: Secret, name: c1, namespace: ${PLATFORM}}, readyExpr: "size(object.metadata.labels) > 0"}
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a10, namespace: ${TEAM}}}]}}
`,
    refused: /Secret platform\/c1.*cannot be read.*cannot (get|list|watch) /,
    absent: [['v1', 'ConfigMap', 'a10', TEAM]],
  },
  {
    name: 'A11 a Pipeline that changes a Module of the platform',
    pipeline: 'a11',
    applied: `
apiVersion: lockstep.dev/v1alpha1
kind: Pipeline
metadata: {name: a11, namespace: ${TEAM}}
spec:
  identity: a11
  appRef: {apiVersion: lockstep.dev/v1alpha1, kind: Module, name: web}
  environments:
    - {name: one, targets: [{namespace: ${TEAM}}]}
    - {name: two, targets: [{namespace: ${PLATFORM}}], promotion: {strategy: module}}
`,
    refused: /Module platform\/web is unreachable.*cannot (get|list|watch)|Forbidden: .*cannot (get|patch)/,
    unchanged: [['lockstep.dev/v1alpha1', 'Module', 'web', PLATFORM]],
  },
  {
    name: "A10 a dependency on the data of one's own Secret",
    module: 'a10b',
    applied: `
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: a10b, namespace: ${TEAM}}
spec:
  targets: {hub: true}
  dependsOn:
    - {id: s, object: {apiVersion: v1, kind: Secret, name: own, namespace: ${TEAM}}, readyExpr: "object.data.token.startsWith('ZXlK')"}
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a10b, namespace: ${TEAM}}}]}}
`,
    refused: /^InvalidExpression: .*object\.data: data of a Secret is not readable/,
    absent: [['v1', 'ConfigMap', 'a10b', TEAM]],
  },
]
