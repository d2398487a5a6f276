/** Policy for the account of the controller: the rights of records are used for records. */
import type { JsonObject } from '@lockstep/kube/object'
import { BUNDLE_SECRET_TYPE, KEY_SECRET, SYSTEM_NAMESPACE } from '../labels.ts'
import { admissionPolicy } from './admissionpolicy.ts'

const CONTROLLER = `system:serviceaccount:${SYSTEM_NAMESPACE}:lockstep-controller`
/** Secrets that hold bundles, and the one with the keys of digests. */
const isOwn = (o: string): string =>
  `(${o} == null || ${o}.type == '${BUNDLE_SECRET_TYPE}' || (${o}.metadata.namespace == '${SYSTEM_NAMESPACE}' && ${o}.metadata.name == '${KEY_SECRET}'))`

/** The controller writes no Secret but its own, and no `spec` that people write. */
export const recordsPolicy = (labels: JsonObject = {}): JsonObject[] => [
  ...admissionPolicy({
    name: 'lockstep-records',
    labels,
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    others: [{ group: '', version: 'v1', resources: ['secrets'] }],
    matchConditions: [
      { name: 'by-the-controller', expression: `request.userInfo.username == '${CONTROLLER}'` },
    ],
    validations: [
      {
        expression: `${isOwn('object')} && ${isOwn('oldObject')}`,
        message: `the controller writes Secrets of type ${BUNDLE_SECRET_TYPE} and ${SYSTEM_NAMESPACE}/${KEY_SECRET} only`,
        reason: 'Forbidden',
      },
    ],
  }),
  ...admissionPolicy({
    name: 'lockstep-specs',
    labels,
    operations: ['UPDATE'],
    resources: ['modules', 'bootstrapmodules', 'pipelines'],
    matchConditions: [
      { name: 'by-the-controller', expression: `request.userInfo.username == '${CONTROLLER}'` },
    ],
    validations: [
      {
        expression: 'object.spec == oldObject.spec',
        message: 'the controller changes no spec: it acts as the account of the object for that',
        reason: 'Forbidden',
      },
    ],
  }),
]
