/** Reasons of objects while a unit delivers them: progress, health and drift. */
import { z } from 'zod'
import { DEFAULT_SERVICE_ACCOUNT, missingRightText } from '../account.ts'
import { clusterText, countText, firstName, itemText, kubectlArguments, nameOf } from './nameof.ts'
import { number, oneOf, reason, text } from './reason.ts'
import { oneOrMore, type WaitRefOf } from './waitref.ts'
import { refusedText } from './write.ts'

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
const stamp: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'lockstep-stamp-m.web',
  namespace: 'lockstep-system',
  cluster: 'cluster-1',
  object: { apiVersion: 'v1', kind: 'ConfigMap' },
}

const driftKinds = ['Deleted', 'Replaced', 'Unmarked', 'Restored', 'Fields'] as const

const changedField = z.object({ path: text, manager: text.optional() })
const change = z.object({ what: z.enum(driftKinds), fields: z.array(changedField).readonly() })

/** `.spec.replicas by "kubectl-edit"` */
export function driftChangeText({ what, fields }: z.output<typeof change>): string {
  switch (what) {
    case 'Deleted':
      return 'deleted'
    case 'Replaced':
      return 'deleted and recreated'
    case 'Unmarked':
      return 'label or annotation of Lockstep removed'
    case 'Restored':
      return 'older than the applied object: the cluster was restored from a backup'
    case 'Fields':
      return fields.length === 0
        ? 'its managedFields'
        : fields
            .map((f) => (f.manager === undefined ? `${f.path} removed` : `${f.path} by "${f.manager}"`))
            .join(', ')
  }
}

