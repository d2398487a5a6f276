import { at, isArray, type JsonObject, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { ensure, within } from '../resources/objectdraft.ts'
import type { ServedKindRules } from '../resources/servedkind.ts'
import { dns1123Label } from '../write/dns1123label.ts'

/** PodSecurity admission (KEP-2579) is asked for. */
const isGuarded = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.['pod-security.kubernetes.io/enforce'] !== undefined

/** Namespaces (kubernetes pkg/registry/core/namespace). */
export const namespaceRules: ServedKindRules = {
  name: (name, prefix) => dns1123Label(prefix ? name.replace(/-+$/, 'a') : name),
  unconditional: true,
  generation: 'none',
  defaults(draft) {
    const name = within(draft, 'metadata')?.name
    if (typeof name !== 'string' || name === '') return
    const metadata = ensure(draft, 'metadata')
    // What a patch left as it was is shared with the stored object.
    metadata.labels = { ...within(draft, 'metadata', 'labels'), 'kubernetes.io/metadata.name': name }
  },
  warnings: (o, old) =>
    isGuarded(o) && !(old && isGuarded(old))
      ? ['the labels of Pod Security are stored but not enforced by this version of the embedded API']
      : [],
  prepareCreate(draft) {
    draft.spec = { finalizers: ['kubernetes'] }
    draft.status = { phase: 'Active' }
  },
  prepareUpdate(draft, old) {
    draft.spec = (old.spec ?? {}) as ObjectDraft
    draft.status = (old.status ?? {}) as ObjectDraft
  },
  holdsDeletion: (o) => finalizersOf(o).length > 0,
  markDeleted: (marked, live) => ({
    ...marked,
    metadata: { ...marked.metadata, deletionGracePeriodSeconds: undefined },
    status: { ...(live.status as JsonObject), phase: 'Terminating' },
  }),
  fields: {
    'status.phase': (o) => String(at(o, 'status', 'phase') ?? ''),
    name: (o) => o.metadata.name ?? '',
  },
}

export const finalizersOf = (o: KubeObject): readonly string[] => {
  const list = at(o, 'spec', 'finalizers')
  return isArray(list) ? (list as readonly string[]) : []
}

export const sameStatus = (a: KubeObject, b: KubeObject): boolean => jsonEqual(a.status, b.status)
