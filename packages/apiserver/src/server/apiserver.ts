import {
  type Env,
  err,
  type Handler,
  type Result,
  requestTarget,
  type ServerRequest,
  type ServerResponse,
} from '@lockstep/kube/env'
import { httpDate } from '@lockstep/kube/object'
import { attributesOf } from '../auth/attributes.ts'
import type { AccessOptions, Caller } from '../auth/authenticate.ts'
import { authenticate, OPEN } from '../auth/authenticate.ts'
import { authorizer } from '../auth/authorize.ts'
import { forbiddenAccess } from '../auth/forbiddenaccess.ts'
import { Impersonation } from '../auth/impersonation.ts'
import { keysAnswer } from '../auth/tokens/keysanswer.ts'
import type { User } from '../auth/user.ts'
import { answerHealth, answerVersion } from '../discovery/answerversion.ts'
import { ApiDiscovery } from '../discovery/apidiscovery.ts'
import { OpenApi } from '../discovery/openapi.ts'
import { failureAnswer } from '../render/jsonanswer.ts'
import { answerResource } from '../request/answerresource.ts'
import { parseRoute } from '../request/parseroute.ts'
import { internal, pageNotFound } from '../status/apifailure.ts'
import type { Snapshot } from '../store/snapshot.ts'
import type { ClusterProfile, EmbeddedCluster } from './embeddedcluster.ts'
import type { LocalApi } from './localapi.ts'
import { localApi } from './localapi.ts'
import { openCluster } from './opencluster.ts'
import type { CommitListener } from './tracewrites.ts'

export interface ApiServerOptions {
  readonly name: string
  /** `cluster` unless said otherwise. */
  readonly profile?: ClusterProfile
  /** Called for each committed write, before its answer and before any watcher sees it. */
  readonly onCommit?: CommitListener
  /** Who may come in: unless said otherwise, whoever reaches `handle` without credentials is an administrator. */
  readonly access?: AccessOptions
  /** The cluster starts with these objects, and is the same cluster to its clients: its identity is in them. */
  readonly from?: Snapshot
}

/** One cluster's API. */
export interface ApiServer {
  readonly name: string
  /** Serves it: behind `env.net.listen`, or called in this process. */
  readonly handle: Handler
  /** Serves it to others than `handle` does: who may come in there. */
  handleFor(access: AccessOptions): Handler
  /** The same API for callers in this process that need no HTTP. */
  readonly local: LocalApi
  /** `kube-system`'s uid: which cluster this is. */
  readonly identity: string
  /** All objects, for `from` of another server. Take it at rest: unfinished work of controllers starts again there. */
  snapshot(): Snapshot
}

/**
 * A Kubernetes API server for one cluster, in memory. Where `access` lets administrators in without credentials, it must
 * only be reachable from this machine.
 */
export function createApiServer(env: Env, options: ApiServerOptions): ApiServer {
  const { name, profile = 'cluster', onCommit, from } = options
  const cluster = openCluster(env, name, profile, onCommit, from)
  let requests = 0
  const documents: Documents = {
    discovery: new ApiDiscovery(cluster),
    openapi: new OpenApi(cluster),
    impersonation: new Impersonation(),
    nextId: () => `00000000-0000-4000-8000-${(++requests).toString(16).padStart(12, '0')}`,
  }
  const handleFor =
    (access: AccessOptions): Handler =>
    (request) =>
      answer(cluster, documents, access, request)
  const system = cluster.kinds.find('', 'v1', 'namespaces')?.table.live.get('kube-system')
  return {
    name,
    identity: system?.object.metadata.uid ?? '',
    handle: handleFor(options.access ?? OPEN),
    handleFor,
    local: localApi(cluster),
    snapshot: () => cluster.store.snapshot(),
  }
}

interface Documents {
  readonly discovery: ApiDiscovery
  readonly openapi: OpenApi
  readonly impersonation: Impersonation
  /** Names a request in logs: a counter in the form of a UUID. */
  readonly nextId: () => string
}

async function answer(
  cluster: EmbeddedCluster,
  documents: Documents,
  access: AccessOptions,
  request: ServerRequest,
): Promise<ServerResponse> {
  const { path, query } = requestTarget(request.url)
  const response = await answered(cluster, async () => {
    const user = admitted(cluster, documents.impersonation, access, path, query, request)
    return user.ok
      ? dispatch(cluster, documents, path, query, request, { user: user.value, access })
      : user.error
  })
  // A process has one clock: the one that stamps objects says what time it is.
  const date = httpDate(cluster.env.clock.now())
  return { ...response, headers: { ...response.headers, date, 'audit-id': documents.nextId() } }
}

/** Who makes the request, if they may: asked before anything is looked up, so a refusal does not tell what is there. */
function admitted(
  cluster: EmbeddedCluster,
  impersonation: Impersonation,
  access: AccessOptions,
  path: string,
  query: URLSearchParams,
  request: ServerRequest,
): Result<User, ServerResponse> {
  const known = authenticate(cluster, request, access)
  if (!known.ok) return err(failureAnswer(known.error))
  const authorize = authorizer(cluster)
  const attributes = attributesOf(request.method, path, query)
  const user = impersonation.userOf({ user: known.value, request: attributes, authorize }, request)
  if (!user.ok) return user
  const decision = authorize(user.value, attributes)
  return decision.allowed
    ? user
    : err(failureAnswer(forbiddenAccess(user.value, attributes, decision.reason)))
}

/** A bug of ours must not take the other requests with it: it is logged, and this one gets a 500. */
async function answered(
  cluster: EmbeddedCluster,
  make: () => Promise<ServerResponse>,
): Promise<ServerResponse> {
  try {
    return await make()
  } catch (e) {
    const message = e instanceof Error ? (e.stack ?? e.message) : String(e)
    cluster.env.log.error('request failed by a bug', { cluster: cluster.name, err: message })
    return failureAnswer(internal(`Internal error occurred: ${e instanceof Error ? e.message : String(e)}`))
  }
}

async function dispatch(
  cluster: EmbeddedCluster,
  documents: Documents,
  path: string,
  query: URLSearchParams,
  request: ServerRequest,
  caller: Caller,
): Promise<ServerResponse> {
  const route = parseRoute(path)
  if (route) return answerResource(cluster, route, query, request, caller)
  if (path === '/version' || path === '/version/') return answerVersion()
  if (path === '/healthz' || path === '/livez' || path === '/readyz') return answerHealth(path, query)
  if (path === '/openid/v1/jwks') return keysAnswer(cluster)
  const { discovery, openapi } = documents
  return (
    openapi.answer(path, query, request) ?? discovery.answer(path, request) ?? failureAnswer(pageNotFound)
  )
}
