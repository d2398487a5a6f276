/** An object of Flux while a run works on it: what is read stays, what is to be written changes (pkg/runtime/conditions). */
import { at, isArray, type JsonValue, type KubeObject } from '@lockstep/kube/object'

export interface FluxCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
}

export type StatusFields = { readonly [name: string]: JsonValue | undefined }

/** The part of an object that runs write. */
export interface WrittenStatus {
  readonly conditions: readonly FluxCondition[]
  /** The status without its conditions. */
  readonly status: StatusFields
  readonly finalizers: readonly string[]
}

/** What stands first where conditions are listed. */
const FIRST = ['Stalled', 'Reconciling', 'Ready']

/** One condition put in place: its time moves with what it says, its generation always. */
export function withCondition(
  list: readonly FluxCondition[],
  wanted: Omit<FluxCondition, 'lastTransitionTime'>,
  now: string,
): readonly FluxCondition[] {
  const old = list.find((c) => c.type === wanted.type)
  const isSame =
    old?.status === wanted.status && old.reason === wanted.reason && old.message === wanted.message
  const next = { ...wanted, lastTransitionTime: isSame ? old.lastTransitionTime : now }
  const place = (c: FluxCondition): number => (FIRST.includes(c.type) ? FIRST.indexOf(c.type) : FIRST.length)
  return [...list.filter((c) => c.type !== wanted.type), next].sort(
    (a, b) => place(a) - place(b) || (a.type < b.type ? -1 : 1),
  )
}

export const conditionsOf = (o: KubeObject): readonly FluxCondition[] => {
  const list = at(o, 'status', 'conditions')
  return isArray(list) ? (list as unknown as readonly FluxCondition[]) : []
}

export function writtenOf(o: KubeObject): WrittenStatus {
  const { conditions: _, ...status } = (o.status ?? {}) as StatusFields
  return { conditions: conditionsOf(o), status, finalizers: o.metadata.finalizers ?? [] }
}

/** Whether a condition has this status. */
export const isCondition = (o: KubeObject, type: string, status: string): boolean =>
  conditionsOf(o).some((c) => c.type === type && c.status === status)

export class FluxSubject {
  readonly object: KubeObject
  written: WrittenStatus
  private readonly now: () => string

  constructor(object: KubeObject, now: () => string) {
    this.object = object
    this.written = writtenOf(object)
    this.now = now
  }

  get generation(): number {
    return this.object.metadata.generation ?? 0
  }

  mark(type: string, status: 'True' | 'False' | 'Unknown', reason: string, message: string): void {
    const wanted = { type, status, reason, message, observedGeneration: this.generation }
    this.conditions = withCondition(this.written.conditions, wanted, this.now())
  }

  /** Progress and standstill exclude each other. */
  reconciling(reason: string, message: string): void {
    this.drop('Stalled')
    this.mark('Reconciling', 'True', reason, message)
  }

  stalled(reason: string, message: string): void {
    this.drop('Reconciling')
    this.mark('Stalled', 'True', reason, message)
  }

  /** An expression that cannot be used: it is not tried again until it is another one. */
  invalid(problem: string): void {
    const message = `Reconciliation failed terminally due to configuration error: ${problem}`
    this.mark('Ready', 'False', 'InvalidCELExpression', message)
    this.stalled('InvalidCELExpression', message)
  }

  drop(type: string): void {
    this.conditions = this.written.conditions.filter((c) => c.type !== type)
  }

  get(type: string): FluxCondition | undefined {
    return this.written.conditions.find((c) => c.type === type)
  }

  is(type: string, status: string): boolean {
    return this.get(type)?.status === status
  }

  set(fields: StatusFields): void {
    this.written = { ...this.written, status: { ...this.written.status, ...fields } }
  }

  /** A member of the status. */
  field(name: string): JsonValue | undefined {
    return this.written.status[name]
  }

  set finalizers(finalizers: readonly string[]) {
    this.written = { ...this.written, finalizers }
  }

  private set conditions(conditions: readonly FluxCondition[]) {
    this.written = { ...this.written, conditions }
  }
}
