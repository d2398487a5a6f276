import { at, isArray, type JsonObject, type JsonValue, type KubeObject } from '@lockstep/kube/object'

export interface DefinitionCondition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** The list with this condition in place; its time moves only when its status does. The list itself if it says so already. */
export function withCondition(
  list: readonly JsonObject[],
  c: DefinitionCondition,
  now: string,
): readonly JsonObject[] {
  const i = list.findIndex((x) => x.type === c.type)
  const old = list[i]
  if (old && old.status === c.status && old.reason === c.reason && old.message === c.message) return list
  const next: JsonObject = {
    type: c.type,
    status: c.status,
    lastTransitionTime: old && old.status === c.status ? old.lastTransitionTime : now,
    reason: c.reason,
    message: c.message,
  }
  return old ? list.map((x, n) => (n === i ? next : x)) : [...list, next]
}

export function conditionsOf(o: KubeObject): readonly JsonObject[] {
  const list = at(o, 'status', 'conditions')
  return isArray(list) ? (list as readonly JsonObject[]) : []
}

export const isTrue = (o: KubeObject, type: string): boolean =>
  conditionsOf(o).some((c) => c.type === type && c.status === 'True')

export const statusWith = (o: KubeObject, members: Readonly<Record<string, JsonValue>>): KubeObject => ({
  ...o,
  status: { ...(o.status as JsonObject | undefined), ...members },
})
