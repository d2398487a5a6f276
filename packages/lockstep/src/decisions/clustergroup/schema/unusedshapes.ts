/** Shapes of what renders nothing here: values are refused all the same where the chart refuses them. */
import type { Shape } from './shape.ts'
import { flag, list, map, shapeOf, text, texts } from './mapshape.ts'

const closed = { closed: true } as const

const plugin = shapeOf(
  {
    name: text,
    image: text,
    imagePullPolicy: text,
    env: list,
    volumeMounts: list,
    pluginConfig: text,
    pluginArgs: list,
  },
  { closed: true, needs: ['name', 'image'] },
)

export const argoCD = shapeOf(
  {
    configManagementPlugins: { ...list, items: plugin },
    initContainers: list,
    volumes: list,
    volumeMounts: list,
    env: list,
    resourceTrackingMethod: { ...text, oneOf: ['annotation', 'label', 'annotation+label'] },
    resourceExclusions: text,
    resourceHealthChecks: { ...list, items: shapeOf({ check: text, group: text, kind: text }, closed) },
    resourceActions: { ...list, items: shapeOf({ action: text, group: text, kind: text }, closed) },
    rbac: map,
  },
  closed,
)

const job = shapeOf(
  {
    name: text,
    playbook: text,
    timeout: { is: ['whole', 'text'] },
    image: text,
    tags: text,
    extravars: list,
    verbosity: text,
  },
  { closed: true, needs: ['name', 'playbook'] },
)

const ansible = shapeOf(
  {
    enabled: flag,
    requirementsFile: text,
    requirementsContent: text,
    ansibleCfgFile: text,
    ansibleCfgContent: text,
  },
  { closed: true, needs: ['enabled'] },
)

const VERBOSITY = ['', '-v', '-vv', '-vvv', '-vvvv']

export const imperative = shapeOf(
  {
    jobs: { ...list, items: job },
    image: text,
    ansibleDevMode: ansible,
    namespace: { ...text, oneOf: ['imperative'] },
    serviceAccountCreate: flag,
    valuesConfigMap: text,
    cronJobName: text,
    jobName: text,
    imagePullPolicy: { ...text, oneOf: ['Always', 'IfNotPresent', 'Never'] },
    activeDeadlineSeconds: { is: ['whole'] },
    schedule: text,
    insecureUnsealVaultInsideClusterSchedule: text,
    verbosity: { ...text, oneOf: VERBOSITY },
    extraPlaybookArgs: texts,
    serviceAccountName: text,
    clusterRoleName: text,
    clusterRoleYaml: { is: ['text', 'list'] },
    roleName: text,
    roleYaml: text,
    adminServiceAccountCreate: flag,
    adminServiceAccountName: text,
    adminClusterRoleName: text,
    vaultNamespace: text,
  },
  { closed: true, needs: ['jobs'] },
)

const nameAndValue = (value: Shape): Shape =>
  shapeOf({ name: text, value }, { closed: true, needs: ['name', 'value'] })

export const managedClusterGroup = shapeOf(
  {
    name: text,
    targetRevision: text,
    acmlabels: { ...list, items: nameAndValue(text) },
    clusterPools: map,
    clusterDeployments: map,
    clusterSelector: map,
    helmOverrides: { ...list, items: nameAndValue({ is: ['text', 'flag'] }) },
  },
  closed,
)
