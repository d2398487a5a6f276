/** All attacks: those that the demo plays, and more. */
import {
  type Attack,
  attacks,
  PLATFORM,
  TEAM,
} from '../../packages/lockstep/src/cli/commands/demo/tenancy/attacks.ts'

export interface AttackCase extends Attack {
  /** The Pipeline whose status has the refusal. */
  readonly pipeline?: string
}

export const attackCases: readonly AttackCase[] = [
  ...attacks,
  {
    id: 'A10',
    goal: 'ask a Secret of the platform bit by bit',
    tried: 'Module a10: a dependency with readyExpr on Secret platform/c1',
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
    refused:
      /Forbidden: .*:lockstep-deployer cannot (get|list|watch) secrets\/c1 in namespace platform on hub/,
    absent: [['v1', 'ConfigMap', 'a10', TEAM]],
  },
  {
    id: 'A11',
    goal: 'change a Module of the platform',
    tried: 'Pipeline a11: strategy module, target platform',
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
    id: 'A10',
    goal: 'read the data of a Secret in an expression',
    tried: 'Module a10b: a dependency with readyExpr on Secret own',
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
