/** Platforms as they are delivered to a cluster whose API is real: one module each, all objects in one unit. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { sharedData } from '../shareddata.ts'

export interface PlatformDelivery {
  readonly title: string
  /** Without it, if it has one, the case cannot run. */
  readonly folder?: string
  /** Path in the module's folder, and text. */
  files(): Readonly<Record<string, string>>
  /** Where objects go that name none. */
  readonly namespace?: string
  /** The group that it defines, and has objects of. */
  readonly defines?: string
  readonly jobs?: {
    readonly namespace: string
    readonly names: readonly string[]
    /** What another version of them differs in. */
    readonly image: RegExp
    readonly other: string
  }
}

/** Its backend would have to answer, and there is no Pod network. */
const NEEDS_PODS = 'prometheusAdapter-apiService.yaml'

/** A folder of manifests that people run. */
function corpus(folder: string, more: Partial<PlatformDelivery> = {}): PlatformDelivery {
  const root = sharedData(join('corpus/platform', folder))
  return {
    title: folder,
    folder: root,
    files() {
      const out: Record<string, string> = {}
      for (const e of readdirSync(root, { recursive: true, withFileTypes: true })) {
        if (!e.name.endsWith('.yaml') || e.name === NEEDS_PODS) continue
        const path = join(e.parentPath, e.name)
        out[relative(root, path)] = readFileSync(path, 'utf8')
      }
      if (more.namespace)
        out['namespace.yaml'] = `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${more.namespace}}\n`
      return out
    },
    ...more,
  }
}

/**
 * Small, and everything that makes order matter: what comes first is in the last files. A namespace waits for half the
 * grace of the Pods that it finds when it is deleted.
 */
const smithy: PlatformDelivery = {
  title: 'a platform of ours',
  defines: 'smithy.x.test',
  jobs: {
    namespace: 'smithy',
    names: ['admission-create', 'admission-patch'],
    image: /certgen:v1/g,
    other: 'certgen:v2',
  },
  files: () => ({
    'a-anvils.yaml': [1, 2, 3].map(anvil).join('---\n'),
    'b-workloads.yaml': WORKLOADS,
    'c-admission.yaml': ADMISSION,
    'd-rights.yaml': RIGHTS,
    'e-anvil-crd.yaml': DEFINITION,
    'f-namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: smithy}\n',
  }),
}

const anvil = (weight: number): string => `apiVersion: smithy.x.test/v1
kind: Anvil
metadata: {name: anvil-${weight}, namespace: smithy}
spec: {weight: ${weight}}
`

const WORKLOADS = `apiVersion: apps/v1
kind: Deployment
metadata: {name: controller, namespace: smithy}
spec:
  selector: {matchLabels: {app: controller}}
  template:
    metadata: {labels: {app: controller}}
    spec:
      terminationGracePeriodSeconds: 1
      serviceAccountName: controller
      containers:
        - {name: main, image: "controller:v1", envFrom: [{configMapRef: {name: settings}}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: smithy}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: "agent:v1"}]
---
apiVersion: v1
kind: Service
metadata: {name: controller, namespace: smithy}
spec:
  selector: {app: controller}
  ports: [{port: 443, targetPort: 8443}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: smithy}
data: {level: info}
`

const jobOf = (name: string): string => `apiVersion: batch/v1
kind: Job
metadata: {name: ${name}, namespace: smithy}
spec:
  template:
    spec:
      restartPolicy: OnFailure
      terminationGracePeriodSeconds: 1
      serviceAccountName: controller
      containers: [{name: main, image: "certgen:v1"}]
`

const ADMISSION = `${jobOf('admission-create')}---
${jobOf('admission-patch')}---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: smithy-admission}
webhooks:
  - name: anvils.smithy.x.test
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Fail
    rules: [{apiGroups: [smithy.x.test], apiVersions: [v1], operations: [CONNECT], resources: [anvils]}]
    clientConfig: {service: {name: controller, namespace: smithy, path: /anvils}}
`

const RIGHTS = `apiVersion: v1
kind: ServiceAccount
metadata: {name: controller, namespace: smithy}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: controller, namespace: smithy}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: controller}
subjects: [{kind: ServiceAccount, name: controller, namespace: smithy}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: controller, namespace: smithy}
rules: [{apiGroups: [smithy.x.test], resources: [anvils], verbs: [get, list, watch]}]
`

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: anvils.smithy.x.test}
spec:
  group: smithy.x.test
  scope: Namespaced
  names: {kind: Anvil, plural: anvils, singular: anvil, listKind: AnvilList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, required: [weight], properties: {weight: {type: integer, minimum: 1}}}
`

export const ours: readonly PlatformDelivery[] = [smithy]

/** Those of people in which most depends on order. */
export const sharp: readonly PlatformDelivery[] = [
  corpus('kube-prometheus', { defines: 'monitoring.coreos.com' }),
  corpus('ingress-nginx', {
    jobs: {
      namespace: 'ingress-nginx',
      names: ['ingress-nginx-admission-create', 'ingress-nginx-admission-patch'],
      image: /kube-webhook-certgen:v[^\s@]+/g,
      other: 'kube-webhook-certgen:v99.0.0',
    },
  }),
]

export const others: readonly PlatformDelivery[] = [
  corpus('calico'),
  corpus('metallb'),
  corpus('cert-manager'),
  corpus('podinfo', { namespace: 'podinfo' }),
  corpus('argo-cd', { namespace: 'argocd' }),
]
