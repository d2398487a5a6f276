/** A ValidatingAdmissionPolicy and its binding, for objects of the group of Lockstep. */
import type { JsonObject, JsonValue } from '@lockstep/kube/object'
import { GROUP } from '../apiversion.ts'

const ADMISSION = 'admissionregistration.k8s.io'

interface ResourceRule {
  readonly group: string
  readonly version: string
  readonly resources: readonly string[]
  readonly operations?: readonly string[]
}

export interface AdmissionPolicySpec {
  readonly name: string
  readonly labels: JsonObject
  readonly operations: readonly string[]
  /** Resources of the group of Lockstep, by plural name. */
  readonly resources?: readonly string[]
  /** Resources of other groups. */
  readonly others?: readonly ResourceRule[]
  /** In CEL: requests that are checked; absent: all. */
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[]
  /** In CEL, by name. */
  readonly variables?: readonly { readonly name: string; readonly expression: string }[]
  /** In CEL. */
  readonly validations: readonly JsonValue[]
}

/** A failed check refuses the request: rights must not depend on chance. */
export const admissionPolicy = ({
  name,
  labels,
  operations,
  resources = [],
  others = [],
  matchConditions,
  variables,
  validations,
}: AdmissionPolicySpec): JsonObject[] => [
  {
    apiVersion: `${ADMISSION}/v1`,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name, labels },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          ...(resources.length === 0
            ? []
            : [{ apiGroups: [GROUP], apiVersions: ['*'], operations, resources }]),
          ...others.map((o) => ({
            apiGroups: [o.group],
            apiVersions: [o.version],
            operations: o.operations ?? operations,
            resources: o.resources,
          })),
        ],
      },
      ...(matchConditions ? { matchConditions: [...matchConditions] } : {}),
      ...(variables ? { variables: [...variables] } : {}),
      validations,
    },
  },
  {
    apiVersion: `${ADMISSION}/v1`,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name, labels },
    spec: { policyName: name, validationActions: ['Deny'] },
  },
]
