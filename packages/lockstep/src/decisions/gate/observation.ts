/** What a gate looks at: published revisions, units, and objects on clusters. */

import type { Digest, KubeObject } from '@lockstep/kube/object'
import type { MissingRight } from '../../api/account.ts'
import type { SetMode } from '../../api/kinds/index.ts'
import type { DependencyEdge, DependencyObjectRef, ModuleEdge, ModuleRef } from '../graph/moduleref.ts'

/** A published revision of a module, as everybody but its author sees it. */
export interface PublishedRevision {
  readonly revision: Digest
  readonly release: string | undefined
  readonly attempt: number
  readonly edges: readonly DependencyEdge[]
}

/** The Module of a dependency. */
export interface ObservedModule {
  readonly published: PublishedRevision | undefined
  /** Deleted, and present until its objects are deleted. */
  readonly isDeleting: boolean
  /** Dependencies of the published revision; before the first one, of the spec. */
  readonly edges: readonly DependencyEdge[]
}

/** What is observed of one unit: its Inventory. */
export interface UnitObservation {
  readonly uid: string
  readonly resourceVersion: string
  readonly admittedRevision: Digest | undefined
  readonly admittedGateDigest: Digest | undefined
  readonly admittedRelease: string | undefined
  /** All that it was ever admitted at, in the order of the first time; with the one that it is at. */
  readonly releases: readonly string[]
  /** Where health was read after the last write and after the last edge opened. */
  readonly verifiedGateDigest: Digest | undefined
  readonly healthy: boolean
  /** Everything in waves before this one is done, of what is admitted; undefined: nobody knows, or has asked. */
  readonly doneBeforeWave: number | undefined
  /** Its health was read since the last reconnection to its cluster. */
  readonly current: boolean
  /** What keeps it from being healthy, for people. */
  readonly detail: string
}

/** Admission and verification of a unit. */
export type UnitAdmission = Pick<
  UnitObservation,
  'uid' | 'admittedRevision' | 'admittedGateDigest' | 'admittedRelease' | 'releases' | 'verifiedGateDigest'
>

/** What is observed of a ClusterResourceSet that has no Module. */
export interface SetObservation {
  readonly mode: SetMode
  readonly isManaged: boolean
}

/** Pinned by a Hold, joined before its stage has opened, or kept at what was installed (`updates: Once`). */
export type Exemption = 'Pinned' | 'Joined' | 'Kept'

export interface ObservedSilence {
  /** Time of the last event. */
  readonly since: string
  /** Result of the live read: with `Forbidden` the server answers, and that proves nothing. */
  readonly because: 'NoAnswer' | 'Forbidden'
}

/** Everything that a gate looks at. `undefined` from `module` means that it does not exist. */
export interface Observation {
  module(ref: ModuleRef): ObservedModule | undefined
  /** A ClusterResourceSet; undefined: there is none. */
  set(namespace: string, name: string): SetObservation | undefined
  selects(ref: ModuleRef, cluster: string): boolean
  /** `Admission`: for what indirect dependents decide on. */
  unit(ref: ModuleRef, cluster: string): UnitObservation | undefined
  unit(ref: ModuleRef, cluster: string, of: 'Admission'): UnitAdmission | undefined
  /** The one cluster of a module that is delivered to the hub: its unit counts for every cluster. */
  home(ref: ModuleRef): string | undefined
  /** Why a unit is not with its fleet; undefined: it is, or is to be. */
  apart(ref: ModuleRef, cluster: string): Exemption | undefined
  /** How long a cluster has been silent, where a live read has failed since; undefined: in touch. */
  silence(cluster: string): ObservedSilence | undefined
  /** As the account of Module `by` may read it on the hub, or the credential of another cluster there. */
  object(ref: DependencyObjectRef, cluster: string, by: ModuleRef): ObjectObservation
  /** Units on any cluster that are admitted with an edge to this unit. */
  dependants(ref: ModuleRef, cluster: string): readonly DependentObservation[]
  /** Whether any module had published the one release before any had published the other. */
  publishedBefore(release: string, than: string): boolean
  /** Wall-clock time, milliseconds. */
  readonly nowMs: number
  /** Gate digests found in it, by unit; absent: none are kept, since it may change. */
  readonly gateDigests?: Map<string, Digest>
}

/** A unit that was admitted against another one. */
export interface DependentObservation {
  readonly module: ModuleRef
  readonly cluster: string
  /** At which it is admitted. */
  readonly release: string | undefined
  readonly edge: ModuleEdge
  /** The other one's release, as its evidence says. */
  readonly reliesOn: string | undefined
  /** All objects of what is admitted are as they should be. */
  readonly isApplied: boolean
}

/** An object at the end of an edge, as it was read. */
export type ObjectObservation =
  | { readonly type: 'Absent'; readonly detail?: string }
  /** Not read: nobody knows whether it is there. */
  | {
      readonly type: 'Unread'
      readonly detail: string
      /** The right that is lacking. */
      readonly access?: MissingRight | undefined
    }
  | { readonly type: 'Present'; readonly object: KubeObject }

/** An optional edge that asks for nothing: its Module is being deleted, or does not select the cluster. */
export const isPassed = ({ optional, to }: ModuleEdge, cluster: string, seen: Observation): boolean =>
  optional && (seen.module(to)?.isDeleting !== false || !seen.selects(to, cluster))

/** The cluster whose unit an edge means. */
export const clusterOf = (edge: ModuleEdge, cluster: string, seen: Pick<Observation, 'home'>): string =>
  edge.cluster ?? seen.home(edge.to) ?? cluster

export interface EdgeEvidence {
  readonly edge: string
  readonly uid: string
  readonly resourceVersion: string
  /** Of a unit; an object has none. */
  readonly gateDigest?: Digest
  readonly release?: string | undefined
}
