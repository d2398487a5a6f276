import type { ServerRequest, ServerResponse } from '@lockstep/kube/env'
import { encodeJson, isArray, isObject, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import { failureAnswer, headersFor, jsonAnswer } from '../render/jsonanswer.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import { builtinDefinitions, builtinResources } from '../schema/builtinresource.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import { pageNotFound } from '../status/apifailure.ts'
import { VERSION } from './answerversion.ts'
import { sha512Hex } from './sha512hex.ts'

const ROOT = '/openapi/v3'
const YEAR = 'public, immutable, max-age=31536000'

/** Documents of the built-in group versions are the same in every cluster of a process. */
const shared = new Map<string, OpenApiDocument>()

interface OpenApiDocument {
  readonly text: string
  readonly hash: string
}

/** `/openapi/v3`: a document a group version (kube-openapi `pkg/handler3`). */
export class OpenApi {
  private readonly cluster: EmbeddedCluster
  private readonly own = new Map<string, OpenApiDocument>()
  private revision = -1

  constructor(cluster: EmbeddedCluster) {
    this.cluster = cluster
  }

  answer(path: string, query: URLSearchParams, request: ServerRequest): ServerResponse | undefined {
    if (path === ROOT || path === `${ROOT}/`) return jsonAnswer(200, encodeJson(this.index()))
    if (!path.startsWith(`${ROOT}/`)) return undefined
    const id = path.slice(ROOT.length + 1)
    const document = this.paths().includes(id) ? this.document(id) : undefined
    if (!document) return failureAnswer(pageNotFound)
    const hash = query.get('hash')
    const etag = `"${document.hash}"`
    if (hash !== null && hash !== document.hash)
      return { status: 301, headers: { location: urlOf(id, document.hash) }, body: '' }
    const headers = { ...headersFor('application/json'), etag, vary: 'Accept' }
    const cached = hash === null ? headers : { ...headers, 'cache-control': YEAR }
    if (request.headers['if-none-match'] === etag) return { status: 304, headers: cached, body: '' }
    return { status: 200, headers: cached, body: document.text }
  }

  private index(): object {
    const entries = this.paths().map((id) => [id, { serverRelativeURL: urlOf(id, this.document(id).hash) }])
    return { paths: Object.fromEntries(entries) as object }
  }

  private paths(): string[] {
    return [...new Set(this.cluster.kinds.all().map(pathOf))].sort()
  }

  private document(id: string): OpenApiDocument {
    const { kinds } = this.cluster
    if (this.revision !== kinds.revision) this.own.clear()
    this.revision = kinds.revision
    const here = kinds.all().filter((k) => pathOf(k) === id)
    const cache = here.some((k) => k.custom) ? this.own : shared
    const known = cache.get(id)
    if (known) return known
    const text = encodeJson(documentOf(here))
    const made = { text, hash: sha512Hex(text).toUpperCase() }
    cache.set(id, made)
    return made
  }
}

const pathOf = ({ info }: ServedKind): string =>
  info.group === '' ? `api/${info.version}` : `apis/${info.group}/${info.version}`
const urlOf = (id: string, hash: string): string => `${ROOT}/${id}?hash=${hash}`

function documentOf(kinds: readonly ServedKind[]): object {
  const schemas = new Map<string, JsonValue>()
  const paths: { [path: string]: object } = {}
  for (const kind of kinds) {
    const name = schemaName(kind)
    const gvk = { group: kind.info.group, version: kind.info.version, kind: kind.info.kind }
    addSchema(schemas, name, kind.schema.schema as unknown as JsonObject | undefined, gvk)
    paths[resourcePath(kind)] = { patch: patchOperation(gvk) }
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: VERSION.gitVersion },
    paths,
    components: { schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))) },
  }
}

function schemaName({ info, custom }: ServedKind): string {
  if (custom) return [...info.group.split('.').reverse(), info.version, info.kind].join('.')
  const r = builtinResources().find(
    (b) => b.group === info.group && b.version === info.version && b.kind === info.kind,
  )
  return r?.type ?? info.kind
}

/** Clients look here for what the server can: dry runs and field validation (kubectl `cmd/util`). */
function patchOperation(gvk: object): object {
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
    name,
    in: 'query',
    schema: { type: name === 'force' ? 'boolean' : 'string', uniqueItems: true },
  }))
  return {
    parameters,
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': gvk,
  }
}

const resourcePath = (kind: ServedKind): string =>
  `/${pathOf(kind)}${kind.info.namespaced ? '/namespaces/{namespace}' : ''}/${kind.info.plural}/{name}`

/** A schema and everything it refers to. */
function addSchema(
  into: Map<string, JsonValue>,
  name: string,
  schema: JsonObject | undefined,
  gvk?: object,
): void {
  if (into.has(name)) return
  const referred = new Set<string>()
  const body = rewrite(schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, referred)
  const extra = gvk ? { 'x-kubernetes-group-version-kind': [gvk] as unknown as JsonValue } : {}
  into.set(name, { ...(body as JsonObject), ...extra })
  for (const r of referred) addSchema(into, r, builtinDefinitions()[r] as unknown as JsonObject | undefined)
}

/** References of ours are names; documents refer by path, and beside a default only within `allOf`. */
function rewrite(value: JsonValue, referred: Set<string>): JsonValue {
  if (isArray(value)) return value.map((v) => rewrite(v, referred))
  if (!isObject(value)) return value
  const { $ref, ...rest } = value
  const out = Object.fromEntries(
    Object.entries(rest).map(([k, v]) => [k, v === undefined ? undefined : rewrite(v, referred)]),
  )
  if (typeof $ref !== 'string') return value.$ref === undefined ? (out as JsonObject) : value
  referred.add($ref)
  const target = { $ref: `#/components/schemas/${$ref}` }
  return Object.keys(out).length === 0 ? target : { allOf: [target], ...(out as JsonObject) }
}
