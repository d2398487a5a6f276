/**
 * Kinds that the controller reads and writes on the hub with its own rights, beside our kinds: each with its reason. Objects that
 * a Module, set or Pipeline names are read and written as an account. The rights for records are in `rights.ts`.
 */

import type { ListerWatcher, ObjectClient } from '@lockstep/kube/client'
import {
  configMapKind,
  controllerRevisionKind,
  crdKind,
  eventKind,
  leaseKind,
  namespaceKind,
  type Secret,
  secretKind,
  serviceAccountKind,
} from '@lockstep/kube/kinds'
import { defineKind, type Kind, type KubeObject } from '@lockstep/kube/object'
import { type RecordMark, recordKind, secretRecordKind } from './kinds/recordkind.ts'
import type { BUNDLE_SECRET_TYPE } from './labels.ts'

export type { RecordKind, RecordMark, SecretRecordKind } from './kinds/recordkind.ts'

interface BundleSecret extends Secret {
  readonly type: typeof BUNDLE_SECRET_TYPE
}

const versions = (group: string, kind: string, plural: string, of: readonly string[]) =>
  of.map((version) => recordKind(defineKind<KubeObject>({ group, version, kind, plural, namespaced: true })))

const webhooks = (kind: string, plural: string) =>
  recordKind(
    defineKind<KubeObject>({
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      kind,
      plural,
      namespaced: false,
    }),
  )

export const records = {
  /** Published content. */
  bundle: secretRecordKind<BundleSecret>(secretKind as Kind<BundleSecret>),
  /** Keys of digests. */
  keys: secretRecordKind(secretKind),
  /** Published revisions. */
  revision: recordKind({ ...controllerRevisionKind, isUntracked: true }),
  /** On each cluster, which hub and unit deliver there. */
  stamp: recordKind({ ...configMapKind, isUntracked: true }),
  /** Removals of the last minutes. */
  removals: recordKind(configMapKind),
  /** Whether the account of a Module exists. */
  account: recordKind(serviceAccountKind),
  event: recordKind(eventKind),
  /** Namespace `kube-system` is the identity of a hub, `lockstep-system` has stamps and keys; any one has the hub tell the time. */
  namespace: recordKind(namespaceKind),
  /** Whether another controller is at work. */
  lease: recordKind(leaseKind),
  webhooks: [
    webhooks('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'),
    webhooks('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'),
  ],
  /** Whether a kind is served, or is being deleted. */
  definition: recordKind(crdKind),
  /** Clusters; the best version first. */
  clusterApi: versions('cluster.x-k8s.io', 'Cluster', 'clusters', ['v1beta2', 'v1beta1']),
  /** v1alpha2 has lost the deprecated twin of `accessProviders`. */
  clusterProfile: versions('multicluster.x-k8s.io', 'ClusterProfile', 'clusterprofiles', [
    'v1alpha1',
    'v1alpha2',
  ]),
  /** Pipelines of weaveworks, which get a status. */
  weavePipeline: versions('pipelines.weave.works', 'Pipeline', 'pipelines', ['v1alpha1'])[0]!,
} as const

declare const credential: unique symbol

interface CredentialMark {
  readonly [credential]: true
}

/** Secrets with credentials of clusters: read by inventories, and written by the renewal of tokens only. */
export const clusterSecretKind = secretKind as Kind<Secret> & CredentialMark

export type CredentialReader = ListerWatcher<CredentialMark> & Pick<ObjectClient<CredentialMark>, 'get'>

export type CredentialWriter = Pick<ObjectClient<CredentialMark>, 'get' | 'patch'>

/** With the rights of the controller, for records only. */
export type RecordClient = Omit<ObjectClient<RecordMark>, 'get'> &
  Pick<ObjectClient<RecordMark<'Object'>>, 'get'>
