/** Policy for users who name the ServiceAccount that a Module acts as. */
import type { JsonObject } from '@lockstep/kube/object'
import { DEFAULT_SERVICE_ACCOUNT } from '../account.ts'
import { ADDONS_GROUP, resourceSetKinds } from '../kinds/index.ts'
import { SERVICE_ACCOUNT_ANNOTATION } from '../labels.ts'
import { admissionPolicy } from './admissionpolicy.ts'

/** Annotation of a ClusterResourceSet, in CEL. */
const annotated = `has(object.metadata.annotations) && '${SERVICE_ACCOUNT_ANNOTATION}' in object.metadata.annotations`

/**
 * A user who writes the tasks of an account needs `impersonate` on it: a Module gives no right that kubectl --as would not
 * give. Checked for each change of the spec, also by controllers: a Module that is applied by a Module is asked for by
 * the account of that one.
 */
export const actAsPolicy = (labels: JsonObject = {}): JsonObject[] =>
  admissionPolicy({
    name: 'lockstep-act-as',
    labels,
    operations: ['CREATE', 'UPDATE'],
    resources: ['modules', 'bootstrapmodules', 'pipelines'],
    others: [{ group: ADDONS_GROUP, version: '*', resources: [resourceSetKinds[0]!.plural] }],
    matchConditions: [
      {
        name: 'what-the-account-is-to-do-changes',
        expression:
          'oldObject == null || object.spec != oldObject.spec || ' +
          `(${annotated} ? object.metadata.annotations['${SERVICE_ACCOUNT_ANNOTATION}'] : '') != ` +
          `(${annotated.replaceAll('object', 'oldObject')} ? oldObject.metadata.annotations['${SERVICE_ACCOUNT_ANNOTATION}'] : '')`,
      },
    ],
    variables: [
      {
        name: 'account',
        expression:
          `has(object.spec.serviceAccountName) ? object.spec.serviceAccountName : ` +
          `(${annotated} ? object.metadata.annotations['${SERVICE_ACCOUNT_ANNOTATION}'] : '${DEFAULT_SERVICE_ACCOUNT}')`,
      },
    ],
    validations: [
      {
        expression:
          "authorizer.group('').resource('serviceaccounts').namespace(object.metadata.namespace).name(variables.account).check('impersonate').allowed()",
        messageExpression:
          "request.userInfo.username + ' may not act as ServiceAccount ' + object.metadata.namespace + '/' + variables.account + ': a role must allow the verb impersonate on it'",
        reason: 'Forbidden',
      },
    ],
  })
