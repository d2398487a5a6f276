/** What an API server asks before it takes something of ours: a ValidatingAdmissionPolicy, and its binding. */
import type { JsonObject, JsonValue } from '@lockstep/kube/object'
import { GROUP } from '../apiversion.ts'

const ADMISSION = 'admissionregistration.k8s.io'

export interface AdmissionPolicySpec {
  readonly name: string
  readonly labels: JsonObject
  readonly operations: readonly string[]
  /** Of our group, by plural name. */
  readonly resources: readonly string[]
  /** In CEL. */
  readonly validations: readonly JsonValue[]
}

/** What cannot be asked is refused: who may do something is no matter of luck. */
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
