/** Objects that were there before us: whose they are, whether they may be taken over, and how. Pure. */
import type { Stored } from '../api/kind.ts'
import type { ModuleSpec } from '../api/kinds/module.ts'
import { INVENTORY_ANNOTATION, MANAGER, UNIT_LABEL } from '../api/labels.ts'
import { isOurs } from '../fleet/live.ts'
import { FieldSet, toFieldsV1 } from '../object/fields/fields.ts'
import {
  at,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type ManagedFieldsEntry,
  type Ref,
  refOf,
  refText,
} from '../object/object.ts'
import { fieldsOf } from './owners.ts'

export interface AdoptSettings {
  readonly adopt: ModuleSpec['apply']['adopt']
  readonly adoptFrom: readonly string[]
}

/** The tool that marks an object as its own. */
export interface Former {
  /** `Flux Kustomization flux-system/apps` */
  readonly text: string
  /** As managedFields name it; undefined: its objects are never taken over. */
  readonly manager: string | undefined
  /** What says on the cluster whether the tool is still at work. */
  readonly owner: Ref | undefined
}

const FLUX = {
  'kustomize.toolkit.fluxcd.io': { kind: 'Kustomization', manager: 'kustomize-controller' },
  'helm.toolkit.fluxcd.io': { kind: 'HelmRelease', manager: 'helm-controller' },
} as const

const ARGO = 'argoproj.io'
const ARGO_MANAGER = 'argocd-controller'

/** Undefined: no tool marks it. What kubectl applied is nobody's. */
export function formerOf(o: KubeObject): Former | undefined {
  const { labels = {}, annotations = {}, ownerReferences = [] } = o.metadata
  const controller = ownerReferences.find((r) => r.controller)
  if (controller)
    return { text: `${controller.kind} ${controller.name}`, manager: undefined, owner: undefined }
  for (const [group, { kind, manager }] of Object.entries(FLUX)) {
    const [name, namespace] = [labels[`${group}/name`], labels[`${group}/namespace`]]
    if (name === undefined || namespace === undefined) continue
    return { text: `Flux ${kind} ${namespace}/${name}`, manager, owner: { group, kind, namespace, name } }
  }
  const app = applicationOf(o)
  if (app) {
    const owner = { group: ARGO, kind: 'Application', ...app }
    return { text: `Argo CD Application ${app.namespace}/${app.name}`, manager: ARGO_MANAGER, owner }
  }
  const release = annotations['meta.helm.sh/release-name']
  if (release !== undefined) {
    const text = `Helm release ${annotations['meta.helm.sh/release-namespace'] ?? ''}/${release}`
    return { text, manager: 'helm', owner: undefined }
  }
  const kapp = labels['kapp.k14s.io/app']
  return kapp === undefined ? undefined : { text: `kapp app ${kapp}`, manager: 'kapp', owner: undefined }
}

/** By its tracking id; labels are counted where Argo CD has written the object, since charts use the same ones. */
function applicationOf(o: KubeObject): { namespace: string; name: string } | undefined {
  const { labels = {}, annotations = {}, managedFields = [] } = o.metadata
  const id = annotations['argocd.argoproj.io/tracking-id']?.split(':')[0]
  const wrote = managedFields.some((f) => f.manager === ARGO_MANAGER)
  const label =
    labels['argocd.argoproj.io/instance'] ?? (wrote ? labels['app.kubernetes.io/instance'] : undefined)
  const found = id ?? label
  if (found === undefined) return undefined
  const [first = '', ...rest] = found.split('_')
  return rest.length === 0 ? { namespace: 'argocd', name: first } : { namespace: first, name: rest.join('_') }
}

export type Adoption =
  | { readonly type: 'take' }
  /** Once what owns it has stopped: `stillActive` says that. */
  | { readonly type: 'ask'; readonly former: Former; readonly owner: Ref }
  | { readonly type: 'refused'; readonly message: string }

/** Whether an object without our marks may be taken over. */
export function adoptionOf(o: KubeObject, settings: AdoptSettings): Adoption {
  const name = refText(refOf(o))
  const refused = (message: string): Adoption => ({ type: 'refused', message: `${name} ${message}` })
  const former = formerOf(o)
  const whose = former ? ` and belongs to ${former.text}` : ''
  if (former && former.manager === undefined)
    return refused(`is controlled by ${former.text}: take it out of the module, or delete what controls it`)
  if (settings.adopt === 'Never')
    return refused(
      `is there already${whose}, and spec.apply.adopt is Never: lockstep adopt takes it over, or delete it`,
    )
  if (!former) return { type: 'take' }
  if (settings.adopt === 'Unowned')
    return refused(
      `belongs to ${former.text}: ${former.owner ? 'suspend that, then ' : ''}run lockstep adopt, or set spec.apply.adopt: Listed`,
    )
  if (!settings.adoptFrom.includes(former.manager!))
    return refused(`belongs to ${former.text}: add ${former.manager} to spec.apply.adoptFrom to take it over`)
  return former.owner ? { type: 'ask', former, owner: former.owner } : { type: 'take' }
}

