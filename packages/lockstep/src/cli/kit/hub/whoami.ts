/** Who asks, as the server knows it: an Approval names nobody else. */

import { ok, type Result } from '@lockstep/kube/env'
import { selfSubjectReviewKind } from '@lockstep/kube/kinds'
import { CLI_MANAGER } from '../../../api/labels.ts'
import { type CliFailure, type CommandContext, requestFailure } from '../index.ts'
import type { HubConnection } from './hub.ts'

export async function whoAmI(c: CommandContext, hub: HubConnection): Promise<Result<string, CliFailure>> {
  const asked = await hub.client.create(
    selfSubjectReviewKind,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} },
    { purpose: 'user', manager: CLI_MANAGER, signal: c.signal },
  )
  if (!asked.ok) return requestFailure(asked.error, hub.server)
  return ok(asked.value.status?.userInfo.username ?? 'system:anonymous')
}
