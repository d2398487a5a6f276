/** Who asks, as the server knows it: an Approval names nobody else. */
import { selfSubjectReviewKind } from '../../../../../kube/src/kinds/types.ts'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { ok, type Result } from '../../../../../kube/src/env/result.ts'
import type { CommandContext } from '../command.ts'
import { type CliFailure, requestFailure } from '../clifailure.ts'
import type { HubConnection } from './hub.ts'

export async function whoAmI(c: CommandContext, hub: HubConnection): Promise<Result<string, CliFailure>> {
  const asked = await hub.client.create(
    selfSubjectReviewKind,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} },
    { why: 'user', manager: CLI_MANAGER, signal: c.signal },
  )
  if (!asked.ok) return requestFailure(asked.error, hub.server)
  return ok(asked.value.status?.userInfo.username ?? 'system:anonymous')
}
