/** What is so where no values file says it: chart 0.9.55. Of what renders nothing here, what a null may take away. */
import type { JsonObject } from '@lockstep/kube/object'

const argoCD: JsonObject = {
  configManagementPlugins: [],
  env: [],
  initContainers: [],
  rbac: {},
  resourceActions: [],
  resourceExclusions: '',
  resourceHealthChecks: [],
  resourceTrackingMethod: 'annotation',
  volumeMounts: [],
  volumes: [],
}

export const SEQUENCE_IMAGE = 'quay.io/validatedpatterns/imperative-container:v1'

const imperative: JsonObject = {
  activeDeadlineSeconds: 3600,
  adminClusterRoleName: 'imperative-admin-cluster-role',
  adminServiceAccountCreate: true,
  adminServiceAccountName: 'imperative-admin-sa',
  ansibleDevMode: {
    ansibleCfgContent: '',
    ansibleCfgFile: 'ansible.cfg',
    enabled: false,
    requirementsContent: '',
    requirementsFile: 'requirements.yml',
  },
  clusterRoleName: 'imperative-cluster-role',
  clusterRoleYaml: '',
  cronJobName: 'imperative-cronjob',
  extraPlaybookArgs: [],
  image: SEQUENCE_IMAGE,
  imagePullPolicy: 'Always',
  insecureUnsealVaultInsideClusterSchedule: '*/5 * * * *',
  jobName: 'imperative-job',
  jobs: [],
  namespace: 'imperative',
  roleName: 'imperative-role',
  roleYaml: '',
  schedule: '*/10 * * * *',
  serviceAccountCreate: true,
  serviceAccountName: 'imperative-sa',
  valuesConfigMap: 'helm-values-configmap',
  vaultNamespace: 'vault',
  verbosity: '',
}

export const DEFAULTS: JsonObject = {
  global: {
    extraValueFiles: [],
    options: {
      applicationRetryLimit: 20,
      installPlanApproval: 'Automatic',
      syncPolicy: 'Automatic',
      useCSV: true,
    },
    pattern: 'common',
    secretLoader: { disabled: false },
    secretStore: { backend: 'vault' },
    singleArgoCD: false,
    targetRevision: 'main',
    vpArgoNamespace: 'openshift-gitops',
  },
  clusterGroup: {
    name: 'example',
    targetCluster: 'in-cluster',
    sharedValueFiles: [],
    namespaces: [],
    nodes: [],
    subscriptions: {},
    applications: {},
    extraObjects: {},
    managedClusterGroups: {},
    argoCD,
    imperative,
  },
  secretStore: { name: 'vault-backend', kind: 'ClusterSecretStore' },
}
