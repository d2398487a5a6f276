/** Shapes of what renders nothing here: values are refused all the same where the chart refuses them. */

import { flagShape, listShape, mapShape, mapShapeOf, textShape, textsShape } from './mapshape.ts'
import type { ValuesShape } from './shape.ts'

const closed = { closed: true } as const

const plugin = mapShapeOf(
  {
    name: textShape,
    image: textShape,
    imagePullPolicy: textShape,
    env: listShape,
    volumeMounts: listShape,
    pluginConfig: textShape,
    pluginArgs: listShape,
  },
  { closed: true, needs: ['name', 'image'] },
)

export const argoCDUnusedShapes = mapShapeOf(
  {
    configManagementPlugins: { ...listShape, items: plugin },
    initContainers: listShape,
    volumes: listShape,
    volumeMounts: listShape,
    env: listShape,
    resourceTrackingMethod: { ...textShape, oneOf: ['annotation', 'label', 'annotation+label'] },
    resourceExclusions: textShape,
    resourceHealthChecks: {
      ...listShape,
      items: mapShapeOf({ check: textShape, group: textShape, kind: textShape }, closed),
    },
    resourceActions: {
      ...listShape,
      items: mapShapeOf({ action: textShape, group: textShape, kind: textShape }, closed),
    },
    rbac: mapShape,
  },
  closed,
)

const job = mapShapeOf(
  {
    name: textShape,
    playbook: textShape,
    timeout: { is: ['whole', 'text'] },
    image: textShape,
    tags: textShape,
    extravars: listShape,
    verbosity: textShape,
  },
  { closed: true, needs: ['name', 'playbook'] },
)

const ansible = mapShapeOf(
  {
    enabled: flagShape,
    requirementsFile: textShape,
    requirementsContent: textShape,
    ansibleCfgFile: textShape,
    ansibleCfgContent: textShape,
  },
  { closed: true, needs: ['enabled'] },
)

const VERBOSITY = ['', '-v', '-vv', '-vvv', '-vvvv']

export const imperativeUnusedShapes = mapShapeOf(
  {
    jobs: { ...listShape, items: job },
    image: textShape,
    ansibleDevMode: ansible,
    namespace: { ...textShape, oneOf: ['imperative'] },
    serviceAccountCreate: flagShape,
    valuesConfigMap: textShape,
    cronJobName: textShape,
    jobName: textShape,
    imagePullPolicy: { ...textShape, oneOf: ['Always', 'IfNotPresent', 'Never'] },
    activeDeadlineSeconds: { is: ['whole'] },
    schedule: textShape,
    insecureUnsealVaultInsideClusterSchedule: textShape,
    verbosity: { ...textShape, oneOf: VERBOSITY },
    extraPlaybookArgs: textsShape,
    serviceAccountName: textShape,
    clusterRoleName: textShape,
    clusterRoleYaml: { is: ['text', 'list'] },
    roleName: textShape,
    roleYaml: textShape,
    adminServiceAccountCreate: flagShape,
    adminServiceAccountName: textShape,
    adminClusterRoleName: textShape,
    vaultNamespace: textShape,
  },
  { closed: true, needs: ['jobs'] },
)

const nameAndValue = (value: ValuesShape): ValuesShape =>
  mapShapeOf({ name: textShape, value }, { closed: true, needs: ['name', 'value'] })

export const managedGroupUnusedShapes = mapShapeOf(
  {
    name: textShape,
    targetRevision: textShape,
    acmlabels: { ...listShape, items: nameAndValue(textShape) },
    clusterPools: mapShape,
    clusterDeployments: mapShape,
    clusterSelector: mapShape,
    helmOverrides: { ...listShape, items: nameAndValue({ is: ['text', 'flag'] }) },
  },
  closed,
)
