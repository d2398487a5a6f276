/**
 * A repository as JSON, under `/-/git/OWNER/REPOSITORY/…`: for simulations, where no git runs. What is pushed is compared with
 * what is there as git does it, and has the ids that git would give it.
 */
import {
  at,
  base64ToBytes,
  bytesToBase64,
  isArray,
  isObject,
  isString,
  type JsonObject,
} from '@lockstep/kube/object'
import type { GitCommit, HostTreeEntry } from './gitobjectid.ts'
import { history } from './gitstore.ts'
import type { HostReply } from './hostdialect.ts'
import type { HostedRepository } from './hostedrepository.ts'
import { MemoryStore } from './memorystore.ts'

const refusal = (status: number, message: string): HostReply => ({ status, json: { message } })

/** `rest`: `refs`, `history/ID?not=ID&limit=N`, `tree/ID`, `blobs`, `push`. */
export async function plainDialect(
  method: string,
  rest: string,
  query: URLSearchParams,
  body: JsonObject,
  repo: HostedRepository,
): Promise<HostReply> {
  const [verb, id = ''] = rest.split('/')
  const what = `${method} ${verb}`
  if (what === 'GET refs') return { status: 200, json: Object.fromEntries(await repo.store.branches()) }
  if (what === 'GET history') return commits(repo, id, query)
  if (what === 'GET tree') return tree(repo, id)
  if (what === 'POST blobs') return blobs(repo, body)
  if (what === 'POST push') return push(repo, body)
  return refusal(404, 'not found')
}

async function commits(repo: HostedRepository, id: string, query: URLSearchParams): Promise<HostReply> {
  if (!(await repo.store.commit(id))) return refusal(404, `not our ref ${id}`)
  const found = await history(
    repo.store,
    id,
    query.get('not') ?? undefined,
    Number(query.get('limit') ?? 1000),
  )
  return { status: 200, json: found.map((c) => ({ id: c.id, ...c.commit })) }
}

async function tree(repo: HostedRepository, id: string): Promise<HostReply> {
  const commit = await repo.store.commit(id)
  if (!commit) return refusal(404, `not our ref ${id}`)
  const files: JsonObject[] = []
  for (const [path, { mode, id: blob }] of await repo.store.files(id)) {
    const size = mode === '160000' ? 0 : (await repo.store.blob(blob)).length
    files.push({ path, mode, id: blob, size })
  }
  return { status: 200, json: { tree: commit.tree, files } }
}

async function blobs(repo: HostedRepository, body: JsonObject): Promise<HostReply> {
  const json: Record<string, string> = {}
  for (const id of isArray(body.ids) ? body.ids.filter(isString) : [])
    json[id] = bytesToBase64(await repo.store.blob(id))
  return { status: 200, json }
}

/** `{branch, from, to, objects: {blobs: {id: base64}, commits: [{…, files: [{path, mode, id}]}]}}`; null: absent. */
async function push(repo: HostedRepository, body: JsonObject): Promise<HostReply> {
  const [branch, from, to] = [String(body.branch), textOf(body.from), textOf(body.to)]
  const rejected = repo.store instanceof MemoryStore ? repo.store.rejection(branch) : undefined
  if (rejected !== undefined) return refusal(403, `[remote rejected] (hook declined): ${rejected}`)
  return repo.pushed(async () => {
    const now = (await repo.store.branches()).get(branch)
    if (now === to) return { status: 200, json: { result: 'same' } }
    if (now !== from) return refusal(409, '[rejected] (stale info)')
    await keep(repo, body)
    if (to !== undefined && !(await repo.store.commit(to))) return refusal(400, `commit ${to} was not sent`)
    await repo.store.move(branch, from, to)
    return { status: 200, json: { result: 'moved' } }
  })
}

async function keep(repo: HostedRepository, body: JsonObject): Promise<void> {
  const sent = at(body, 'objects', 'blobs')
  for (const text of isObject(sent) ? Object.values(sent) : [])
    await repo.store.put(base64ToBytes(String(text)))
  const made = at(body, 'objects', 'commits')
  for (const c of isArray(made) ? made : []) {
    const files = at(c, 'files')
    const entries = (isArray(files) ? files : []).map((f): [string, HostTreeEntry] => [
      String(at(f, 'path')),
      { mode: String(at(f, 'mode')), id: String(at(f, 'id')) },
    ])
    await repo.store.make(new Map(entries), c as unknown as Omit<GitCommit, 'tree'>)
  }
}

const textOf = (v: unknown): string | undefined => (typeof v === 'string' ? v : undefined)
