/** Which values there may be: the rules of the chart's schema, 0.9.55. Items are looked at in lists only; maps are free. */
import { isArray, isObject, type JsonValue } from '@lockstep/kube/object'
import type { TrapDetails } from '../values/trap.ts'
import { flagShape, listShape, mapShape, mapShapeOf, textShape, textsShape } from './mapshape.ts'
import type { ValuesShape } from './shape.ts'
import { argoCDUnusedShapes, imperativeUnusedShapes, managedGroupUnusedShapes } from './unusedshapes.ts'

const sequenceJob = mapShapeOf(
  {
    syncWave: textShape,
    resourceType: textShape,
    resourceName: textShape,
    resourceNamespace: textShape,
    hookType: textShape,
    image: textShape,
    command: listShape,
    disabled: flagShape,
  },
  { closed: true },
)

const inMapForm = (of: string): TrapDetails => ({
  todo: `write the ${of} as a map: the schema checks only maps`,
  trap: 'G6',
})

const subscription = mapShapeOf(
  {
    name: textShape,
    namespaces: listShape,
    namespace: textShape,
    sourceNamespace: textShape,
    source: textShape,
    channel: textShape,
    csv: textShape,
    installPlanApproval: { ...textShape, oneOf: ['Manual', 'Automatic'] },
    annotations: mapShape,
    // A list, although OLM wants a map: in draft 7 what stands beside a reference counts for nothing.
    config: { ...listShape, trapped: { ...inMapForm('subscriptions'), is: 'map' } },
    disabled: flagShape,
    sequenceJob,
    channels: textsShape,
    version: textShape,
    upgradeConstraintPolicy: textShape,
    serviceAccountName: textShape,
  },
  { closed: true, needs: ['name'] },
)

/** What a subscription, and its sequenceJob, may have. */
export const SUBSCRIPTION_KEYS = Object.keys(subscription.members!)
export const SEQUENCE_JOB_KEYS = Object.keys(sequenceJob.members!)

const hasBoth: ValuesShape['problem'] = (v) =>
  v.project === undefined || v.argoProject === undefined
    ? undefined
    : { what: 'project and argoProject are both there', todo: 'keep argoProject' }

const application = mapShapeOf(
  {
    name: textShape,
    repoURL: textShape,
    targetRevision: textShape,
    chart: textShape,
    chartVersion: textShape,
    kustomize: flagShape,
    plugin: mapShape,
    extraValueFiles: listShape,
    extraHubClusterDomainFields: listShape,
    extraLocalClusterDomainFields: listShape,
    extraRepoURLFields: listShape,
    extraTargetRevisionFields: listShape,
    extraNamespaceFields: listShape,
    extraPatternNameFields: listShape,
    // Maps, although templates take lists and words of them, too: the map form of applications has these.
    overrides: { ...mapShape, trapped: { ...inMapForm('applications'), is: 'list' } },
    syncPolicy: { ...mapShape, trapped: { ...inMapForm('applications'), is: 'text' } },
    fileParameters: listShape,
    ignoreDifferences: listShape,
    namespace: textShape,
    project: textShape,
    argoProject: textShape,
    path: textShape,
    annotations: mapShape,
    disabled: flagShape,
  },
  { needs: ['name'], problem: hasBoth },
)

const named: ValuesShape = { members: { name: textShape, labels: mapShape, annotations: mapShape } }
const namespace: ValuesShape = {
  is: ['text', 'map'],
  members: { ...named.members, disabled: flagShape },
}

const listOrMap = (items: ValuesShape): ValuesShape => ({ is: ['list', 'map'], items })
const listMapOrNull = (items: ValuesShape): ValuesShape => ({ is: ['list', 'map', 'null'], items })

const isFilled = (v: JsonValue | undefined): boolean =>
  isArray(v) ? v.length > 0 : isObject(v) && Object.keys(v).length > 0

/** As the chart has it: that argoProjects is there at all is enough. */
const twoProjects: ValuesShape['problem'] = (v) => {
  if (!isFilled(v.projects) || v.argoProjects === undefined) return undefined
  const said = { what: 'projects and argoProjects are both there', todo: 'move all to argoProjects' }
  return isFilled(v.argoProjects) ? said : { ...said, trap: 'G5' }
}

const clusterGroup = mapShapeOf(
  {
    name: textShape,
    targetCluster: textShape,
    isHubCluster: { is: ['flag', 'null'] },
    sharedValueFiles: listShape,
    scheduler: mapShape,
    namespaces: listOrMap(namespace),
    nodes: listOrMap({ is: ['map'], ...named }),
    indexImages: listOrMap({ members: { name: textShape, image: textShape }, closed: true, is: ['map'] }),
    operatorgroupExcludes: textsShape,
    operatorgroupExcludeTargetNS: textsShape,
    subscriptions: listMapOrNull(subscription),
    argoProjects: listMapOrNull(textShape),
    projects: listMapOrNull(textShape),
    applications: listOrMap(application),
    argoCD: argoCDUnusedShapes,
    imperative: imperativeUnusedShapes,
    extraObjects: mapShape,
    managedClusterGroups: listOrMap(managedGroupUnusedShapes),
  },
  { closed: true, needs: ['applications', 'name', 'namespaces'], problem: twoProjects },
)

const options = mapShapeOf(
  {
    useCSV: flagShape,
    syncPolicy: textShape,
    installPlanApproval: textShape,
    autoApproveManualInstallPlans: flagShape,
    applicationRetryLimit: { is: ['whole'] },
  },
  { closed: true, needs: ['installPlanApproval', 'syncPolicy', 'useCSV'] },
)

const global = mapShapeOf(
  {
    pattern: textShape,
    clusterDomain: textShape,
    localClusterDomain: textShape,
    targetRevision: textShape,
    repoURL: textShape,
    hubClusterDomain: textShape,
    namespace: textShape,
    git: mapShapeOf({ hostname: textShape, account: textShape, email: textShape, dev_revision: textShape }),
    options,
    secretStore: mapShapeOf({ backend: textShape }, { closed: true }),
    deletePattern: textShape,
    gitOpsSubNamespace: textShape,
    singleArgoCD: flagShape,
  },
  { needs: ['options'] },
)

const main = mapShapeOf(
  {
    clusterGroupName: textShape,
    multiSourceRepoUrl: textShape,
    extraParameters: listShape,
    experimentalCapabilities: textShape,
    git: mapShapeOf(
      { repoUpstreamURL: textShape, repoURL: textShape, revision: textShape },
      { closed: true },
    ),
    gitops: mapShapeOf({ channel: textShape, operatorSource: textShape }),
    patternsOperator: mapShapeOf({ channel: textShape, source: textShape }),
    multiSourceConfig: mapShapeOf({ enabled: flagShape, helmRepoUrl: textShape }),
    analyticsUUID: textShape,
  },
  { needs: ['clusterGroupName'] },
)

/** All values. */
export const CLUSTER_GROUP_SHAPE: ValuesShape = {
  members: {
    global,
    clusterGroup,
    main,
    secretLoader: mapShapeOf({ disabled: flagShape }, { closed: true }),
    secretStore: mapShapeOf({ name: textShape, kind: textShape }, { closed: true, needs: ['name', 'kind'] }),
  },
  needs: ['clusterGroup', 'global'],
}
