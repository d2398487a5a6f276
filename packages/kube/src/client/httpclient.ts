import type { Env } from '../env/env.ts'
import type { Connection } from '../env/net.ts'
import { err, ok } from '../env/result.ts'
import type { RequestScope } from '../env/watchcount.ts'
import { podKind, serviceAccountKind, tokenRequestKind } from '../kinds/types.ts'
import type { Kind, Stored } from '../object/kind.ts'
import type { KubeObject, ManagedFieldsEntry } from '../object/kubeobject.ts'
import { apiVersionOf, type Key, keyOf } from '../object/objectref.ts'
import type {
  ApplyOptions,
  FieldValidation,
  ImpersonatingClient,
  KubeClient,
  KubeResult,
  ListOptions,
  LogOptions,
  Page,
  Precondition,
  Propagation,
  TokenOptions,
  WriteOptions,
} from './client.ts'
import { decodeDeletion } from './decode.ts'
import { discoverResources } from './discoverresources.ts'
import { ListDecoder } from './listdecoder.ts'
import { objectPath, queryOf } from './objectpath.ts'
import { acceptOf, nameOf, watchEvents } from './watch.ts'
import { type ClientName, ClientWire } from './wire.ts'

/** The client over HTTP; `connection` may as well end in this process. `agent` names the program in audit and traces, `scope` the server in metrics. */
export function createHttpClient(
  env: Env,
  cluster: string,
  connection: Connection,
  agent = 'lockstep',
  scope: RequestScope = 'hub',
): ImpersonatingClient {
  const name = { cluster, scope, agent }
  const as = (user: string): KubeClient => clientOver(env, name, actingAs(connection, user))
  return Object.assign(clientOver(env, name, connection), { as })
}

/** Each request is authorized as one of that user; to close it does not close the shared connection. */
const actingAs = (connection: Connection, user: string): Connection => ({
  request: (r) => connection.request({ ...r, headers: { ...r.headers, 'impersonate-user': user } }),
  close: async () => {},
})

function clientOver(env: Env, name: ClientName, connection: Connection): KubeClient {
  const wire = new ClientWire(env, name, connection)
  return {
    cluster: name.cluster,
    get serverTime() {
      return wire.clock.time
    },
    get: (kind, key, call) =>
      wire.object({ verb: 'get', kind, key, method: 'GET', path: objectPath(kind, key), call }),
    list: (kind, o) => list(wire, kind, o),
    watch: (kind, o) => watchEvents(wire, kind, o),
    create: (kind, body, o) =>
      wire.object({
        verb: 'create',
        kind,
        key: keyOf(body),
        method: 'POST',
        path:
          objectPath(kind, { ...(body.metadata.namespace ? { namespace: body.metadata.namespace } : {}) }) +
          writeQuery(o),
        body: typed(kind, body),
        call: o,
        isDryRun: o.dryRun,
      }),
    apply: (kind, body, o) => apply(wire, kind, body, o),
    patch: (kind, key, patch, o) =>
      wire.object({
        verb: 'patch',
        kind,
        key,
        method: 'PATCH',
        path: objectPath(kind, key, o.subresource) + writeQuery(o),
        body: withFence(withoutOwners(kind, patch as unknown as KubeObject), o.precondition),
        contentType: 'application/merge-patch+json',
        call: o,
        isDryRun: o.dryRun,
      }),
    update: (kind, body, o) =>
      wire.object({
        verb: 'update',
        kind,
        key: keyOf(body),
        method: 'PUT',
        path: objectPath(kind, keyOf(body), o.subresource) + writeQuery(o),
        body: withoutOwners(kind, typed(kind, body)),
        call: o,
        isDryRun: o.dryRun,
      }),
    delete: (kind, key, o) => remove(wire, kind, key, o),
    token: (account, o) => token(wire, account, o),
    logs: (pod, o) => logs(wire, pod, o),
    discover: (call) => discoverResources(wire, call),
    close: () => wire.close(),
  }
}

async function list<T extends KubeObject>(
  wire: ClientWire,
  kind: Kind<T>,
  o: ListOptions<T>,
): Promise<KubeResult<Page<T>>> {
  const query = queryOf({
    labelSelector: o.labelSelector,
    fieldSelector: o.fieldSelector,
    limit: o.limit,
    continue: o.continue,
    resourceVersion: o.resourceVersion,
  })
  const key = o.namespace ? { namespace: o.namespace } : {}
  const sent = {
    verb: 'list',
    kind,
    key,
    method: 'GET',
    path: objectPath(kind, key) + query,
    ...acceptOf('PartialObjectMetadataList', o.fields),
    call: o,
  } as const
  const asked = { kind, key: { ...key, ...nameOf(o) }, fields: o.fields }
  const items: Stored<T>[] = []
  const head = await wire.page(sent, new ListDecoder<T>(asked, o.each ?? ((object) => items.push(object))))
  return head.ok ? ok({ ...head.value, items }) : head
}

