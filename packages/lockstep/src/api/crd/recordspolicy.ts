/** Policy for the account of the controller: the rights of records are used for records. */
import type { JsonObject } from '@lockstep/kube/object'
import {
  BUNDLE_SECRET_TYPE,
  CLUSTER_LABEL,
  KEY_SECRET,
  RENEW_ANNOTATION,
  SYSTEM_NAMESPACE,
} from '../labels.ts'
import { admissionPolicy } from './admissionpolicy.ts'

const CONTROLLER = `system:serviceaccount:${SYSTEM_NAMESPACE}:lockstep-controller`
/** Secrets that hold bundles, and the one with the keys of digests. */
const isOwn = (o: string): string =>
  `(${o} == null || ${o}.type == '${BUNDLE_SECRET_TYPE}' || (${o}.metadata.namespace == '${SYSTEM_NAMESPACE}' && ${o}.metadata.name == '${KEY_SECRET}'))`

const mapOf = (o: string, field: string): string => `(has(${o}.${field}) ? ${o}.${field} : {})`
const isSameMap = (field: string): string => `${mapOf('object', field)} == ${mapOf('oldObject', field)}`
/** All of the data but the kubeconfig. */
const isSameBeside = (one: string, other: string): string =>
  `${mapOf(one, 'data')}.all(k, k == 'kubeconfig' || (k in ${mapOf(other, 'data')} && ${one}.data[k] == ${other}.data[k]))`

/** A cluster Secret whose token is renewed, as its owner has asked: no other part of it changes. */
const isRenewal = [
  "request.operation == 'UPDATE'",
  `'${RENEW_ANNOTATION}' in ${mapOf('oldObject', 'metadata.annotations')}`,
  `'${CLUSTER_LABEL}' in ${mapOf('oldObject', 'metadata.labels')}`,
  ...['metadata.annotations', 'metadata.labels'].map(isSameMap),
  '(has(object.metadata.ownerReferences) ? object.metadata.ownerReferences : []) == (has(oldObject.metadata.ownerReferences) ? oldObject.metadata.ownerReferences : [])',
  '(has(object.metadata.finalizers) ? object.metadata.finalizers : []) == (has(oldObject.metadata.finalizers) ? oldObject.metadata.finalizers : [])',
  'object.type == oldObject.type',
  '(has(object.immutable) && object.immutable) == (has(oldObject.immutable) && oldObject.immutable)',
  isSameBeside('object', 'oldObject'),
  isSameBeside('oldObject', 'object'),
].join(' && ')

/** The controller writes no Secret but its own, renews tokens in place, and changes no `spec` that people write. */
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
        expression: `(${isOwn('object')} && ${isOwn('oldObject')}) || (${isRenewal})`,
        message: `the controller writes Secrets of type ${BUNDLE_SECRET_TYPE} and ${SYSTEM_NAMESPACE}/${KEY_SECRET}, and key kubeconfig of those with annotation ${RENEW_ANNOTATION}, only`,
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
