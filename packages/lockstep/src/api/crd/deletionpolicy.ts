/** Policy for users who delete, with one request, the configuration of all clusters. */
import { at, type JsonObject, type Stored } from '@lockstep/kube/object'
import { GROUP } from '../apiversion.ts'
import { CONFIRM_DELETION_ANNOTATION, PROTECTED_LABEL } from '../labels.ts'
import { admissionPolicy } from './admissionpolicy.ts'

const confirmed = `has(oldObject.metadata.annotations) && '${CONFIRM_DELETION_ANNOTATION}' in oldObject.metadata.annotations && oldObject.metadata.annotations['${CONFIRM_DELETION_ANNOTATION}'] == oldObject.metadata.uid`

/** The policy below asks for a confirmation of its deletion. */
export const isProtected = (o: Stored): boolean =>
  o.kind === 'CustomResourceDefinition'
    ? at(o, 'spec', 'group') === GROUP
    : o.kind === 'Namespace' && o.metadata.labels?.[PROTECTED_LABEL] === 'true'

/** CRDs of Lockstep, and Namespaces with Modules: the uid of the object in an annotation confirms the deletion. */
export const deletionPolicy = (labels: JsonObject = {}): JsonObject[] =>
  admissionPolicy({
    name: 'lockstep-deletion',
    labels,
    operations: ['DELETE'],
    others: [
      { group: 'apiextensions.k8s.io', version: '*', resources: ['customresourcedefinitions'] },
      { group: '', version: 'v1', resources: ['namespaces'] },
    ],
    matchConditions: [
      {
        name: 'of-lockstep',
        expression:
          `oldObject != null && (request.resource.resource == 'customresourcedefinitions' ? oldObject.spec.group == '${GROUP}' : ` +
          `has(oldObject.metadata.labels) && '${PROTECTED_LABEL}' in oldObject.metadata.labels && oldObject.metadata.labels['${PROTECTED_LABEL}'] == 'true')`,
      },
    ],
    validations: [
      {
        expression: confirmed,
        // Short: clients show the first 160 characters or so of what a server says.
        messageExpression: `'to delete ' + (request.resource.resource == 'namespaces' ? 'Namespace ' : '') + oldObject.metadata.name + ' and its objects, set annotation ${CONFIRM_DELETION_ANNOTATION}: ' + oldObject.metadata.uid`,
        reason: 'Forbidden',
      },
    ],
  })
