/** Reasons of objects that are deleted by a prune or with their unit, or that change hands instead. */

import { countText, firstName, itemText, kubectlArguments, listText, named } from './nameof.ts'
import { flag, number, oneOf, reason, text, texts } from './reason.ts'
import { oneOrMore, sampleOf, type WaitRef, type WaitRefOf } from './waitref.ts'

const settings: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'settings',
  namespace: 'web',
  cluster: 'cluster-1',
  object: { apiVersion: 'v1', kind: 'ConfigMap' },
}
const shared: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'shared',
  cluster: 'cluster-1',
  object: { apiVersion: 'v1', kind: 'Namespace' },
}
const widgets: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'widgets.example.com',
  cluster: 'cluster-1',
  object: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
}

/** `2 clusters unreachable (a, b): restore them`; the caller adds the other way. */
function unusableText(f: {
  readonly on: readonly WaitRef[]
  readonly state?: 'Unreachable' | 'NotUsable' | undefined
  readonly count?: number | undefined
}): string {
  const { on, count = on.length } = f
  const names = listText(
    on.map((c) => c.name),
    count,
  )
  const state = f.state === 'Unreachable' ? 'unreachable' : 'not usable'
  return `${countText(count, 'cluster')} ${state} (${names}): restore ${count === 1 ? 'it' : 'them'}`
}

