/**
 * A Git host for tests and demos: GitHub, GitLab or Gitea, as far as promotions ask it for something, with what goes wrong and
 * what people do. It serves whoever reaches it, so it belongs on loopback.
 */
import { type Env, type Handler, type ServerRequest, type ServerResponse, sleep } from '@lockstep/kube/env'
import { base64ToBytes, httpDate, isObject, type JsonObject } from '@lockstep/kube/object'
import { backend } from './backend.ts'
import { BareStore } from './barestore.ts'
import { giteaDialect } from './giteadialect.ts'
import { githubDialect } from './githubdialect.ts'
import { gitlabDialect } from './gitlabdialect.ts'
import type { GitStore } from './gitstore.ts'
import type { HostDialect, HostReply } from './hostdialect.ts'
import { HostedRepository } from './hostedrepository.ts'
import { type HostFault, HostFaults } from './hostfault.ts'
import { HostLimits } from './hostlimits.ts'
import { plainDialect } from './plaindialect.ts'

export type HostKind = 'github' | 'gitlab' | 'gitea'

export interface GitHostOptions {
  readonly provider: HostKind
  /** By `owner/repository`; GitLab: all groups before it. */
  readonly repositories: Readonly<Record<string, GitStore>>
  /** Absent: anybody is let in. */
  readonly token?: string
}

/** A request that has come in, also one that was lost. */
export interface SeenRequest {
  readonly at: number
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Undefined: it has no answer, or none yet. */
  readonly status: number | undefined
}

const DIALECTS: Readonly<Record<HostKind, HostDialect>> = {
  github: githubDialect,
  gitlab: gitlabDialect,
  gitea: giteaDialect,
}
/** As `git http-backend` is given here: whole commits come as JSON, too. */
const MAX_BODY = 64 * 1024 * 1024

export class TestGitHost {
  readonly provider: HostKind
  readonly faults = new HostFaults()
  readonly limits: HostLimits
  readonly requests: SeenRequest[] = []
  private readonly env: Env
  private readonly dialect: HostDialect
  private readonly hosted: ReadonlyMap<string, HostedRepository>
  private token: string | undefined

  constructor(env: Env, o: GitHostOptions) {
    this.env = env
    this.provider = o.provider
    this.dialect = DIALECTS[o.provider]
    this.limits = new HostLimits(env.clock)
    this.token = o.token
    this.hosted = new Map(
      Object.entries(o.repositories).map(([name, store]) => [
        name,
        new HostedRepository(env.clock, name, store, this.dialect.ways),
      ]),
    )
  }

  /** Its branches and pull requests, and what people do with them. */
  repository(name: string): HostedRepository {
    const found = this.hosted.get(name)
    if (!found)
      throw new Error(
        `repository ${name} does not exist; repositories: ${[...this.hosted.keys()].join(', ')}`,
      )
    return found
  }

  /** From now on only this token is let in. */
  rotate(token: string): void {
    this.token = token
  }

  /** For `env.net.listen`, or a server of a simulation. */
  readonly handle: Handler = async (request) => {
    const place = this.requests.length
    const seen: SeenRequest = {
      at: this.env.clock.now(),
      method: request.method,
      path: request.url,
      status: undefined,
    }
    this.requests.push(seen)
    const answer = await this.withFaults(request, this.faults.of(request.method, request.url))
    if (answer.cut !== 'unsent') this.requests[place] = { ...seen, status: answer.status }
    return answer
  }

  private async withFaults(from: ServerRequest, faults: readonly HostFault[]): Promise<ServerResponse> {
    let request = faults.some((f) => f.kind === 'late') ? await kept(from) : from
    for (const fault of faults) {
      if (fault.kind === 'drop') return DROPPED
      if (fault.kind === 'late') await sleep(this.env.clock, fault.ms)
      if (fault.kind === 'delay') await sleep(this.env.clock, fault.ms, request.signal)
      if (fault.kind === 'before') await fault.act()
      if (fault.kind === 'status' && !fault.isDone) return badGateway(fault)
      if (fault.kind === 'limit') {
        if (fault.which === 'primary') this.limits.close(fault.seconds)
        return this.rendered(
          this.dialect.limited(fault.which, fault.seconds, this.env.clock.now(), fault.status),
        )
      }
      if (fault.kind === 'cut-upload') {
        const body = await request.body(fault.bytes)
        if (!body.ok) return DROPPED
        request = { ...request, body: async () => body }
      }
    }
    // Who has gone during a delay is not served, as after a connection that never reached the host.
    if (request.signal.aborted) return DROPPED
    let answer = await this.answer(request)
    for (const fault of faults) {
      if (fault.kind === 'after') await fault.act()
      if (fault.kind === 'lose') return DROPPED
      if (fault.kind === 'half') answer = { ...answer, cut: 'half' }
      if (fault.kind === 'status' && fault.isDone) answer = badGateway(fault)
      if (fault.kind === 'cut-json' && typeof answer.body === 'string')
        answer = { ...answer, body: answer.body.slice(0, answer.body.length >> 1) }
    }
    return answer
  }

