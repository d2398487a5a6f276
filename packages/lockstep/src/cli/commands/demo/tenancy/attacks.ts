/** Attacks of a user with the role edit in one namespace, and their refusals. Tests play them on real servers, too. */
import { DEFAULT_SERVICE_ACCOUNT } from '../../../../api/account.ts'
import { FLEET_NAMESPACE } from '../../../kit/localfleet/index.ts'

export const PLATFORM = FLEET_NAMESPACE
/** The namespace of the attacker. */
export const TEAM = 'team-a'
/** The user that Modules of the attacker act as. */
export const DEPLOYER = `system:serviceaccount:${TEAM}:${DEFAULT_SERVICE_ACCOUNT}`

/** apiVersion, kind, name, namespace. */
export type AttackedObject = readonly [string, string, string, string?]

export interface Attack {
  /** Row of the attack. */
  readonly id: string
  readonly goal: string
  /** The applied objects in short. */
  readonly tried: string
  /** Manifests, applied by the attacker. */
  readonly applied: string
  /** The Module whose status has the refusal; absent: the API server refuses a manifest. */
  readonly module?: string
  readonly refused: RegExp
  /** Objects that must never exist. */
  readonly absent?: readonly AttackedObject[]
  /** Objects that must not change. */
  readonly unchanged?: readonly AttackedObject[]
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
    id: 'A1',
    goal: 'change the source of another team',
    tried: 'Module a1 on the hub: ConfigMap platform/web-1',
    module: 'a1',
    applied: hubModule(
      'a1',
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: web-1, namespace: ${PLATFORM}}, data: {a.yaml: mine}}`,
    ),
    refused: cannot('(create|patch) configmaps in namespace platform on hub; 1 of 1 objects are refused'),
    unchanged: [['v1', 'ConfigMap', 'web-1', PLATFORM]],
  },
  {
    id: 'A2',
    goal: 'run a Job as the controller',
    tried: 'Module a2 on the hub: a PreSync hook, Job lockstep-system/steal',
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
    id: 'A3',
    goal: 'make dev cluster-admin on every cluster of the platform',
    tried: 'Module a3 on the hub: Module platform/evil with a ClusterRoleBinding',
    module: 'a3',
    applied: hubModule(
      'a3',
      `{apiVersion: lockstep.dev/v1alpha1, kind: Module, metadata: {name: evil, namespace: ${PLATFORM}}, spec: {targets: {clusterSelector: {}}, source: {inline: {objects: [{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: pwned}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, subjects: [{kind: User, name: dev, apiGroup: rbac.authorization.k8s.io}]}]}}}}`,
    ),
    refused: cannot('create modules.lockstep.dev in namespace platform on hub'),
    absent: [['lockstep.dev/v1alpha1', 'Module', 'evil', PLATFORM]],
  },
  {
    id: 'A4',
    goal: 'get a token of an account in kube-system',
    tried: 'Module a4 on the hub: a token Secret in kube-system, from Secret a4src',
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
    id: 'A5',
    goal: 'read objects of the platform',
    tried: 'Module a5 on the hub: bindings to ConfigMap platform/web-1 and Module platform/web',
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
    id: 'A6',
    goal: 'deliver to a cluster of the platform',
    tried: 'Module a6: targets.clusterNamespace platform',
    applied: `
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: a6, namespace: ${TEAM}}
spec:
  targets: {clusterNamespace: ${PLATFORM}, clusters: [c1]}
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a6, namespace: default}}]}}
`,
    refused: /spec\.targets\.clusterNamespace: field not declared in schema/,
    absent: [['lockstep.dev/v1alpha1', 'Module', 'a6', TEAM]],
  },
  {
    id: 'A7',
    goal: 'become cluster-admin of the hub',
    tried: 'Module a7 on the hub: ClusterRoleBinding pwned-7',
    module: 'a7',
    applied: hubModule(
      'a7',
      '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: pwned-7}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, subjects: [{kind: User, name: dev, apiGroup: rbac.authorization.k8s.io}]}',
    ),
    refused: cannot('create clusterrolebindings.rbac.authorization.k8s.io on hub'),
    absent: [['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'pwned-7']],
  },
  {
    id: 'A8',
    goal: 'copy the kubeconfig of a cluster',
    tried: 'Module a8 on the hub: Module platform/courier, which copies Secret platform/c1 to team-a',
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
    id: 'A9',
    goal: 'replace a kubeconfig, add a cluster, change aws-auth',
    tried: 'Module a9 on the hub: Secrets platform/c1 and c9, ConfigMap kube-system/aws-auth',
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
]