/** Characters of a token, and most of them that fit a header. */
const TOKEN = /^[\w.~+/=-]{1,16384}$/

/** Checks the characters: another program may answer, and a token goes into headers and kubeconfigs. */
async function token(wire: ClientWire, account: Key, o: TokenOptions): Promise<KubeResult<string>> {
  const sent = {
    verb: 'create',
    kind: tokenRequestKind,
    key: account,
    method: 'POST',
    path: objectPath(serviceAccountKind, account, 'token'),
    body: typed(tokenRequestKind, { metadata: {}, spec: { expirationSeconds: o.seconds } } as never),
    call: o,
  } as const
  const answer = await wire.object(sent)
  if (!answer.ok) return answer
  const issued = answer.value.status?.token
  return issued !== undefined && TOKEN.test(issued)
    ? ok(issued)
    : err(wire.malformed(sent, { problem: 'no token', isTooLong: false }))
}

function logs(wire: ClientWire, pod: Key, o: LogOptions): Promise<KubeResult<string>> {
  const { container, tailLines, limitBytes } = o
  const path = objectPath(podKind, pod, 'log') + queryOf({ container, tailLines, limitBytes })
  return wire.text({ verb: 'get', kind: podKind, key: pod, method: 'GET', path, accept: '*/*', call: o })
}

function apply<T extends KubeObject>(
  wire: ClientWire,
  kind: Kind<T>,
  body: KubeObject,
  o: ApplyOptions,
): Promise<KubeResult<Stored<T>>> {
  const query = queryOf({
    fieldManager: o.manager,
    force: o.force,
    fieldValidation: o.validate,
    dryRun: o.dryRun ? 'All' : undefined,
  })
  return wire.object({
    verb: 'apply',
    kind,
    key: keyOf(body),
    method: 'PATCH',
    path: objectPath(kind, keyOf(body), o.subresource) + query,
    body: withFence(body, o.precondition),
    contentType: 'application/apply-patch+yaml',
    call: o,
    isDryRun: o.dryRun,
  })
}

async function remove(
  wire: ClientWire,
  kind: Kind,
  key: Key,
  o: WriteOptions & { precondition: Precondition | 'any'; propagation?: Propagation },
): Promise<KubeResult<void>> {
  const preconditions = o.precondition === 'any' || o.precondition === 'absent' ? undefined : o.precondition
  const sent = {
    verb: 'delete',
    kind,
    key,
    method: 'DELETE',
    path: objectPath(kind, key),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      // Where there is a body, a server reads no options from the query (apiserver `handlers/delete.go`).
      ...(o.dryRun ? { dryRun: ['All'] } : {}),
      ...(preconditions ? { preconditions } : {}),
      ...(o.propagation ? { propagationPolicy: o.propagation } : {}),
    },
    call: o,
    isDryRun: o.dryRun,
  } as const
  return wire.json(sent, (text) => decodeDeletion(text, sent))
}

const writeQuery = (o: WriteOptions & { readonly validate?: FieldValidation }): string =>
  queryOf({ fieldManager: o.manager, fieldValidation: o.validate, dryRun: o.dryRun ? 'All' : undefined })

const typed = (kind: Kind, body: KubeObject): KubeObject => ({
  ...body,
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
})

/** Resets the owners of a kind that is not tracked. */
const withoutOwners = (kind: Kind, body: KubeObject): KubeObject =>
  kind.isUntracked ? { ...body, metadata: { ...body.metadata, managedFields: RESET } } : body

/** apimachinery `managedfields`: it resets the list, and nothing is tracked from then until an apply. */
const RESET = [{}] as unknown as readonly ManagedFieldsEntry[]

/**
 * A version that no object can have: an apply that creates ignores it, one that meets an object is refused with
 * 409 before it changes anything (kubernetes/apiserver `pkg/endpoints/handlers/patch.go`).
 */
const NO_VERSION = '1'

function withFence(body: KubeObject, precondition: Precondition | 'any'): KubeObject {
  if (precondition === 'any') return body
  const guard =
    precondition === 'absent'
      ? { resourceVersion: NO_VERSION }
      : { uid: precondition.uid, resourceVersion: precondition.resourceVersion }
  return { ...body, metadata: { ...body.metadata, ...guard } }
}
