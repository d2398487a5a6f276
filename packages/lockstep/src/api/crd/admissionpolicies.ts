/** All admission policies of a hub. */
import { at, type JsonObject } from '@lockstep/kube/object'
import { actAsPolicy } from './actaspolicy.ts'
import { approvalPolicy } from './approvalpolicy.ts'
import { deletionPolicy } from './deletionpolicy.ts'
import { orphanPolicy } from './orphanpolicy.ts'
import { recordsPolicy } from './recordspolicy.ts'

/** The policies and their bindings, with these labels. */
export const admissionPolicies = (labels: JsonObject): JsonObject[] =>
  [actAsPolicy, approvalPolicy, orphanPolicy, recordsPolicy, deletionPolicy].flatMap((policy) =>
    policy(labels),
  )

/** Names of the policies; a binding has the name of its policy. */
export const admissionPolicyNames = (): string[] => [
  ...new Set(admissionPolicies({}).map((o) => String(at(o, 'metadata', 'name')))),
]
