/** Repositories for tests: made with git's plumbing, so that also what no work tree could hold can be committed. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

const WHEN = '2026-01-01T00:00:00Z'

/** A file's content, or an entry of another kind. */
export type Content = string | { readonly link: string } | { readonly submodule: string }

export class TestRepository {
  readonly dir: string
  private readonly blobs = new Map<string, string>()

  constructor(root: string, name: string) {
    this.dir = join(root, name)
    mkdirSync(this.dir, { recursive: true })
    this.git(['init', '-q', '--bare', '-b', 'main', '.'])
  }

  /** Commits these files, and nothing else, on a branch; returns the commit's id. */
  commit(files: Readonly<Record<string, Content>>, branch = 'main'): string {
    const lines = Object.entries(files).map(([path, content]) => `${this.entry(content)}\t${path}`)
    const index = { GIT_INDEX_FILE: join(this.dir, 'index.test') }
    this.git(['read-tree', '--empty'], { env: index })
    this.git(['update-index', '--index-info'], { env: index, input: `${lines.join('\n')}\n` })
    const tree = this.git(['write-tree'], { env: index })
    return this.commitTree(tree, branch)
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

  git(args: readonly string[], o: { env?: Record<string, string>; input?: string } = {}): string {
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

  private entry(content: Content): string {
    if (typeof content === 'object' && 'submodule' in content) return `160000 ${content.submodule}`
    const input = typeof content === 'string' ? content : content.link
    const id = this.blobs.get(input) ?? this.git(['hash-object', '-w', '--stdin'], { input })
    this.blobs.set(input, id)
    return `${typeof content === 'string' ? '100644' : '120000'} ${id}`
  }
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
