/** All rules by their names, which stay: G: traps of the chart; S: sequencing that does not hold; V: values. */

export type GroupFindingLevel = 'error' | 'warning'

interface GroupRule {
  /** What it is about, in a few words. */
  readonly name: string
  readonly level: GroupFindingLevel
  readonly text: string
  /** What to do, where a finding says nothing better. */
  readonly fix: string
}

export const clusterGroupRules = {
  G1: {
    name: 'Job of a disabled subscription',
    level: 'error',
    text: 'A subscription is disabled and its sequenceJob is not: the Job waits forever for an operator that is not installed.',
    fix: 'Disable the sequenceJob, too',
  },
  G2: {
    name: 'sequenceJob without annotations',
    level: 'error',
    text: 'A sequenceJob needs annotations on its subscription, even with its own wave: without them the chart renders nothing.',
    fix: 'Write annotations: {} on the subscription, or its wave',
  },
  G3: {
    name: 'sequenceJob without a wave',
    level: 'warning',
    text: 'Without a wave of the sequenceJob or its subscription, the Job has a null annotation and keeps wave 0 open.',
    fix: 'Set syncWave, or the annotation of the subscription',
  },
  G4: {
    name: 'OperatorGroup despite an exclude',
    level: 'warning',
    text: 'operatorgroupExcludes counts only for texts in a list of namespaces, and operatorgroupExcludeTargetNS for nothing.',
    fix: 'Write operatorGroup: false at the namespace',
  },
  G5: {
    name: 'projects beside empty argoProjects',
    level: 'error',
    text: 'The schema refuses projects where argoProjects is merely there, even empty or null.',
    fix: 'Remove argoProjects, or move all projects there',
  },
  G6: {
    name: 'list that the schema refuses',
    level: 'error',
    text: 'In lists the schema refuses the config of subscriptions, and overrides and syncPolicy of applications, that templates and OLM require.',
    fix: 'Write a map in place of the list',
  },
  G7: {
    name: 'value that loses its type',
    level: 'warning',
    text: 'The chart changes the type of a value: "5.10" becomes 5.1, yes becomes true.',
    fix: 'Write a value that has the same type with and without quotes',
  },
  G8: {
    name: 'string that disables',
    level: 'error',
    text: 'disabled is a string, and each string that is not empty disables, including "false".',
    fix: 'Write a boolean, without quotes',
  },
  S1: {
    name: 'wave that waits for no result',
    level: 'warning',
    text: 'Nothing waits for objects that operators of a wave create: a wave ensures only that subscriptions are healthy.',
    fix: 'Add a sequenceJob for what the next wave needs, such as a CustomResourceDefinition or a StorageClass',
  },
  S2: {
    name: 'sequenceJob at another time',
    level: 'warning',
    text: 'A sequenceJob runs before its subscription, or after all waves.',
    fix: 'Remove hookType and syncWave: then it is in the wave of its subscription',
  },
  S3: {
    name: 'sequenceJob without an object',
    level: 'warning',
    text: 'A sequenceJob without a type never ends; without a name it waits only until the type can be listed.',
    fix: 'Give resourceType and resourceName',
  },
  S4: {
    name: 'kind without health',
    level: 'warning',
    text: 'Argo CD has no check for Applications (since 1.8) and for ClusterExtensions: the wave after them begins at once.',
    fix: 'Add a check for the kind to clusterGroup.argoCD.resourceHealthChecks',
  },
  S5: {
    name: 'applications before operators',
    level: 'warning',
    text: 'Applications without a wave are in wave 0, before operators of later waves, and hold none open.',
    fix: 'Give them a wave behind that of the operators they need',
  },
  S6: {
    name: 'wave that is not a number',
    level: 'warning',
    text: 'A wave is not a whole number: Argo CD treats it as 0.',
    fix: 'Write a whole number in quotes, such as "5"',
  },
  S7: {
    name: 'Job without rights',
    level: 'warning',
    text: 'Waiting Jobs run as ServiceAccount default without rights from these files: oc get is refused, and they wait forever.',
    fix: 'Bind a role that may get these objects to it, by extraObjects or the values of vp-rbac',
  },
  S8: {
    name: 'dry run before the API',
    level: 'warning',
    text: 'A custom resource needs an API that an operator creates: the first dry run of Argo CD fails.',
    fix: 'Annotate it with argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true',
  },
  V1: {
    name: 'refused by the schema',
    level: 'error',
    text: 'The schema of the chart refuses a value: nothing is rendered.',
    fix: 'Correct the value as the message describes',
  },
  V2: {
    name: 'not rendered',
    level: 'error',
    text: 'A template fails at a value, or its output is invalid YAML.',
    fix: 'Correct the value as the message describes',
  },
  V3: {
    name: 'key that nothing reads',
    level: 'warning',
    text: 'A subscription, or its sequenceJob, in a map has a key that no template reads.',
    fix: 'Remove it',
  },
} as const satisfies Record<string, GroupRule>

export type ClusterGroupRuleId = keyof typeof clusterGroupRules

export const clusterGroupRuleIds = Object.keys(clusterGroupRules) as ClusterGroupRuleId[]
