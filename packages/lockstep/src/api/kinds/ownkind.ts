import { defineKind, type Kind, type KubeObject } from '@lockstep/kube/object'
import type { z } from 'zod'
import { GROUP, VERSION } from '../apiversion.ts'
import { type PrinterColumn, statusColumn } from './printercolumn.ts'
import { type RecordMark, recordKind } from './recordkind.ts'

/** An object of one of our kinds. */
export interface LockstepObject<Spec, Status> extends KubeObject {
  readonly spec: Spec
  readonly status?: Status
}

export interface OwnKind<T extends KubeObject = KubeObject> extends Kind<T>, RecordMark<'Object'> {
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly summary: string
  readonly spec: z.ZodType
  /** Absent: it has none. */
  readonly status?: z.ZodType
  readonly columns: readonly PrinterColumn[]
  /** On the whole object. */
  readonly rules?: readonly { readonly rule: string; readonly message: string; readonly fieldPath?: string }[]
  /** Objects of the kind have a source, which can be read again. */
  readonly sourced?: boolean
  /** Written by controllers only: people read it. */
  readonly internal?: boolean
  /** Labels of the CustomResourceDefinition. */
  readonly labels?: Readonly<Record<string, string>>
}

export function own<T extends KubeObject>(
  k: Omit<OwnKind, 'group' | 'version' | 'namespaced' | 'of' | keyof RecordMark>,
): OwnKind<T> {
  const kind = recordKind(defineKind<T>({ ...k, group: GROUP, version: VERSION, namespaced: true }))
  return { ...k, ...kind }
}

/** Its status says whether it is ready: it can be waited for. */
export const isReadied = (kind: OwnKind): boolean => kind.columns.includes(statusColumn)