export const deliveryReasons = {
  Forbidden: reason({
    actor: 'platform',
    on: oneOrMore('Object', 'Cluster'),
    facts: {
      action: oneOf('Apply', 'Delete', 'Read', 'List', 'Stamp', 'Act'),
      error: text.optional(),
      /** Resource that cannot be listed. */
      resource: text.optional(),
      /** Right that the account of the Module lacks on the hub. */
      access: z.object({ user: text, verb: text, resource: text, namespace: text.optional() }).optional(),
      /** Objects of the unit that it refuses: `3 of 3`. */
      refused: text.optional(),
    },
    message: ({ error = '', ...f }) => {
      if (f.access !== undefined)
        return `${missingRightText(f.access)}${f.refused === undefined ? '' : `; ${f.refused} objects are refused, nothing was written`}`
      if (f.action === 'List')
        return f.on[0]?.kind === 'Cluster'
          ? `${f.resource} cannot be listed on ${f.on[0].name}: ${error}`
          : `${itemText(f)} cannot be deleted: its kind cannot be listed: ${error}`
      if (f.action === 'Stamp')
        return `${itemText(f)} cannot be written, a hub restored from a backup is not detected: ${error}`
      return f.action === 'Apply' || f.action === 'Delete'
        ? refusedText({ on: f.on, clusters: f.clusters, action: f.action, error })
        : `${itemText(f)} cannot be read: ${error}`
    },
    meaning:
      'The account of a Module lacks a right on the hub, or the identity of the controller one on a cluster.',
    advice: (f) =>
      f.access !== undefined
        ? `bind a role with ${f.access.verb} on ${f.access.resource} to ServiceAccount ${f.access.user.split(':').slice(2).join('/')}${f.access.namespace === undefined ? '' : ` in namespace ${f.access.namespace}`}`
        : f.action === 'Read' || f.action === 'List'
          ? `grant the controller get, list and watch on ${f.resource ?? f.on[0]?.object?.kind ?? 'the resource'}`
          : `grant the controller the missing right on ${f.on[0]?.object?.kind ?? 'the resource'}`,
    examples: [
      {
        on: [api],
        action: 'Act',
        access: {
          user: 'system:serviceaccount:team-a:web',
          verb: 'create',
          resource: 'secrets',
          namespace: 'kube-system',
        },
        refused: '3 of 3',
      },
      { on: [api], action: 'Apply', error: 'User "lockstep" cannot patch resource "deployments"' },
      {
        on: [{ kind: 'Cluster', name: 'cluster-1', namespace: 'platform' }],
        action: 'List',
        resource: 'configmaps',
        error: 'User "lockstep" cannot list resource "configmaps"',
      },
    ],
  }),
  AccountMissing: reason({
    actor: 'platform',
    on: oneOrMore('Object', 'Cluster'),
    facts: {
      /** `team-a/web` */
      account: text,
      /** Objects of the unit that are refused for that: `3 of 3`. */
      refused: text.optional(),
    },
    message: (f) =>
      `ServiceAccount ${f.account} does not exist${f.refused === undefined ? '' : `; ${f.refused} objects are refused, nothing was written`}`,
    meaning: 'The account of the Module lacks a right on the hub, since the account does not exist.',
    advice: (f) => {
      const [namespace = '', name = ''] = f.account.split('/')
      return name === DEFAULT_SERVICE_ACCOUNT
        ? `create it: lockstep install --namespaces ${namespace} --controller=false | kubectl apply --server-side -f -`
        : `create it: kubectl create serviceaccount ${name} -n ${namespace}`
    },
    examples: [
      { on: [api], account: 'team-a/web', refused: '3 of 3' },
      { on: [api], account: 'team-a/lockstep-deployer' },
    ],
  }),
  NamespaceNotManaged: reason({
    actor: 'platform',
    on: oneOrMore('Module', 'Source'),
    facts: { namespace: text },
    message: (f) =>
      `the controller may not read Secrets in ${f.namespace}: lockstep install --namespaces ${f.namespace} --controller=false`,
    meaning: 'The controller has no RoleBinding in the namespace: nothing in it is deployed, or deleted.',
    advice: (f) =>
      `grant it: lockstep install --namespaces ${f.namespace} --controller=false | kubectl apply --server-side -f -`,
    examples: [{ on: [{ kind: 'Module', name: 'web', namespace: 'team-b' }], namespace: 'team-b' }],
  }),
  Applying: reason({
    actor: 'none',
    on: oneOrMore('Object'),
    facts: {
      state: oneOf('NotReady', 'Settling', 'Recreating', 'Deleted', 'CreatedOutside', 'Changed'),
      detail: text.optional(),
      seconds: number.optional(),
    },
    message: (f) => {
      switch (f.state) {
        case 'NotReady':
          return `${itemText(f)}: ${f.detail ?? 'not ready'}`
        case 'Settling':
          return `${itemText(f)}: waiting ${f.seconds}s for a stable status`
        case 'Recreating':
          return `${itemText(f)} was deleted, since a field cannot change; recreated when deletion completes`
        case 'Deleted':
          return `${itemText(f)} was deleted outside Lockstep a moment ago; it is recreated`
        case 'CreatedOutside':
          return `${itemText(f)} was created outside Lockstep a moment ago; it is not changed`
        case 'Changed':
          return `${itemText(f)} changed a moment ago; it is read again before it is recreated`
      }
    },
    meaning: 'An object is being applied, or is applied and not ready yet.',
    advice: () => 'no action needed: continues when the object is ready',
    examples: [
      { on: [api], state: 'NotReady', detail: '0 of 1 replicas' },
      { on: [api], state: 'Settling', seconds: 2 },
    ],
  }),
  ObjectFailed: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: { detail: text },
    message: (f) => `${itemText(f)}: ${f.detail}`,
    meaning: 'An object reports a failure for `spec.health.degradedSeconds`.',
    advice: (f) => `read its events: kubectl describe ${kubectlArguments(f)}`,
    examples: [{ on: [api], detail: 'Progressing: deadline exceeded' }],
  }),
  DriftDetected: reason({
    actor: 'none',
    on: oneOrMore('Object'),
    facts: {
      state: oneOf('Found', 'Reverting'),
      /** The change of each reference, in the same order. */
      changes: z.array(change).readonly(),
      count: number,
    },
    message: (f) => {
      const shown = f.on.map(
        (ref, i) => `${nameOf(ref)} (${f.changes[i] ? driftChangeText(f.changes[i]) : ''})`,
      )
      const more = f.count > shown.length ? ` and ${f.count - shown.length} more` : ''
      return f.state === 'Reverting'
        ? `${shown.join(', ')}: reverting drift`
        : `${countText(f.count, 'object')}: ${shown.join(', ')}${more}`
    },
    meaning: 'Objects were changed outside Lockstep.',
    advice: (f) =>
      f.state === 'Reverting'
        ? 'no action needed: drift is reverted within 10s'
        : 'set spec.apply.drift: Revert, or change the manifests',
    examples: [
      {
        on: [api],
        state: 'Found',
        changes: [{ what: 'Fields', fields: [{ path: '.spec.replicas', manager: 'kubectl-edit' }] }],
        count: 1,
      },
      { on: [settings], state: 'Reverting', changes: [{ what: 'Deleted', fields: [] }], count: 1 },
    ],
  }),
  DriftNotReverted: reason({
    actor: 'author',
    on: oneOrMore('Object'),
    facts: { change, setting: oneOf('Observe', 'Ignore') },
    message: (f) =>
      `${itemText(f)} (${driftChangeText(f.change)}): spec.apply.drift is ${f.setting}, the object is not recreated; recreate it, or set Revert`,
    setMessage: (f) =>
      `${itemText(f)} (${driftChangeText(f.change)}): lockstep.dev/drift is ${f.setting === 'Observe' ? 'Report' : f.setting}, the object is not recreated; recreate it, or set Revert`,
    meaning: 'An object was deleted outside Lockstep, and `spec.apply.drift` is not `Revert`.',
    advice: () => 'set spec.apply.drift: Revert, or recreate the object',
    examples: [{ on: [settings], change: { what: 'Deleted', fields: [] }, setting: 'Observe' }],
  }),
  FieldFight: reason({
    actor: 'owner',
    on: oneOrMore('Object'),
    facts: { manager: text, path: text },
    message: (f) =>
      `${itemText(f)}: "${f.manager}" keeps changing ${f.path}; to ignore the field set spec.apply.ignore`,
    setMessage: (f) =>
      `${itemText(f)}: "${f.manager}" keeps changing ${f.path}; remove the field from the manifest`,
    meaning: 'Another manager keeps changing a field; drift of it is reverted once in 10 minutes.',
    advice: (f) => `set spec.apply.ignore for ${f.path}, or stop "${f.manager}" from changing the field`,
    examples: [{ on: [api], manager: 'hpa', path: '.spec.replicas' }],
  }),
  DeletionFight: reason({
    actor: 'owner',
    on: oneOrMore('Object'),
    facts: {
      deletions: number,
      minutes: number,
      /** Longest time from a create to its deletion. */
      seconds: number,
      /** RFC 3339, of the next create. */
      next: text,
      /** Owner in the ownerReferences of the deleted object. */
      owner: text.optional(),
    },
    message: (f) => {
      const owner = f.owner === undefined ? '' : `; its ownerReferences name ${f.owner}`
      return `${firstName(f)} was deleted ${f.deletions} times in ${f.minutes}m, within ${f.seconds}s of each create; something on ${clusterText(f)} deletes it; recreated at ${f.next.slice(11, 16)} UTC${owner}`
    },
    meaning:
      'Another actor deletes an object soon after each create. The object is recreated once in 10 minutes, and ready after one minute.',
    advice: (f) =>
      f.owner === undefined
        ? `find the client that deletes ${firstName(f)} in the audit log of the cluster, and stop it`
        : `remove the ownerReference to ${f.owner}: an object with an absent owner is garbage`,
    examples: [{ on: [settings], deletions: 4, minutes: 10, seconds: 3, next: '2026-11-24T14:20:00Z' }],
  }),
  HubRestored: reason({
    actor: 'platform',
    on: oneOrMore('Object', 'Cluster'),
    facts: {
      state: oneOf('LaterAdmission', 'OtherInventory'),
      /** As the stamp on the cluster records it, and as the hub knows it. */
      recorded: text,
      known: text,
    },
    message: (f) => {
      const what = f.state === 'LaterAdmission' ? 'admission' : 'Inventory'
      const place = f.on[0]?.cluster === undefined ? '' : ` on ${f.on[0].cluster}`
      const next = f.state === 'LaterAdmission' ? 'delete it' : 'adopt'
      return `${f.on[0] ? nameOf(f.on[0]) : ''}${place} records ${what} ${f.recorded}, the restored hub knows ${f.known}; update the hub, then ${next}`
    },
    meaning: 'The stamp on a cluster is newer than the hub: the hub was restored from a backup.',
    advice: (f) =>
      f.state === 'LaterAdmission'
        ? `update the hub first, then delete the stamp: kubectl delete ${kubectlArguments(f)}`
        : 'update the hub first, then adopt the objects of the unit: lockstep adopt --from-markers MODULE@CLUSTER',
    examples: [{ on: [stamp], state: 'LaterAdmission', recorded: '7', known: '5' }],
  }),
  InventoryLost: reason({
    actor: 'platform',
    on: oneOrMore('Object', 'Unit'),
    facts: {
      objects: number,
      /** `team-a/web` */
      module: text,
      /** Argument of `lockstep adopt`: `web@c1`. */
      unit: text,
    },
    message: (f) =>
      `${countText(f.objects, 'object')} on ${clusterText(f)} ${f.objects === 1 ? 'carries' : 'carry'} the marks of ${f.module} and no Inventory lists ${f.objects === 1 ? 'it' : 'them'}: lockstep adopt --from-markers ${f.unit}`,
    meaning:
      'Objects have the owner label of the unit and name an Inventory that the hub does not have, and the stamp of the cluster does not confirm it. They are not changed.',
    advice: (f) =>
      `check the objects, then adopt them: lockstep adopt --from-markers ${f.unit}; remove the label and annotation from the others`,
    examples: [{ on: [settings], objects: 14, module: 'team-a/web', unit: 'web@cluster-1' }],
  }),
  OwnedByAnotherHub: reason({
    actor: 'platform',
    on: oneOrMore('Object', 'Cluster'),
    facts: { hub: text },
    message: (f) => {
      const place = f.on[0]?.cluster === undefined ? '' : ` on ${f.on[0].cluster}`
      return `${f.on[0] ? nameOf(f.on[0]) : ''}${place} names another hub (kube-system ${f.hub}); remove the cluster from one hub`
    },
    meaning: 'The stamp on a cluster names another hub.',
    advice: (f) =>
      `remove the cluster from one of the two hubs; if the other hub does not exist anymore: lockstep adopt --from-markers --all --from-hub ${f.hub}`,
    examples: [{ on: [stamp], hub: '7d0c' }],
  }),
} as const
