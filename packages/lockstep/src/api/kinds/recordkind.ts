import type { Kind, KubeObject } from '@lockstep/kube/object'

declare const record: unique symbol

/** Kinds that the controller reads and writes with its own rights. `Secret`: never read by name. */
export interface RecordMark<Of extends 'Object' | 'Secret' = 'Object' | 'Secret'> {
  /** Never set: only `recordKind` and `secretRecordKind` give the mark. */
  readonly [record]: Of
}

export type RecordKind<T extends KubeObject = KubeObject> = Kind<T> & RecordMark<'Object'>
export type SecretRecordKind<T extends KubeObject = KubeObject> = Kind<T> & RecordMark<'Secret'>

/** For our kinds, and for those that `api/records.ts` lists. */
export const recordKind = <T extends KubeObject>(kind: Kind<T>): RecordKind<T> => kind as RecordKind<T>

export const secretRecordKind = <T extends KubeObject>(kind: Kind<T>): SecretRecordKind<T> =>
  kind as SecretRecordKind<T>
