/** Reasons of writes to a cluster: refusals, and owners of objects and fields. */
import { z } from 'zod'
import { itemText, kubectlArguments, listText, named, type nameOf } from './nameof.ts'
import { oneOf, reason, text, texts } from './reason.ts'
import { anyNumber, oneOrMore, type WaitRefOf } from './waitref.ts'

const api: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'api',
  namespace: 'web',
  cluster: 'cluster-1',
  object: { apiVersion: 'apps/v1', kind: 'Deployment' },
}
const settings: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'settings',
  namespace: 'web',
  cluster: 'cluster-1',
  object: { apiVersion: 'v1', kind: 'ConfigMap' },
}
const widget: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'w1',
  namespace: 'web',
  cluster: 'cluster-1',
  object: { apiVersion: 'example.com/v1', kind: 'Widget' },
}
const kustomization: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'web',
  namespace: 'flux-system',
  cluster: 'cluster-1',
  object: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
}

/** Losses that a deletion would cause, and that no manifest restores. */
const objectLosses = ['Contents', 'Pods', 'Data', 'Instances', 'Served', 'Claims'] as const
export type ObjectLoss = (typeof objectLosses)[number]

const LOSS_TEXT: Readonly<Record<ObjectLoss, string>> = {
  Contents: 'its objects would be deleted',
  Pods: 'its Pods would be deleted',
  Data: 'it holds data',
  Instances: 'all objects of its kind would be deleted',
  Served: 'its kinds would not be served for a time',
  Claims: 'its claims and their data would be deleted',
}

/** `it holds data` */
const lossText = (loss: ObjectLoss): string => LOSS_TEXT[loss]

const action = oneOf('Apply', 'Delete')

/** `Deployment web/api: the error`, `Deployment web/api cannot be deleted: the error`. */
export const refusedText = (f: Parameters<typeof itemText>[0] & { action: string; error: string }): string =>
  f.action === 'Delete' ? `${itemText(f)} cannot be deleted: ${f.error}` : `${itemText(f)}: ${f.error}`

