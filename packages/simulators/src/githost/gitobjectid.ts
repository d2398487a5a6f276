/**
 * Git's objects, as far as their ids need it: equal content has equal ids, here and in git (gitformat-pack, git-hash-object).
 * A tree is a flat map of whole paths; its directories are objects only while ids are computed.
 */
import { createHash } from 'node:crypto'

/** 40 hex digits. */
export type GitObjectId = string

export interface HostTreeEntry {
  /** `100644`, `100755`, `120000`, `160000`. */
  readonly mode: string
  readonly id: GitObjectId
}

export type GitFiles = ReadonlyMap<string, HostTreeEntry>

export interface GitCommit {
  readonly tree: GitObjectId
  readonly parents: readonly GitObjectId[]
  /** `Name <address> 1767225600 +0000` */
  readonly author: string
  readonly committer: string
  readonly message: string
}

const encoder = new TextEncoder()

function idOf(type: 'blob' | 'tree' | 'commit', content: Uint8Array): GitObjectId {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}

export const blobId = (content: Uint8Array): GitObjectId => idOf('blob', content)

export function treeId(files: GitFiles): GitObjectId {
  const here: [name: string, entry: HostTreeEntry][] = []
  const below = new Map<string, Map<string, HostTreeEntry>>()
  for (const [path, entry] of files) {
    const slash = path.indexOf('/')
    if (slash < 0) here.push([path, entry])
    else {
      const name = path.slice(0, slash)
      const inner = below.get(name) ?? new Map<string, HostTreeEntry>()
      below.set(name, inner.set(path.slice(slash + 1), entry))
    }
  }
  for (const [name, inner] of below) here.push([name, { mode: '40000', id: treeId(inner) }])
  // Names of directories are compared as if they ended in a slash (git's base_name_compare).
  const key = ([name, e]: [string, HostTreeEntry]) => Buffer.from(e.mode === '40000' ? `${name}/` : name)
  here.sort((a, b) => Buffer.compare(key(a), key(b)))
  const parts = here.map(([name, e]) =>
    Buffer.concat([Buffer.from(`${e.mode} ${name}\0`), Buffer.from(e.id, 'hex')]),
  )
  return idOf('tree', Buffer.concat(parts))
}

export function commitText(c: GitCommit): string {
  const head = [
    `tree ${c.tree}`,
    ...c.parents.map((p) => `parent ${p}`),
    `author ${c.author}`,
    `committer ${c.committer}`,
  ]
  return `${head.join('\n')}\n\n${c.message}`
}

export const commitId = (c: GitCommit): GitObjectId => idOf('commit', encoder.encode(commitText(c)))

/** Of the text that `commitText` writes, also with headers that are not looked at (signatures, encodings). */
export function readCommit(text: string): GitCommit {
  const end = text.indexOf('\n\n')
  const lines = text.slice(0, end).split('\n')
  const all = (name: string): string[] =>
    lines.filter((l) => l.startsWith(`${name} `)).map((l) => l.slice(name.length + 1))
  return {
    tree: all('tree')[0] ?? '',
    parents: all('parent'),
    author: all('author')[0] ?? '',
    committer: all('committer')[0] ?? '',
    message: text.slice(end + 2),
  }
}

/** `at`: milliseconds since the epoch. */
export const personAt = (person: string, at: number): string => `${person} ${Math.floor(at / 1000)} +0000`

/** A commit's message ends with a line end, as git makes it. */
export const ended = (message: string): string => (message.endsWith('\n') ? message : `${message}\n`)
