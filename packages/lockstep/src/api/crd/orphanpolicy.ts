/** Who may give up clusters of a deleted module: what an API server asks of whoever names them. */
import type { JsonObject } from '@lockstep/kube/object'
import { GROUP } from '../apiversion.ts'
import { ORPHAN_ANNOTATION } from '../labels.ts'
import { admissionPolicy } from './admissionpolicy.ts'

/** What the annotation says, in CEL. */
const saidBy = (o: string): string =>
  `(has(${o}.metadata.annotations) && '${ORPHAN_ANNOTATION}' in ${o}.metadata.annotations ? ${o}.metadata.annotations['${ORPHAN_ANNOTATION}'] : '')`

/** Whoever names other clusters than before may `delete` the module: it goes earlier by that. A policy and its binding. */
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
