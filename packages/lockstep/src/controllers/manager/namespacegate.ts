/** Nothing is decided in a namespace whose Secrets the controller may not read. */

import type { Env } from '@lockstep/kube/env'
import { timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { blocked, keepSince } from '../../api/blocker.ts'
import { mergeConditions } from '../../api/conditions.ts'
import { SYSTEM_NAMESPACE } from '../../api/labels.ts'
import type { HubInformers } from '../cache/index.ts'
import {
  type Controller,
  cacheOf,
  type ModuleKey,
  type Request,
  type StatusWriter,
} from '../runtime/index.ts'

export interface NamespaceGateDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly status: StatusWriter
}

/** The same controller, which begins to work in a namespace once it may: an event of the namespace brings requests back. */
export function inManagedNamespaces(d: NamespaceGateDeps, controller: Controller): Controller {
  return {
    ...controller,
    async reconcile(key, reads) {
      const namespace = namespaceOf(key)
      // Records of the controller itself, and work on the whole hub: it finds the managed namespaces by itself.
      if (namespace === SYSTEM_NAMESPACE || namespace === '') return controller.reconcile(key, reads)
      switch (d.hub.namespaces.stateOf(namespace)) {
        case 'Managed':
          return controller.reconcile(key, reads)
        case 'Reading':
          return { ok: true }
        case 'NotManaged':
          return key.type === 'Module' ? reportNotManaged(d, key) : { ok: true }
      }
    },
  }
}

const namespaceOf = (key: Request['key']): string => ('ref' in key ? key.ref.namespace : key.namespace)

/** The rest of the status stays as it was. */
async function reportNotManaged(
  { env, hub, status }: NamespaceGateDeps,
  { ref }: ModuleKey,
): Promise<ReconcileResult> {
  const module = hub.module(ref)
  if (!module) return { ok: true }
  const { namespace, name } = ref
  const on = [{ kind: 'Module', name, namespace }] as const
  const now = timestamp(env.clock.now())
  const blocker = blocked('NamespaceNotManaged', on, { namespace })
  const { reason, message } = blocker
  const { generation: observedGeneration = 0 } = module.metadata
  const ready = { type: 'Ready', status: 'False', reason, message, observedGeneration } as const
  const others = (module.status?.conditions ?? []).filter((c) => c.type !== 'Ready')
  const written = await status.update(cacheOf(ref), module, {
    ...module.status,
    conditions: mergeConditions(module.status?.conditions, [...others, ready], now),
    blockers: keepSince([blocker], module.status?.blockers, now),
  })
  return written.error ? written : { ok: true }
}
