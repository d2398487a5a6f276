/** Whether a tool is still there that objects belonged to before us: its own objects are read for that. */

import type { KubeClient, RequestError, ServedResource } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { defineKind, type KubeObject, type ObjectReference } from '@lockstep/kube/object'
import { refusal, type WriteRefusal } from '../write/refusals.ts'

/** What says whether the former tool is at work: that, or all of its name; none: it is not on this cluster any more. */
export async function previousOwners(
  session: { readonly client: KubeClient; served(group: string, kind: string): ServedResource | undefined },
  owner: ObjectReference,
  cluster?: string,
): Promise<Result<readonly KubeObject[], WriteRefusal>> {
  const resource = session.served(owner.group, owner.kind)
  if (!resource) return ok([])
  const refused = (e: RequestError) =>
    refusal(e, { ref: owner, ...(cluster === undefined ? {} : { cluster }) })
  if (owner.namespace === undefined) {
    const scope = { fieldSelector: `metadata.name=${owner.name}` }
    const page = await session.client.list(defineKind(resource), { purpose: 'adopt', ...scope })
    return page.ok ? ok(page.value.items) : err(refused(page.error))
  }
  const found = await session.client.get(defineKind(resource), owner, { purpose: 'adopt' })
  if (found.ok) return ok([found.value])
  return found.error.kind === 'NotFound' ? ok([]) : err(refused(found.error))
}