  private async answer(request: ServerRequest): Promise<ServerResponse> {
    const [path = '', query = ''] = request.url.split(/\?(.*)/s)
    const isGit = /^\/(.+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(path)
    if (!this.isLetIn(request.headers.authorization))
      return isGit ? ASK_FOR_NAME : this.rendered(this.dialect.unauthorized)
    if (isGit) return this.git(isGit[1]!, isGit[2]!, query, request)
    const body = await bodyOf(request)
    if (!body) return this.rendered({ status: 413 })
    const json = /^\/-\/git\/(.+?)\/(refs|blobs|push|(?:history|tree)\/[0-9a-f]{40})$/.exec(path)
    if (json) {
      const repo = this.hosted.get(json[1]!)
      return this.rendered(
        repo
          ? await plainDialect(request.method, json[2]!, new URLSearchParams(query), body, repo)
          : { status: 404 },
      )
    }
    const prefix = this.dialect.prefixes.find((p) => path.startsWith(`${p}/`))
    if (prefix === undefined) return this.rendered({ status: 404 })
    const limited = this.limits.count(this.provider, request.method)
    if (limited)
      return this.rendered(this.dialect.limited(limited.which, limited.seconds, this.env.clock.now()))
    const origin = originOf(request)
    const self = origin + path
    const asked = {
      method: request.method,
      path: path.slice(prefix.length),
      query: new URLSearchParams(query),
      body,
      origin,
      self,
    }
    return this.rendered(await this.dialect.answer({ ...asked, repository: (name) => this.hosted.get(name) }))
  }

  private async git(
    name: string,
    rest: string,
    query: string,
    request: ServerRequest,
  ): Promise<ServerResponse> {
    const repo = this.hosted.get(name)
    if (!(repo?.store instanceof BareStore))
      return { status: 404, headers: {}, body: 'Repository not found.\n' }
    const { store } = repo
    const serve = () => backend(this.env, store, rest, query, request)
    return rest === 'git-receive-pack' ? repo.pushed(serve) : serve()
  }

  private isLetIn(authorization: string | undefined): boolean {
    if (this.token === undefined) return true
    const [scheme, value = ''] = (authorization ?? '').split(' ')
    if (scheme === 'Bearer' || scheme === 'token') return value === this.token
    if (scheme !== 'Basic') return false
    return new TextDecoder().decode(base64ToBytes(value)).replace(/^[^:]*:/, '') === this.token
  }

  private rendered(reply: HostReply): ServerResponse {
    const now = this.env.clock.now()
    return {
      status: reply.status,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        date: httpDate(now),
        ...this.dialect.headers(this.limits.left()),
        ...reply.headers,
      },
      body: reply.json === undefined ? '' : JSON.stringify(reply.json),
    }
  }
}

export const openGitHost = (env: Env, o: GitHostOptions): TestGitHost => new TestGitHost(env, o)

const DROPPED: ServerResponse = { status: 0, headers: {}, body: '', cut: 'unsent' }

/** All of it is here, and nobody's going changes anything. */
async function kept(request: ServerRequest): Promise<ServerRequest> {
  const body = await request.body(MAX_BODY)
  return { ...request, signal: new AbortController().signal, body: async () => body }
}

/** What git asks for a name and a password for. */
const ASK_FOR_NAME: ServerResponse = {
  status: 401,
  headers: { 'www-authenticate': 'Basic realm="Git"' },
  body: 'Authentication required.\n',
}

function badGateway(fault: { readonly status: number; readonly retryAfterS?: number }): ServerResponse {
  const retry: Record<string, string> =
    fault.retryAfterS === undefined ? {} : { 'retry-after': String(fault.retryAfterS) }
  const body = `<html><body><h1>${fault.status} Server Error</h1></body></html>`
  return { status: fault.status, headers: { 'content-type': 'text/html', ...retry }, body }
}

const originOf = (request: ServerRequest): string => `http://${request.headers.host ?? 'githost.test'}`

/** Undefined: it is too long, or did not come to its end. What is no JSON says nothing. */
async function bodyOf(request: ServerRequest): Promise<JsonObject | undefined> {
  const body = await request.body(MAX_BODY)
  if (!body.ok) return undefined
  if (body.value.length === 0) return {}
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(body.value))
    return isObject(json) ? json : {}
  } catch {
    return {}
  }
}
