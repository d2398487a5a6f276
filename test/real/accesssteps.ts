/** Requests that are made of both servers, one after the other. */
import type { JsonObject } from '../../packages/kube/src/object/index.ts'
import type { TwinRequest } from './servertwin.ts'

export const NS = '/api/v1/namespaces/default'

export interface AccessStep extends TwinRequest {
  readonly name: string
  /** Minor version of Kubernetes whose answer the embedded API gives; older servers refuse in other words. */
  readonly since?: number
}

export const as = (user: string, ...groups: string[]): Readonly<Record<string, string>> => ({
  'impersonate-user': user,
  ...(groups.length > 0 ? { 'impersonate-group': groups.join(', ') } : {}),
})

export const get = (name: string, path: string, more: Partial<AccessStep> = {}): AccessStep => ({
  name,
  method: 'GET',
  path,
  ...more,
})
export const post = (
  name: string,
  path: string,
  body: JsonObject,
  more: Partial<AccessStep> = {},
): AccessStep => ({
  name,
  method: 'POST',
  path,
  body,
  ...more,
})