/**
 * Why an object cannot be taken over yet: what owns it would put it back. Undefined: it has stopped, or is gone.
 * Flux: `spec.suspend`. Argo CD: no automated sync.
 */
export function stillActive(
  o: KubeObject,
  former: Former,
  owner: KubeObject | undefined,
): string | undefined {
  if (!owner || !former.owner) return undefined
  const name = refText(refOf(o))
  const { kind, namespace, name: itsName } = former.owner
  if (kind === 'Application') {
    const automated = at(owner, 'spec', 'syncPolicy', 'automated')
    if (automated === undefined || automated === null || at(automated, 'enabled') === false) return undefined
    return `${name} belongs to ${former.text}, which syncs automatically: argocd app set ${itsName} --sync-policy none`
  }
  if (at(owner, 'spec', 'suspend') === true) return undefined
  const what = kind === 'HelmRelease' ? 'helmrelease' : 'kustomization'
  return `${name} belongs to ${former.text}, which is not suspended: flux suspend ${what} ${itsName} -n ${namespace}`
}

/** Annotations by which client-side tools remember what they applied: wrong from now on. */
const MEMORIES = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'kapp.k14s.io/original',
  'kapp.k14s.io/original-diff',
  'kapp.k14s.io/original-diff-md5',
]

/** Managers whose fields would move, for people. */
export const formerManagers = (o: KubeObject, from: readonly string[]): string[] => [
  ...new Set((o.metadata.managedFields ?? []).filter((f) => isMoved(f, from)).map((f) => f.manager ?? '')),
]

const isMoved = (f: ManagedFieldsEntry, from: readonly string[]): boolean =>
  !f.subresource && !isOurs(f) && from.includes(f.manager ?? '')

/**
 * The merge patch that makes the fields of former managers ours, as if we had applied them: the next apply takes off what
 * the manifest lacks. One entry for all, as kubectl does it when it changes to server-side apply (client-go csaupgrade).
 * Undefined: there is nothing to move.
 */
export function transferOf(o: Stored, from: readonly string[]): JsonValue | undefined {
  const entries = o.metadata.managedFields ?? []
  const moved = entries.filter((f) => isMoved(f, from))
  const memories = MEMORIES.filter((a) => o.metadata.annotations?.[a] !== undefined)
  if (moved.length === 0 && memories.length === 0) return undefined
  const ours = entries.find(isOurs)
  const fields = [...moved, ...(ours ? [ours] : [])].reduce(
    (sum, f) => sum.union(fieldsOf(f)),
    FieldSet.empty,
  )
  const kept = entries.filter((f) => f !== ours && !moved.includes(f))
  return ownersPatch(fields.isEmpty ? kept : [...kept, entryWith(o, ours ?? moved.at(-1), fields)], memories)
}

/** The merge patch by which a person takes an object over: what `transferOf` does, and the marks of its unit. */
export function claimPatch(
  o: Stored,
  from: readonly string[],
  marks: { readonly unit: string; readonly inventoryUid: string },
): JsonValue {
  const { metadata = {} } = (transferOf(o, from) ?? {}) as { readonly metadata?: JsonObject }
  const annotations = { ...(metadata.annotations as JsonObject), [INVENTORY_ANNOTATION]: marks.inventoryUid }
  return { metadata: { ...metadata, labels: { [UNIT_LABEL]: marks.unit }, annotations } }
}

/** The merge patch that leaves us with these fields. Nothing happens to their values. */
export function ownedPatch(o: Stored, fields: FieldSet): JsonValue {
  const entries = o.metadata.managedFields ?? []
  return ownersPatch(
    entries.map((f) => (isOurs(f) ? { ...f, fieldsV1: toFieldsV1(fields) } : f)),
    [],
  )
}

const entryWith = (
  o: Stored,
  model: ManagedFieldsEntry | undefined,
  fields: FieldSet,
): ManagedFieldsEntry => ({
  manager: MANAGER,
  operation: 'Apply',
  apiVersion: o.apiVersion,
  ...(model?.time === undefined ? {} : { time: model.time }),
  fieldsType: 'FieldsV1',
  fieldsV1: toFieldsV1(fields),
})

const ownersPatch = (managedFields: readonly ManagedFieldsEntry[], memories: readonly string[]): JsonValue =>
  ({
    metadata: {
      managedFields,
      ...(memories.length > 0 ? { annotations: Object.fromEntries(memories.map((a) => [a, null])) } : {}),
    },
  }) as unknown as JsonValue