export const deletionReasons = {
  DeletionBlocked: reason({
    actor: 'approver',
    on: sampleOf('Cluster', 'Object', 'Unit', 'Module', 'Source'),
    facts: {
      because: oneOf('Clusters', 'Inventory', 'Hooks'),
      state: oneOf('Unreachable', 'NotUsable').optional(),
      count: number.optional(),
      /** Orphans the objects on these clusters. */
      command: text.optional(),
      /** Reason for which the hooks of the deletion cannot run. */
      reason: text.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'Clusters':
          return `${unusableText(f)}, or ${f.command}`
        case 'Inventory':
          return `${named(f)} is being deleted, and its objects exist; delete the Module, or deselect the cluster`
        case 'Hooks':
          return `hooks of the deletion cannot run (${f.reason}); resolve it, or set spec.apply.deletionPolicy: Orphan`
      }
    },
    setMessage: (f) => {
      const orphan = 'annotate with lockstep.dev/deletion-policy: Orphan'
      switch (f.because) {
        case 'Clusters':
          return `${unusableText(f)}, or ${orphan}`
        case 'Inventory':
          return undefined
        case 'Hooks':
          return `hooks of the deletion cannot run (${f.reason}); resolve it, or ${orphan}`
      }
    },
    meaning: 'A deletion waits for clusters that cannot be reached or used, for hooks, or for a decision.',
    advice: (f) => {
      switch (f.because) {
        case 'Clusters':
          return `restore ${f.count === 1 ? 'the cluster' : 'the clusters'}, or orphan the objects: ${f.command}`
        case 'Inventory':
          return 'delete the Module, or deselect the cluster in spec.targets'
        case 'Hooks':
          return `resolve ${f.reason}, or set spec.apply.deletionPolicy: Orphan to remove the unit without its hooks`
      }
    },
    examples: [
      {
        on: [{ kind: 'Cluster', name: 'cluster-2' }],
        because: 'Clusters',
        state: 'Unreachable',
        count: 1,
        command: 'lockstep delete module hello --orphan cluster-2',
      },
      {
        on: [{ kind: 'Unit', name: 'hello', namespace: 'platform', cluster: 'cluster-1' }],
        because: 'Hooks',
        reason: 'BundleCorrupt',
      },
    ],
  }),

  DeletionUnconfirmed: reason({
    actor: 'platform',
    on: oneOrMore('Object'),
    facts: {
      annotation: text,
      uid: text,
      /** Each is on another cluster. */
      units: number,
    },
    message: (f) =>
      `${firstName(f)} is being deleted; to remove ${countText(f.units, 'unit')} too, set ${f.annotation} to its uid`,
    meaning: 'The kind or the Namespace of a Module is being deleted without a confirmation.',
    advice: (f) =>
      `to delete the objects on the clusters: kubectl annotate ${kubectlArguments(f)} ${f.annotation}=${f.uid}; to keep them: lockstep removal orphan`,
    examples: [
      {
        on: [
          {
            kind: 'Object',
            name: 'modules.lockstep.dev',
            object: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
          },
        ],
        annotation: 'lockstep.dev/confirm-deletion',
        uid: '0b6e3f2a-5a62-4a3c-9c1e-6f9d1f0a7c55',
        units: 12,
      },
    ],
  }),

  Removing: reason({
    actor: 'none',
    on: oneOrMore('Unit'),
    facts: {},
    message: (f) => `${named(f)} is being removed`,
    meaning: 'The objects of a unit are being deleted.',
    advice: () => 'no action needed: the unit is gone when its last object is deleted',
    examples: [{ on: [{ kind: 'Unit', name: 'hello', namespace: 'platform', cluster: 'cluster-1' }] }],
  }),
  RemovalFailed: reason({
    actor: 'cause',
    on: sampleOf('Unit'),
    facts: {
      failed: number,
      /** Clusters to remove the Module from, those that are done included. */
      total: number,
      maxFailed: number,
      cluster: text,
      failure: text,
    },
    message: (f) =>
      `${f.failed} of ${countText(f.total, 'cluster')}, limit ${f.maxFailed}: ${f.cluster}: ${f.failure}`,
    meaning:
      'A cluster refuses a deletion, a hook failed, or a removal exceeded its deadline. Above the limit no other removal starts.',
    advice: (f) =>
      `resolve the cause on ${f.cluster}: it is tried again every 5 minutes; or keep the objects: spec.apply.deletionPolicy: Orphan`,
    examples: [
      {
        on: [{ kind: 'Unit', name: 'hello', namespace: 'platform', cluster: 'cluster-1' }],
        failed: 9,
        total: 30,
        maxFailed: 8,
        cluster: 'cluster-1',
        failure: 'ConfigMap web/settings: admission webhook "keep.example.com" denied the request',
      },
    ],
  }),
  FinalizerPending: reason({
    actor: 'none',
    on: oneOrMore('Object'),
    facts: {
      next: oneOf('Recreate', 'Remove'),
      finalizers: texts,
      /** Duration of a long deletion. */
      minutes: number.optional(),
    },
    message: (f) => {
      const held = f.finalizers.length > 0 ? `: ${f.finalizers.join(', ')}` : ''
      if (f.next === 'Recreate')
        return `${itemText(f)} is terminating${held}; recreated when deletion completes`
      return f.minutes === undefined
        ? `${itemText(f)} is terminating${held}`
        : `${itemText(f)} is terminating for ${f.minutes}m${held}; only its owner may remove the finalizer`
    },
    meaning: 'An object is terminating.',
    advice: (f) =>
      f.minutes === undefined
        ? 'no action needed: continues when deletion completes'
        : `check the controller of ${f.finalizers.join(', ')}`,
    examples: [
      { on: [settings], next: 'Recreate', finalizers: ['example.com/backup'] },
      { on: [settings], next: 'Remove', finalizers: ['example.com/backup'], minutes: 12 },
    ],
  }),
  NamespaceInUse: reason({
    actor: 'cause',
    on: oneOrMore('Object', 'Unit'),
    facts: { user: text },
    message: (f) => `cannot delete ${itemText(f)}: it contains objects of ${f.user}`,
    meaning: 'A Namespace contains objects of another Module.',
    advice: (f) => `remove the objects of ${f.user} from ${itemText(f)}, or move them`,
    examples: [
      {
        on: [shared, { kind: 'Unit', name: 'shop', namespace: 'platform', cluster: 'cluster-1' }],
        user: 'Module shop',
      },
    ],
  }),
  KindInUse: reason({
    actor: 'cause',
    on: oneOrMore('Object', 'Unit'),
    facts: { user: text },
    message: (f) => `cannot delete ${itemText(f)}: ${f.user} has objects of its kind`,
    meaning: 'A CustomResourceDefinition has objects of another Module.',
    advice: (f) => `delete ${f.user}, or remove its objects of this kind`,
    examples: [
      {
        on: [widgets, { kind: 'Unit', name: 'shop', namespace: 'platform', cluster: 'cluster-1' }],
        user: 'Module shop',
      },
    ],
  }),
  PruneConfirmation: reason({
    actor: 'approver',
    on: oneOrMore('Object', 'Module'),
    facts: {
      module: text,
      /** Module of another hub namespace that has the object: `Module team-b/shop`. */
      foreign: text.optional(),
      /** The object existed before Lockstep delivered it. */
      existed: flag.optional(),
      /** Objects in it that Lockstep did not deliver: `ConfigMap precious and 2 more`. */
      content: text.optional(),
    },
    message: (f) => {
      const approve = `lockstep rollout approve ${f.module} --stage prune`
      if (f.foreign !== undefined)
        return `${itemText(f)} is also in ${f.foreign}: remove it there, or ${approve}`
      if (f.content !== undefined)
        return `${itemText(f)} holds ${f.content}, not from Lockstep: delete them, or ${approve}`
      const why = f.existed ? 'existed before its Module' : 'needs confirmation'
      return `${itemText(f)} ${why}: ${approve}, or kubectl delete ${kubectlArguments(f)}`
    },
    meaning:
      'An annotation requires confirmation before a deletion, the object existed before, holds other objects, or is in another namespace as well.',
    advice: (f) =>
      `confirm with lockstep rollout approve ${f.module} --stage prune, or delete it: kubectl delete ${kubectlArguments(f)}`,
    examples: [
      { on: [settings], module: 'web' },
      { on: [settings], module: 'web', foreign: 'Module team-b/shop' },
      { on: [shared], module: 'web', existed: true },
      { on: [shared], module: 'web', content: 'ConfigMap precious and 2 more' },
    ],
  }),
  PruneBlocked: reason({
    actor: 'platform',
    on: oneOrMore('Object', 'Approval'),
    facts: { because: oneOf('Refused', 'Unavailable', 'Failed', 'ApprovalUnread'), error: text },
    message: (f) => {
      const cause = {
        Refused: 'the cluster refuses it: ',
        Unavailable: '',
        Failed: '',
        ApprovalUnread: 'the Approval ',
      }
      return `${itemText(f)} cannot be removed: ${cause[f.because]}${f.error}`
    },
    meaning: 'The cluster refused to delete an object, or to remove the marks of Lockstep.',
    advice: (f) => {
      switch (f.because) {
        case 'Refused':
          return 'change the policy, webhook or right that the error names'
        case 'ApprovalUnread':
          return 'grant the controller get on approvals.lockstep.dev'
        default:
          return 'no action needed: tried again when the cluster answers'
      }
    },
    examples: [
      {
        on: [settings],
        because: 'Refused',
        error: 'admission webhook "keep.example.com" denied the request',
      },
    ],
  }),
} as const

