import { exactName } from '../request/fieldselector.ts'
import { isTrue } from '../request/listoptions.ts'
import { parseRoute } from '../request/parseroute.ts'
import { pathSegment } from '../write/dns1123label.ts'

/** What somebody wants to do (apiserver pkg/authorization/authorizer Attributes). */
export type Attributes = ResourceAttributes | PathAttributes

export interface ResourceAttributes {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  /** Empty: at the scope of the cluster. */
  readonly namespace: string
  /** Empty: all, or one that has no name yet. */
  readonly name: string
}

export interface PathAttributes {
  readonly verb: string
  readonly path: string
}

/** Whether somebody may do it, and what is to be said about that. */
export interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** What a request wants (apiserver pkg/endpoints/request/requestinfo.go). */
export function attributesOf(method: string, path: string, query: URLSearchParams): Attributes {
  const route = parseRoute(path)
  if (!route) return { verb: method.toLowerCase(), path }
  const { group, plural: resource, subresource } = route
  const verb = Object.hasOwn(VERBS, method) ? VERBS[method]! : ''
  // A namespace is in itself: a Role in it may allow to read it.
  const namespace = resource === 'namespaces' && group === '' ? route.name : route.namespace
  const shared = { group, resource, subresource, namespace, name: route.name }
  if (verb === 'get' && isTrue(query.get('watch')))
    return { ...shared, verb: 'watch', ...named(route, query) }
  if (route.name !== '') return { ...shared, verb }
  if (verb === 'get') return { ...shared, verb: 'list', ...named(route, query) }
  if (verb === 'delete') return { ...shared, verb: 'deletecollection', ...named(route, query) }
  return { ...shared, verb }
}

/** A selector may ask for one name: then a right to that name is enough. */
function named({ name }: { readonly name: string }, query: URLSearchParams): { readonly name: string } {
  if (name !== '') return { name }
  const wanted = exactName(query.get('fieldSelector') ?? '') ?? ''
  return { name: pathSegment(wanted).length === 0 ? wanted : '' }
}
