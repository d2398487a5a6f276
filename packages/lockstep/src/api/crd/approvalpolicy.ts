/** Policy for users who may approve: it checks every created Approval. */
import type { JsonObject } from '@lockstep/kube/object'
import { GROUP } from '../apiversion.ts'
import { admissionPolicy } from './admissionpolicy.ts'

/**
 * `approvedBy` is who asks, and may `approve` the module. A policy and its binding; an Approval cannot be changed, so that
 * only its creation matters.
 */
export const approvalPolicy = (labels: JsonObject = {}): JsonObject[] =>
  admissionPolicy({
    name: 'lockstep-approvals',
    labels,
    operations: ['CREATE'],
    resources: ['approvals'],
    validations: [
      {
        expression: 'object.spec.approvedBy == request.userInfo.username',
        messageExpression:
          "'spec.approvedBy: ' + object.spec.approvedBy + ' is not who asks, ' + request.userInfo.username",
      },
      {
        expression: `authorizer.group('${GROUP}').resource({'Module': 'modules', 'BootstrapModule': 'bootstrapmodules', 'Pipeline': 'pipelines'}[object.spec.targetRef.kind]).namespace(object.metadata.namespace).name(object.spec.targetRef.name).check('approve').allowed()`,
        messageExpression:
          "request.userInfo.username + ' may not approve ' + object.spec.targetRef.kind + ' ' + object.metadata.namespace + '/' + object.spec.targetRef.name + ': a role must allow the verb approve on it'",
        reason: 'Forbidden',
      },
    ],
  })