const claim: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'data',
  namespace: 'shop',
  cluster: 'cluster-1',
  object: { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
}
const receiver: WaitRefOf<'Unit'> = {
  kind: 'Unit',
  name: 'shop-v2',
  namespace: 'platform',
  cluster: 'cluster-1',
}

export const ownershipReasons = {
  WaitingForClaims: reason({
    actor: 'none',
    on: oneOrMore('Object', 'Module'),
    facts: {
      because: oneOf('Unpublished', 'Unread', 'Binding'),
      /** Module whose objects are not known. */
      module: text,
      /** Name of the revision or of the binding. */
      detail: text.optional(),
    },
    message: (f) => {
      const waiting = `cannot delete ${itemText(f)} yet`
      switch (f.because) {
        case 'Unpublished':
          return `${waiting}: the spec of Module ${f.module} is not published`
        case 'Unread':
          return `${waiting}: the objects of revision ${f.detail} of Module ${f.module} cannot be read`
        case 'Binding':
          return `${waiting}: $(${f.detail}) of Module ${f.module} has no value`
      }
    },
    meaning: 'Another Module may have an object that the unit would delete.',
    advice: (f) => {
      switch (f.because) {
        case 'Unpublished':
          return `no action needed: continues when Module ${f.module} is published, or after 10 minutes`
        case 'Unread':
          return `restore the bundle of Module ${f.module}, or publish another revision: lockstep reconcile ${f.module}`
        case 'Binding':
          return `give $(${f.detail}) of Module ${f.module} a value`
      }
    },
    examples: [
      { on: [claim], because: 'Unpublished', module: 'shop-v2' },
      { on: [claim], because: 'Binding', module: 'shop-v2', detail: 'REGION' },
    ],
  }),
  ClaimConflict: reason({
    actor: 'author',
    on: oneOrMore('Module'),
    facts: { module: text, object: text },
    message: (f) =>
      `spec.apply.takeOverFrom: ${f.module} lists this Module as well, and both contain ${f.object}; remove one entry`,
    meaning: 'Two Modules list each other in `spec.apply.takeOverFrom`, and have an object in common.',
    advice: (f) => `remove ${f.module} from spec.apply.takeOverFrom, or this Module from that of ${f.module}`,
    examples: [
      {
        on: [{ kind: 'Module', name: 'shop', namespace: 'platform' }],
        module: 'Module shop',
        object: 'ConfigMap app/x',
      },
    ],
  }),
  HandoverPending: reason({
    actor: 'cause',
    on: oneOrMore('Unit'),
    facts: { objects: number, giver: text, receiver: text, cluster: text },
    message: (f) =>
      `${countText(f.objects, 'object')} taken over from ${f.giver} keep its content, without drift correction, until ${f.receiver} is deployed on ${f.cluster}`,
    meaning: 'A Module received objects of another one, and is not deployed yet.',
    advice: (f) => `resolve what ${f.receiver} waits for: lockstep why ${f.receiver}@${f.cluster}`,
    examples: [{ on: [receiver], objects: 3, giver: 'shop-v1', receiver: 'shop-v2', cluster: 'cluster-1' }],
  }),
  HandedOver: reason({
    actor: 'author',
    on: oneOrMore('Unit'),
    facts: { objects: number, owner: text, cluster: text },
    message: (f) =>
      `${countText(f.objects, 'object')} on ${f.cluster} ${f.objects === 1 ? 'is' : 'are'} owned by ${f.owner} (its spec.apply.takeOverFrom)`,
    meaning: 'Another Module took over objects that this Module has as well.',
    advice: (f) =>
      `remove the objects from this Module, or this Module from spec.apply.takeOverFrom of ${f.owner}`,
    examples: [{ on: [receiver], objects: 2, owner: 'shop-v2', cluster: 'cluster-1' }],
  }),
} as const
