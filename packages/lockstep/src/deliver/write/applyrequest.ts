/** The request by which an object becomes what its manifest says, or would. */

import type { KubeClient, KubeResult } from '@lockstep/kube/client'
import { defineKind, type KubeObject, type Stored } from '@lockstep/kube/object'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { isWholeWrite, wholeWriteBody } from './wholewrite.ts'

export interface ApplyRequest {
  readonly client: KubeClient
  readonly conflicts: ModuleSpec['apply']['conflicts']
  /** Nothing is stored; the server says what it would say. */
  readonly dryRun?: boolean
}

/** `live` undefined: it is believed not to be there; what is there all the same is refused, untouched. */
export function sendApplyRequest(
  { client, conflicts, dryRun = false }: ApplyRequest,
  d: DesiredObject,
  body: KubeObject,
  live: LiveObject | undefined,
): Promise<KubeResult<Stored>> {
  const kind = defineKind(d.resource!)
  const { validate } = d.options
  const write = { purpose: dryRun ? 'dryrun' : 'apply', manager: MANAGER, dryRun, validate } as const
  if (live && isWholeWrite(d)) return client.update(kind, wholeWriteBody(body, live), write)
  const precondition = live ? { uid: live.uid, resourceVersion: live.resourceVersion } : 'absent'
  return client.apply(kind, body, { ...write, force: conflicts === 'Take', precondition })
}
