/** Objects that were there before us: whose they are, whether they may be taken over. Pure. */

import {
  at,
  isArray,
  type JsonValue,
  type KubeObject,
  keyText,
  type ObjectReference,
  refOf,
} from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import type { FactsOf, WaitRefOf } from '../../api/reasons/index.ts'
import { objectWaitRef } from '../state/objectwaitref.ts'
import { isTransferable } from './fieldtransfer.ts'

export interface AdoptSettings {
  readonly adopt: ModuleSpec['apply']['adopt']
  readonly adoptFrom: readonly string[]
}

/** The tool that marks an object as its own. */
export interface PreviousTool {
  /** `Flux Kustomization flux-system/apps` */
  readonly text: string
  /** As managedFields name it; undefined: its objects are never taken over. */
  readonly manager: string | undefined
  /** What says on the cluster whether the tool is still at work. Without a namespace: of that name, wherever it is. */
  readonly owner: ObjectReference | undefined
}

const FLUX = {
  'kustomize.toolkit.fluxcd.io': { kind: 'Kustomization', manager: 'kustomize-controller' },
  'helm.toolkit.fluxcd.io': { kind: 'HelmRelease', manager: 'helm-controller' },
} as const

const ARGO = 'argoproj.io'
const ARGO_MANAGER = 'argocd-controller'

/** Undefined: no tool marks it. What kubectl applied is nobody's. */
export function previousToolOf(o: KubeObject): PreviousTool | undefined {
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
    return { text: `Argo CD Application ${keyText(app)}`, manager: ARGO_MANAGER, owner }
  }
  const release = annotations['meta.helm.sh/release-name']
  if (release !== undefined) {
    const text = `Helm release ${annotations['meta.helm.sh/release-namespace'] ?? ''}/${release}`
    return { text, manager: 'helm', owner: undefined }
  }
  const kapp = labels['kapp.k14s.io/app']
  return kapp === undefined ? undefined : { text: `kapp app ${kapp}`, manager: 'kapp', owner: undefined }
}

/**
 * By its tracking id; labels are counted where Argo CD has written the object, since charts use the same ones. The namespace
 * is in there only where it is not that of Argo CD itself, of which it does not say which one that is (argo-cd `InstanceName`).
 */
function applicationOf(o: KubeObject): { readonly namespace?: string; readonly name: string } | undefined {
  const { labels = {}, annotations = {}, managedFields = [] } = o.metadata
  const id = annotations['argocd.argoproj.io/tracking-id']?.split(':')[0]
  const wrote = managedFields.some((f) => f.manager === ARGO_MANAGER)
  const label =
    labels['argocd.argoproj.io/instance'] ?? (wrote ? labels['app.kubernetes.io/instance'] : undefined)
  const found = id ?? label
  if (found === undefined) return undefined
  const [first = '', ...rest] = found.split('_')
  return rest.length === 0 ? { name: first } : { namespace: first, name: rest.join('_') }
}

/** Why an object is not adopted; `active`: the object of its owner that ends the wait. */
export interface AdoptionRefusal {
  readonly facts: FactsOf<'AdoptionRefused'>
  readonly active?: ObjectReference | undefined
}

export type Adoption =
  | { readonly type: 'take' }
  /** Once what owns it has stopped: `stillActive` says that. */
  | { readonly type: 'ask'; readonly former: PreviousTool; readonly owner: ObjectReference }
  | { readonly type: 'refused'; readonly refusal: AdoptionRefusal }

/** Whether an object without our marks may be taken over. */
export function adoptionOf(o: KubeObject, settings: AdoptSettings): Adoption {
  const former = previousToolOf(o)
  const owner = former?.text
  const refused = (facts: AdoptionRefusal['facts'], active?: ObjectReference): Adoption => ({
    type: 'refused',
    refusal: { facts, active },
  })
  if (former && former.manager === undefined) return refused({ because: 'Controlled', owner })
  if (settings.adopt === 'Never') return refused({ because: 'Never', owner })
  if (!former) return { type: 'take' }
  if (settings.adopt === 'Unowned') return refused({ because: 'Unowned', owner }, former.owner)
  if (!settings.adoptFrom.includes(former.manager!))
    return refused({ because: 'NotListed', owner, manager: former.manager })
  return former.owner ? { type: 'ask', former, owner: former.owner } : { type: 'take' }
}

/**
 * Why an object cannot be taken over yet: its owner would restore it. Undefined: the owner has stopped, or is gone.
 * Flux: `spec.suspend`. Argo CD: no automated sync. `owners`: all that may be meant.
 */
export function stillActive(
  o: KubeObject,
  former: PreviousTool,
  owners: readonly KubeObject[],
): AdoptionRefusal | undefined {
  if (!former.owner) return undefined
  const { kind, name: itsName } = former.owner
  if (kind === 'Application') {
    const app = applicationsWith(owners, refOf(o)).find(syncsItself)
    if (!app) return undefined
    const { namespace } = app.metadata
    const owner = `Argo CD Application ${keyText({ name: itsName, namespace })}`
    const active = { ...former.owner, ...(namespace === undefined ? {} : { namespace }) }
    return { facts: { because: 'Syncing', owner }, active }
  }
  if (owners.every((one) => at(one, 'spec', 'suspend') === true)) return undefined
  return { facts: { because: 'NotSuspended', owner: former.text }, active: former.owner }
}

/** The object, and the owner that must stop. */
export const adoptionBlocker = (on: WaitRefOf<'Object'>, { facts, active }: AdoptionRefusal): NewBlocker =>
  blocked('AdoptionRefused', active ? [on, objectWaitRef(active, on.cluster ?? '')] : [on], facts)

/** The message, for people who do not deliver the unit. */
export const adoptionText = (o: KubeObject, refusal: AdoptionRefusal): string =>
  adoptionBlocker(objectWaitRef(refOf(o), ''), refusal).message

/** Several have one name where there are several Argo CDs: those that say they have the object, or, if none does, all. */
function applicationsWith(owners: readonly KubeObject[], ref: ObjectReference): readonly KubeObject[] {
  const saying = owners.filter((app) => {
    const resources = at(app, 'status', 'resources')
    return isArray(resources) && resources.some((r) => isSaid(r, ref))
  })
  return saying.length > 0 ? saying : owners
}

const isSaid = (r: JsonValue, { group, kind, namespace = '', name }: ObjectReference): boolean =>
  at(r, 'kind') === kind &&
  at(r, 'name') === name &&
  (at(r, 'group') ?? '') === group &&
  (at(r, 'namespace') ?? '') === namespace

function syncsItself(app: KubeObject): boolean {
  const automated = at(app, 'spec', 'syncPolicy', 'automated')
  return automated !== undefined && automated !== null && at(automated, 'enabled') !== false
}

/** Managers whose fields would move, for people. */
export const previousManagers = (o: KubeObject, from: readonly string[]): string[] => [
  ...new Set(
    (o.metadata.managedFields ?? []).filter((f) => isTransferable(f, from)).map((f) => f.manager ?? ''),
  ),
]
