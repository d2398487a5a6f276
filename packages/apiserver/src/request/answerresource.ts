import type { ServerRequest, ServerResponse } from '@lockstep/kube/env'
import { answerReview } from '../auth/answerreview.ts'
import type { Caller } from '../auth/authenticate.ts'
import { isReview } from '../auth/reviewfindings.ts'
import { answerTokenRequest } from '../auth/tokens/tokenrequest.ts'
import { answerFinalize } from '../namespaces/answerfinalize.ts'
import { failureAnswer } from '../render/jsonanswer.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { resourceOf } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { methodNotSupported, notServed, pageNotFound } from '../status/apifailure.ts'
import { answerCreate, answerPatch, answerUpdate } from './answercreate.ts'
import { answerDelete, answerDeleteCollection } from './answerdelete.ts'
import { answerGet, answerList } from './answerget.ts'
import { answerLog } from './answerlog.ts'
import { answerScale } from './answerscale.ts'
import { isTrue } from './listoptions.ts'
import type { Media } from './negotiate.ts'
import { negotiate } from './negotiate.ts'
import type { Route } from './parseroute.ts'
import type { RequestContext } from './requestcontext.ts'

/** Subresources that need a real node, or a version of ours that is to come. */
const NOT_SERVED: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'portforward',
  'proxy',
  'eviction',
  'binding',
  'ephemeralcontainers',
  'resize',
  'approval',
])

/** Answers a request for a resource. */
export async function answerResource(
  cluster: EmbeddedCluster,
  route: Route,
  query: URLSearchParams,
  request: ServerRequest,
  caller: Caller,
): Promise<ServerResponse> {
  const kind = cluster.kinds.find(route.group, route.version, route.plural)
  if (!kind) return failureAnswer(pageNotFound)
  const media = negotiate(request.headers.accept)
  if (!media.ok) return failureAnswer(media.error)
  const ask: RequestContext = { cluster, kind, route, query, request, warnings: [], ...caller }
  if (route.subresource !== '') return answerSubresource(ask, media.value)
  if (!kind.info.namespaced && route.namespace !== '') return failureAnswer(pageNotFound)
  if (!kind.custom && isReview(kind.info)) return answerReview(ask, media.value)
  return route.name === '' ? answerCollection(ask, media.value) : answerNamed(ask, media.value)
}

const refuse = (kind: ServedKind, verb: string): ServerResponse =>
  failureAnswer(methodNotSupported(resourceOf(kind), verb))

const can = (kind: ServedKind, verb: string): boolean => kind.info.verbs.includes(verb)

async function answerCollection(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { kind, route } = ask
  const isAllNamespaces = kind.info.namespaced && route.namespace === ''
  switch (ask.request.method) {
    case 'GET':
    case 'HEAD':
      return can(kind, 'list') ? answerList(ask, media) : refuse(kind, 'list')
    case 'POST':
      return can(kind, 'create') && !isAllNamespaces ? answerCreate(ask, media) : refuse(kind, 'create')
    case 'DELETE':
      return can(kind, 'deletecollection') && !isAllNamespaces
        ? answerDeleteCollection(ask, media)
        : refuse(kind, 'deletecollection')
    default:
      return refuse(kind, verbOf(ask.request.method))
  }
}

async function answerNamed(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { kind } = ask
  switch (ask.request.method) {
    case 'GET':
    case 'HEAD':
      if (isTrue(ask.query.get('watch'))) return answerList(ask, media)
      return can(kind, 'get') ? answerGet(ask, media) : refuse(kind, 'get')
    case 'PUT':
      return can(kind, 'update') ? answerUpdate(ask, media) : refuse(kind, 'update')
    case 'PATCH':
      return can(kind, 'patch') ? answerPatch(ask, media) : refuse(kind, 'patch')
    case 'DELETE':
      return can(kind, 'delete') ? answerDelete(ask, media) : refuse(kind, 'delete')
    case 'POST':
      // The body is looked at before the verb: a broken one is a 400.
      return answerNamedPost(ask, media)
    default:
      return refuse(kind, verbOf(ask.request.method))
  }
}

async function answerNamedPost(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const answer = await answerCreate({ ...ask, route: { ...ask.route }, query: dry(ask.query) }, media)
  return answer.status === 400 ? answer : refuse(ask.kind, 'create')
}

const dry = (query: URLSearchParams): URLSearchParams => {
  const copy = new URLSearchParams(query)
  copy.set('dryRun', 'All')
  return copy
}

async function answerSubresource(ask: RequestContext, media: Media): Promise<ServerResponse> {
  const { kind, route } = ask
  const known = kind.info.subresources
  const isKnown = known !== undefined && Object.hasOwn(known, route.subresource)
  if (!isKnown) return failureAnswer(pageNotFound)
  if (NOT_SERVED.has(route.subresource))
    return failureAnswer(notServed(`${kind.info.plural}/${route.subresource}`))
  if (route.subresource === 'token') return answerTokenRequest(ask, media)
  if (route.subresource === 'log') return answerLog(ask)
  if (route.subresource === 'scale') return answerScale(ask, media)
  if (route.subresource === 'finalize') return answerFinalize(ask, media)
  switch (ask.request.method) {
    case 'GET':
    case 'HEAD':
      return answerGet(ask, media)
    case 'PUT':
      return answerUpdate(ask, media)
    case 'PATCH':
      return answerPatch(ask, media)
    default:
      return refuse(kind, verbOf(ask.request.method))
  }
}

const verbOf = (method: string): string =>
  ({ POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' })[method] ?? method.toLowerCase()