export const writeReasons = {
  ApplyFailed: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: {
      action,
      because: oneOf('Refused', 'Unavailable', 'NamespaceNotFound', 'Deleted'),
      error: text.optional(),
      namespace: text.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'Refused':
        case 'Unavailable':
          return refusedText({ on: f.on, clusters: f.clusters, action: f.action, error: f.error ?? '' })
        case 'NamespaceNotFound':
          return `${itemText(f)}: Namespace ${f.namespace} does not exist; add it to the bundle, or create it`
        case 'Deleted':
          return `${itemText(f)} was deleted`
      }
    },
    meaning: 'The cluster refused a write, or failed at it.',
    advice: (f) => {
      switch (f.because) {
        case 'NamespaceNotFound':
          return `add Namespace ${f.namespace} to the bundle, or create it: kubectl create namespace ${f.namespace}`
        case 'Unavailable':
          return 'check the webhook or server that the error names; the controller tries again'
        case 'Refused':
        case 'Deleted':
          return `correct the manifest of ${itemText(f)}, and publish another revision`
      }
    },
    examples: [
      { on: [api], action: 'Apply', because: 'Refused', error: 'spec.selector: Required value' },
      {
        on: [api],
        action: 'Apply',
        because: 'Unavailable',
        error: '500 failed calling webhook "check.example.com": connection refused',
      },
      { on: [api], action: 'Apply', because: 'NamespaceNotFound', namespace: 'web' },
    ],
  }),
  ApplyConflict: reason({
    actor: 'owner',
    on: oneOrMore('Object'),
    facts: { conflicts: z.array(z.object({ manager: text, field: text })).readonly() },
    message: (f) =>
      `${itemText(f)}: ${listText(f.conflicts.map((c) => `conflict with "${c.manager}" at ${c.field}`))}; set spec.apply.conflicts: Take`,
    meaning: 'Another manager owns a field, and `spec.apply.conflicts` is `Fail`.',
    advice: () => 'set spec.apply.conflicts: Take, or remove the fields from the manifest',
    examples: [{ on: [api], conflicts: [{ manager: 'kubectl', field: '.spec.replicas' }] }],
  }),
  QuotaExceeded: reason({
    actor: 'platform',
    on: oneOrMore('Object'),
    facts: { action, error: text },
    message: refusedText,
    meaning: 'A ResourceQuota of the cluster refused a write.',
    advice: () => 'increase the quota: kubectl describe resourcequota',
    examples: [
      { on: [api], action: 'Apply', error: 'exceeded quota: compute, requested: pods=1, limited: pods=0' },
    ],
  }),
  ImmutableField: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: { error: text, next: oneOf('Allow', 'Delete', 'Rename', 'RecreatedOnce').optional() },
    message: (f) => {
      const next = {
        Allow: '; set spec.apply.replaceImmutable to recreate it, or rename it',
        Delete: '; set spec.apply.replaceImmutable, or delete it',
        Rename: '; rename it',
        RecreatedOnce: '; recreated once for this content, and changed since',
      }
      return `${itemText(f)}: ${f.error}${f.next === undefined ? '' : next[f.next]}`
    },
    setMessage: (f) =>
      f.next === 'Allow'
        ? `${itemText(f)}: ${f.error}; set lockstep.dev/replace-immutable: "true" or rename it`
        : undefined,
    meaning: 'A field cannot change on an existing object.',
    advice: (f) =>
      f.next === 'RecreatedOnce'
        ? `find the webhook or policy that changes ${itemText(f)}`
        : f.next === 'Rename'
          ? `rename ${itemText(f)}, or undo the change`
          : f.next === 'Delete'
            ? `set spec.apply.replaceImmutable, or delete it: kubectl delete ${kubectlArguments(f)}`
            : 'set spec.apply.replaceImmutable, annotate the object with lockstep.dev/replace-immutable: "true", or rename it',
    examples: [{ on: [api], error: 'spec.selector: field is immutable', next: 'Allow' }],
  }),
  ReplaceRefused: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: {
      error: text,
      because: oneOf('Loss', 'NotManaged', 'Shared'),
      loss: oneOf(...objectLosses).optional(),
      /** Another unit with the object. */
      keeper: text.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'Loss':
          return `${itemText(f)}: ${f.error}; not recreated: ${lossText(f.loss ?? 'Data')}; rename it, or undo the change`
        case 'NotManaged':
          return `${itemText(f)}: ${f.error}; not managed by Lockstep; delete it manually`
        case 'Shared':
          return `${itemText(f)}: ${f.error}; not recreated: ${f.keeper} has it as well; remove it from one of the two`
      }
    },
    meaning: 'A field cannot change, and the object is not recreated.',
    advice: (f) => {
      switch (f.because) {
        case 'Loss':
          return `rename ${itemText(f)}, or undo the change`
        case 'NotManaged':
          return `delete it: kubectl delete ${kubectlArguments(f)}`
        case 'Shared':
          return `remove ${itemText(f)} from ${f.keeper}, or from this Module`
      }
    },
    examples: [{ on: [api], error: 'spec: field is immutable', because: 'Loss', loss: 'Data' }],
  }),
  OwnedByAnother: reason({
    actor: 'owner',
    on: oneOrMore('Object', 'Unit', 'Module'),
    facts: {
      owner: text,
      /** uid of the owner's Inventory. */
      inventory: text.optional(),
      because: oneOf('Apart', 'TakenOver', 'NotListed', 'Application', 'AssemblageName'),
      /** Entry of `spec.apply.takeOverFrom`. */
      entry: text.optional(),
    },
    message: (f) => {
      if (f.because === 'Application')
        return `${named(f)} exists and is not an application of ${f.owner}; delete it, or rename the application`
      if (f.because === 'AssemblageName')
        return `${named(f)} has the name of a cluster and is managed by ${f.owner}; recreate it as ${f.entry}`
      const held = `${itemText(f)} belongs to ${f.owner}`
      switch (f.because) {
        case 'Apart':
          return `${held}; remove it from one of the two`
        case 'TakenOver':
          return `${held}, which took it; remove it from one of the two`
        case 'NotListed':
          return `${held}; delete ${f.entry}, or list it in spec.apply.takeOverFrom`
      }
    },
    setMessage: (f) => {
      const set = f.on.find((ref) => ref.object?.kind === 'ClusterResourceSet')
      const owner = set === undefined ? f.owner : `ClusterResourceSet ${set.namespace}/${set.name}`
      return f.because === 'NotListed' && set !== undefined
        ? `${itemText(f)} belongs to ${owner}; delete it, or set lockstep.dev/take-over-from: ${set.name}`
        : `${itemText(f)} belongs to ${owner}${f.because === 'TakenOver' ? ', which took it' : ''}; remove it from one of the two`
    },
    meaning: 'Another Module, ClusterResourceSet or external controller delivers the object.',
    advice: (f) => {
      if (f.because === 'Application') return `delete ${named(f)}, or rename the application`
      if (f.because === 'AssemblageName') return `recreate ${named(f)} as ${f.entry}`
      return f.because === 'NotListed'
        ? `delete ${f.entry}, remove ${itemText(f)} from the manifests of one of the two, or list ${f.entry} in spec.apply.takeOverFrom`
        : `remove ${itemText(f)} from the manifests of one of the two`
    },
    examples: [
      { on: [settings], owner: 'Module platform/shop', because: 'NotListed', entry: 'Module shop' },
      { on: [settings], owner: 'Module platform/shop', because: 'TakenOver' },
    ],
  }),
  NotOwned: reason({
    actor: 'owner',
    on: oneOrMore('Object'),
    facts: { because: oneOf('NameTaken', 'HookUnmarked', 'HookNameTaken'), label: text.optional() },
    message: (f) => {
      switch (f.because) {
        case 'NameTaken':
          return `${itemText(f)} was not recreated: another object has this name; delete that object, or remove it from the Module`
        case 'HookUnmarked':
          return `${itemText(f)} is of an earlier run, and its label ${f.label} was removed; delete it`
        case 'HookNameTaken':
          return `${itemText(f)} exists, and is not a hook of this Module; delete it, or rename the hook`
      }
    },
    setMessage: (f) =>
      f.because === 'NameTaken'
        ? `${itemText(f)} was not recreated: another object has this name; delete that object, or remove it from the sources`
        : undefined,
    meaning: 'An object that Lockstep does not manage has the name.',
    advice: (f) => `delete it: kubectl delete ${kubectlArguments(f)}`,
    examples: [{ on: [settings], because: 'NameTaken' }],
  }),
  AdoptionRefused: reason({
    actor: 'owner',
    on: oneOrMore('Object'),
    facts: {
      because: oneOf('Controlled', 'Never', 'Unowned', 'NotListed', 'Syncing', 'NotSuspended'),
      /** Tool and object that the existing object belongs to. */
      owner: text.optional(),
      manager: text.optional(),
    },
    message: (f) => {
      const belongs = `${itemText(f)} belongs to ${f.owner}`
      const active = f.on[1]
      switch (f.because) {
        case 'Controlled':
          return `${itemText(f)} is controlled by ${f.owner}; remove it from the Module, or delete ${f.owner}`
        case 'Never':
          return `${itemText(f)} exists${f.owner === undefined ? '' : ` and belongs to ${f.owner}`}, and spec.apply.adopt is Never; run lockstep adopt, or delete it`
        case 'Unowned':
          return `${belongs}; ${active === undefined ? '' : 'suspend that, '}run lockstep adopt, or set spec.apply.adopt: Listed`
        case 'NotListed':
          return `${belongs}; add ${f.manager} to spec.apply.adoptFrom`
        case 'Syncing':
          return `${belongs}, which syncs automatically; argocd app set ${active?.name} --sync-policy none`
        case 'NotSuspended':
          return `${belongs}, which is not suspended; ${fluxSuspend(active)}`
      }
    },
    setMessage: (f) => {
      switch (f.because) {
        case 'Controlled':
          return `${itemText(f)} is controlled by ${f.owner}; remove it from the sources, or delete ${f.owner}`
        case 'Never':
          return `${itemText(f)} exists, and lockstep.dev/existing is Fail; delete it, or set Take`
        case 'Unowned':
        case 'NotListed':
          return `${itemText(f)} belongs to ${f.owner}; remove it from one of the two`
        default:
          return undefined
      }
    },
    meaning: 'An object exists that another tool manages, or that must not be adopted.',
    advice: (f) => {
      switch (f.because) {
        case 'Controlled':
          return `remove ${itemText(f)} from the Module, or delete ${f.owner}`
        case 'NotListed':
          return `add ${f.manager} to spec.apply.adoptFrom`
        case 'Syncing':
          return `stop the automatic sync: argocd app set ${f.on[1]?.name} --sync-policy none`
        case 'NotSuspended':
          return `suspend the owner: ${fluxSuspend(f.on[1])}`
        default:
          return 'adopt it (lockstep adopt MODULE@CLUSTER), or set spec.apply.adopt: Listed'
      }
    },
    examples: [
      { on: [settings], because: 'Never' },
      {
        on: [settings, kustomization],
        because: 'NotSuspended',
        owner: 'Flux Kustomization flux-system/web',
      },
    ],
  }),
  KindNotServed: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: { apiVersion: text, kind: text, action },
    message: (f) =>
      f.action === 'Delete'
        ? `${itemText(f)} cannot be deleted: its kind is defined and not served; it stays listed until its CRD is served or deleted`
        : `${itemText(f)}: no API serves ${f.apiVersion} ${f.kind}; deliver its CRD first or add dependsOn`,
    setMessage: (f) =>
      f.action === 'Apply'
        ? `${itemText(f)}: no API serves ${f.apiVersion} ${f.kind}; deliver its CRD first, or in Continuous set lockstep.dev/depends-on`
        : undefined,
    meaning: 'The cluster does not serve the kind of an object.',
    advice: (f) =>
      f.action === 'Delete'
        ? `correct the CRD of ${f.kind}, or delete it`
        : `deliver the CRD of ${f.kind} first, or add the Module with the CRD to spec.dependsOn`,
    examples: [
      { on: [widget], apiVersion: 'example.com/v1', kind: 'Widget', action: 'Apply' },
      { on: [widget], apiVersion: 'example.com/v1', kind: 'Widget', action: 'Delete' },
    ],
  }),
  NamespaceMissing: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: { field: text },
    message: (f) => `${itemText(f)} has no namespace; set ${f.field} or spec.render.namespace`,
    meaning: 'An object of a namespaced kind has no namespace.',
    advice: () => 'set metadata.namespace of the object, or spec.render.namespace',
    examples: [
      {
        on: [{ kind: 'Object', name: 'settings', object: { apiVersion: 'v1', kind: 'ConfigMap' } }],
        field: 'metadata.namespace',
      },
    ],
  }),
  NamespaceNotAllowed: reason({
    actor: 'author',
    on: oneOrMore('Object', 'Cluster'),
    facts: { namespace: text.optional(), namespaces: texts },
    message: (f) =>
      f.namespace === undefined
        ? `${itemText(f)} has no namespace, and the cluster is limited to namespaces ${f.namespaces.join(',')}; set clusterResources in its Secret`
        : `${itemText(f)}: ${f.namespace} is not in namespaces ${f.namespaces.join(',')} of the cluster`,
    meaning: 'The cluster is limited to namespaces, and the object is in none of them.',
    advice: (f) =>
      f.namespace === undefined
        ? 'set clusterResources in the Secret of the cluster, or remove the object'
        : `add ${f.namespace} to the namespaces of the cluster, or move the object`,
    examples: [{ on: [settings], namespace: 'web', namespaces: ['shop', 'pay'] }],
  }),
  BundleLost: reason({
    actor: 'platform',
    on: anyNumber('Module'),
    facts: { revision: text.optional(), secret: text.optional() },
    message: (f) =>
      f.secret === undefined
        ? `ControllerRevision ${f.revision} does not exist, nothing is delivered; publish another revision`
        : `Secret ${f.secret} of the bundle was deleted; publish another revision`,
    meaning: 'The stored revision of a unit does not exist anymore.',
    advice: () => 'publish another revision',
    examples: [{ on: [{ kind: 'Module', name: 'web', namespace: 'platform' }], revision: 'web-6f39a1c' }],
  }),
} as const

const fluxSuspend = (owner: Parameters<typeof nameOf>[0] | undefined): string =>
  `flux suspend ${owner?.object?.kind.toLowerCase()} ${owner?.name} -n ${owner?.namespace}`
