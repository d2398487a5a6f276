/** Repositories for tests: made with git's plumbing, so that also what no work tree could hold can be committed. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const WHEN = '2026-01-01T00:00:00Z'
const WHO = `test <test@example.com> ${Date.parse(WHEN) / 1000} +0000`

/** A file's content, or an entry of another kind. */
export type CommitContent = string | { readonly link: string } | { readonly submodule: string }

export class TestGitRepository {
  readonly dir: string

  constructor(root: string, name: string) {
    this.dir = join(root, name)
    mkdirSync(this.dir, { recursive: true })
    this.git(['init', '-q', '--bare', '-b', 'main', '.'])
  }

  /** Commits these files, and nothing else, on a branch; returns the commit's id. */
  commit(files: Readonly<Record<string, CommitContent>>, branch = 'main'): string {
    const ref = `refs/heads/${branch}`
    const parent = existsSync(join(this.dir, ref)) ? [`from ${ref}^0`] : []
    const lines = [
      `commit ${ref}`,
      'mark :1',
      `author ${WHO}`,
      `committer ${WHO}`,
      'data 6',
      'change',
      ...parent,
      'deleteall',
      ...Object.entries(files).map(entry),
      'get-mark :1',
    ]
    return this.git(['fast-import', '--quiet'], { input: `${lines.join('\n')}\n` })
  }

  /** A tree as it is written here, also one that git itself would not make. Names are bytes of Latin-1. */
  tree(entries: readonly (readonly [mode: string, name: string, id: string])[]): string {
    const raw = entries.map(
      ([mode, name, id]) => `${mode} ${name}\0${Buffer.from(id, 'hex').toString('latin1')}`,
    )
    return this.object('tree', Buffer.from(raw.join(''), 'latin1'))
  }

  /** An object of these bytes, whatever they are. */
  object(type: 'blob' | 'tree' | 'commit' | 'tag', input: string | Buffer): string {
    return this.git(['hash-object', '-w', '-t', type, '--literally', '--stdin'], { input })
  }

  /** Commits a tree that was made by hand. */
  commitTree(tree: string, branch = 'main'): string {
    const parent = this.tryGit(['rev-parse', '-q', '--verify', `refs/heads/${branch}`])
    const id = this.git(['commit-tree', tree, '-m', 'change', ...(parent ? ['-p', parent] : [])])
    this.git(['update-ref', `refs/heads/${branch}`, id])
    return id
  }

  /** `annotated`: a tag object of its own. */
  tag(name: string, commit: string, annotated = false): void {
    const flags = annotated ? ['-a', '-m', name] : []
    this.git(['tag', '-f', ...flags, name, commit])
  }

  git(args: readonly string[], o: { env?: Record<string, string>; input?: string | Buffer } = {}): string {
    const output = execFileSync('git', ['-C', this.dir, ...args], {
      env: { ...process.env, ...IDENTITY, ...o.env },
      stdio: ['pipe', 'pipe', 'ignore'],
      ...(o.input === undefined ? {} : { input: o.input }),
    })
    return output.toString().trim()
  }

  private tryGit(args: readonly string[]): string | undefined {
    try {
      return this.git(args)
    } catch {
      return undefined
    }
  }
}

/** A line of `git fast-import`, with what follows it. */
function entry([path, content]: [string, CommitContent]): string {
  if (typeof content === 'object' && 'submodule' in content) return `M 160000 ${content.submodule} ${path}`
  const [mode, text] = typeof content === 'string' ? ['100644', content] : ['120000', content.link]
  return `M ${mode} inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}`
}

const IDENTITY = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_AUTHOR_DATE: WHEN,
  GIT_COMMITTER_NAME: 'test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_COMMITTER_DATE: WHEN,
}
