/** Objects of a cluster that carry the owner label of units, whatever their kind. */
import {
  isTransient,
  type KubeClient,
  listAll,
  type RequestError,
  type ServedResource,
} from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { defineKind, type KubeObject, type ObjectReference } from '@lockstep/kube/object'
import { HOOK_FINALIZER, LABELS_PREFIX, UNIT_LABEL } from '../../api/labels.ts'
import { marksOf, type OwnerMarks } from './foreignunit.ts'

export interface MarkedObject extends OwnerMarks {
  readonly ref: ObjectReference
  readonly uid: string
}

/** Where to look. */
export interface MarkedPlace {
  readonly client: KubeClient
  readonly served: readonly ServedResource[]
  /** Undefined: all. */
  readonly namespaces?: readonly string[] | undefined
  readonly signal?: AbortSignal
}

/**
 * Lists all kinds, metadata only. `unit`: value of the label; undefined: of all units. Kinds that may not be listed are left
 * out: their objects are found when a unit delivers them. Terminating objects and hooks are left out, too.
 */
export async function markedObjects(
  { client, served, namespaces, signal }: MarkedPlace,
  unit: string | undefined,
): Promise<Result<MarkedObject[], RequestError>> {
  const labelSelector = unit === undefined ? UNIT_LABEL : `${UNIT_LABEL}=${unit}`
  const found = new Map<string, MarkedObject>()
  for (const resource of served.filter(isDeliverable)) {
    const { group, kind, namespaced } = resource
    const places = namespaced && namespaces ? namespaces : [undefined]
    for (const namespace of places) {
      const list = { purpose: 'adopt', labelSelector, fields: 'metadata' } as const
      const scope = { ...(namespace === undefined ? {} : { namespace }), ...(signal ? { signal } : {}) }
      const page = await listAll(client, defineKind(resource), { ...list, ...scope })
      if (!page.ok && isTransient(page.error)) return page
      for (const o of page.ok ? page.value : []) {
        const { namespace: of, name, uid, deletionTimestamp } = o.metadata
        if (deletionTimestamp !== undefined || isHook(o)) continue
        const ref = { group, kind, ...(of === undefined ? {} : { namespace: of }), name }
        // Some objects are served by two groups.
        if (!found.has(uid)) found.set(uid, { ref, uid, ...marksOf(o) })
      }
    }
  }
  return ok([...found.values()])
}

const HOOKS = [`${LABELS_PREFIX}/hook`, 'argocd.argoproj.io/hook', 'helm.sh/hook']

/** A hook runs again. */
const isHook = ({ metadata: { annotations, finalizers } }: KubeObject): boolean =>
  finalizers?.includes(HOOK_FINALIZER) === true || HOOKS.some((key) => annotations?.[key] !== undefined)

/** Resources whose objects can be applied. */
const isDeliverable = ({ preferred, verbs }: ServedResource): boolean =>
  preferred && verbs.includes('list') && verbs.includes('patch')
