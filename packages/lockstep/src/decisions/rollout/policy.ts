/** `spec.rollout`, as the API server has defaulted it. */
import type { LabelSelector } from '@lockstep/kube/object'
import type { RolloutWindow } from './time/windows.ts'

/** A number of clusters, or a percentage. */
export type Amount = number | string

export interface StagePolicy {
  readonly name: string
  readonly clusterSelector?: LabelSelector | undefined
  readonly clusters?: readonly string[] | undefined
  readonly size?: Amount | undefined
  readonly groupBy?: string | undefined
  readonly order?: 'Hash' | 'Name' | 'Label' | undefined
  readonly orderLabel?: string | undefined
  readonly maxConcurrency?: Amount | undefined
  readonly maxUnavailable?: Amount | undefined
  readonly maxFailed?: Amount | undefined
  readonly soakSeconds?: number | undefined
  readonly approval?: 'None' | 'Required' | undefined
  readonly approvalBefore?: 'None' | 'Required' | undefined
  readonly windows?: readonly RolloutWindow[] | undefined
  readonly gateExpr?: string | undefined
  readonly gates?: readonly StageGateRef[] | undefined
}

/** An object at the hub that opens a stage. */
export interface StageGateRef {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly readyExpr?: string | undefined
}

export interface RolloutPolicy {
  readonly strategy: 'Incremental' | 'Replace' | 'Staged' | 'External'
  readonly maxUnavailable?: Amount | undefined
  readonly maxFailed?: Amount | undefined
  readonly maxUnreachable?: Amount | undefined
  readonly maxNew?: Amount | undefined
  readonly maxSurge?: Amount | undefined
  readonly minReadySeconds: number
  readonly progressDeadlineSeconds: number
  readonly onFailure: 'Halt' | 'Continue' | 'Rollback'
  readonly joining?: 'LastComplete' | 'Target' | undefined
  readonly removal?: { readonly maxFailed: Amount; readonly progressDeadlineSeconds: number } | undefined
  readonly supersede?: 'Replace' | 'Wait' | undefined
  readonly rollback?: { readonly withDependents: boolean; readonly respectWindows: boolean } | undefined
  readonly undo?:
    | { readonly from: string; readonly to: string; readonly reason?: string | undefined }
    | undefined
  readonly updates?: 'Automatic' | 'Once' | undefined
  readonly windows?: readonly RolloutWindow[] | undefined
  readonly stages?: readonly StagePolicy[] | undefined
  readonly batches?: { readonly size: Amount; readonly minClusters: number } | undefined
}
