/** A ValidatingAdmissionPolicy and its binding, for objects of the group of Lockstep. */
import type { JsonObject, JsonValue } from '@lockstep/kube/object'
import { GROUP } from '../apiversion.ts'

const ADMISSION = 'admissionregistration.k8s.io'

export interface AdmissionPolicySpec {
  readonly name: string
  readonly labels: JsonObject
  readonly operations: readonly string[]
  /** Resources of the group of Lockstep, by plural name. */
  readonly resources: readonly string[]
  /** In CEL. */
  readonly validations: readonly JsonValue[]
}

/** A failed check refuses the request: rights must not depend on chance. */
export const admissionPolicy = ({
  name,
  labels,
  operations,
  resources,
  validations,
}: AdmissionPolicySpec): JsonObject[] => [
  {
    apiVersion: `${ADMISSION}/v1`,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name, labels },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [GROUP], apiVersions: ['*'], operations, resources }],
      },
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
