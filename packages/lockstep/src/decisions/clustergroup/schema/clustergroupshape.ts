/** Which values there may be: the rules of the chart's schema, 0.9.55. Items are looked at in lists only; maps are free. */
import type { JsonValue } from '../../../../../kube/src/object/index.ts'
import { isArray, isObject } from '../../../../../kube/src/object/index.ts'
import type { Shape } from './shape.ts'
import { argoCD, imperative, managedClusterGroup } from './unusedshapes.ts'
import { flag, list, map, shapeOf, text, texts } from './mapshape.ts'
import type { More } from '../values/trap.ts'

const sequenceJob = shapeOf(
  {
    syncWave: text,
    resourceType: text,
    resourceName: text,
    resourceNamespace: text,
    hookType: text,
    image: text,
    command: list,
    disabled: flag,
  },
  { closed: true },
)

const inMapForm = (of: string): More => ({
  todo: `write the ${of} as a map: there the schema looks at nothing`,
  trap: 'G6',
})

const subscription = shapeOf(
  {
    name: text,
    namespaces: list,
    namespace: text,
    sourceNamespace: text,
    source: text,
    channel: text,
    csv: text,
    installPlanApproval: { ...text, oneOf: ['Manual', 'Automatic'] },
    annotations: map,
    // A list, although OLM wants a map: in draft 7 what stands beside a reference counts for nothing.
    config: { ...list, trapped: { ...inMapForm('subscriptions'), is: 'map' } },
    disabled: flag,
    sequenceJob,
    channels: texts,
    version: text,
    upgradeConstraintPolicy: text,
    serviceAccountName: text,
  },
  { closed: true, needs: ['name'] },
)

/** What a subscription, and its sequenceJob, may have. */
export const SUBSCRIPTION_KEYS = Object.keys(subscription.members!)
export const SEQUENCE_JOB_KEYS = Object.keys(sequenceJob.members!)

const hasBoth: Shape['problem'] = (v) =>
  v.project === undefined || v.argoProject === undefined
    ? undefined
    : { what: 'project and argoProject are both there', todo: 'keep argoProject' }

const application = shapeOf(
  {
    name: text,
    repoURL: text,
    targetRevision: text,
    chart: text,
    chartVersion: text,
    kustomize: flag,
    plugin: map,
    extraValueFiles: list,
    extraHubClusterDomainFields: list,
    extraLocalClusterDomainFields: list,
    extraRepoURLFields: list,
    extraTargetRevisionFields: list,
    extraNamespaceFields: list,
    extraPatternNameFields: list,
    // Maps, although templates take lists and words of them, too: the map form of applications has these.
    overrides: { ...map, trapped: { ...inMapForm('applications'), is: 'list' } },
    syncPolicy: { ...map, trapped: { ...inMapForm('applications'), is: 'text' } },
    fileParameters: list,
    ignoreDifferences: list,
    namespace: text,
    project: text,
    argoProject: text,
    path: text,
    annotations: map,
    disabled: flag,
  },
  { needs: ['name'], problem: hasBoth },
)

const named: Shape = { members: { name: text, labels: map, annotations: map } }
const namespace: Shape = {
  is: ['text', 'map'],
  members: { ...named.members, disabled: flag },
}

const listOrMap = (items: Shape): Shape => ({ is: ['list', 'map'], items })
const listMapOrNull = (items: Shape): Shape => ({ is: ['list', 'map', 'null'], items })

const isFilled = (v: JsonValue | undefined): boolean =>
  isArray(v) ? v.length > 0 : isObject(v) && Object.keys(v).length > 0

/** As the chart has it: that argoProjects is there at all is enough. */
const twoProjects: Shape['problem'] = (v) => {
  if (!isFilled(v.projects) || v.argoProjects === undefined) return undefined
  const said = { what: 'projects and argoProjects are both there', todo: 'move all to argoProjects' }
  return isFilled(v.argoProjects) ? said : { ...said, trap: 'G5' }
}

const clusterGroup = shapeOf(
  {
    name: text,
    targetCluster: text,
    isHubCluster: { is: ['flag', 'null'] },
    sharedValueFiles: list,
    scheduler: map,
    namespaces: listOrMap(namespace),
    nodes: listOrMap({ is: ['map'], ...named }),
    indexImages: listOrMap({ members: { name: text, image: text }, closed: true, is: ['map'] }),
    operatorgroupExcludes: texts,
    operatorgroupExcludeTargetNS: texts,
    subscriptions: listMapOrNull(subscription),
    argoProjects: listMapOrNull(text),
    projects: listMapOrNull(text),
    applications: listOrMap(application),
    argoCD,
    imperative,
    extraObjects: map,
    managedClusterGroups: listOrMap(managedClusterGroup),
  },
  { closed: true, needs: ['applications', 'name', 'namespaces'], problem: twoProjects },
)

const options = shapeOf(
  {
    useCSV: flag,
    syncPolicy: text,
    installPlanApproval: text,
    autoApproveManualInstallPlans: flag,
    applicationRetryLimit: { is: ['whole'] },
  },
  { closed: true, needs: ['installPlanApproval', 'syncPolicy', 'useCSV'] },
)

const global = shapeOf(
  {
    pattern: text,
    clusterDomain: text,
    localClusterDomain: text,
    targetRevision: text,
    repoURL: text,
    hubClusterDomain: text,
    namespace: text,
    git: shapeOf({ hostname: text, account: text, email: text, dev_revision: text }),
    options,
    secretStore: shapeOf({ backend: text }, { closed: true }),
    deletePattern: text,
    gitOpsSubNamespace: text,
    singleArgoCD: flag,
  },
  { needs: ['options'] },
)

const main = shapeOf(
  {
    clusterGroupName: text,
    multiSourceRepoUrl: text,
    extraParameters: list,
    experimentalCapabilities: text,
    git: shapeOf({ repoUpstreamURL: text, repoURL: text, revision: text }, { closed: true }),
    gitops: shapeOf({ channel: text, operatorSource: text }),
    patternsOperator: shapeOf({ channel: text, source: text }),
    multiSourceConfig: shapeOf({ enabled: flag, helmRepoUrl: text }),
    analyticsUUID: text,
  },
  { needs: ['clusterGroupName'] },
)

/** All values. */
export const VALUES: Shape = {
  members: {
    global,
    clusterGroup,
    main,
    secretLoader: shapeOf({ disabled: flag }, { closed: true }),
    secretStore: shapeOf({ name: text, kind: text }, { closed: true, needs: ['name', 'kind'] }),
  },
  needs: ['clusterGroup', 'global'],
}
