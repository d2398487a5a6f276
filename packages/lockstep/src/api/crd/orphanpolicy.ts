/** Policy for users who orphan the objects of a Module on unreachable clusters. */
import type { JsonObject } from '@lockstep/kube/object'
import { GROUP } from '../apiversion.ts'
import { ORPHAN_ANNOTATION } from '../labels.ts'
import { admissionPolicy } from './admissionpolicy.ts'

/** Value of the annotation, in CEL. */
const saidBy = (o: string): string =>
  `(has(${o}.metadata.annotations) && '${ORPHAN_ANNOTATION}' in ${o}.metadata.annotations ? ${o}.metadata.annotations['${ORPHAN_ANNOTATION}'] : '')`

/** A user who names other clusters needs `delete` on the Module, since its deletion ends earlier. A policy and its binding. */
export const orphanPolicy = (labels: JsonObject = {}): JsonObject[] =>
  admissionPolicy({
    name: 'lockstep-orphans',
    labels,
    operations: ['CREATE', 'UPDATE'],
    resources: ['modules', 'bootstrapmodules'],
    validations: [
      {
        expression: `${saidBy('object')} == (oldObject == null ? '' : ${saidBy('oldObject')}) || authorizer.group('${GROUP}').resource(request.resource.resource).namespace(object.metadata.namespace).name(object.metadata.name).check('delete').allowed()`,
        messageExpression: `request.userInfo.username + ' may not orphan objects of ' + object.kind + ' ' + object.metadata.namespace + '/' + object.metadata.name + ' (annotation ${ORPHAN_ANNOTATION}): a role must allow the verb delete on it'`,
        reason: 'Forbidden',
      },
    ],
  })
