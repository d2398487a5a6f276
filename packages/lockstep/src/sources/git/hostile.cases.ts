/** Malicious repositories, and names of them: each is refused by name, or is only files. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GitServer, serveGit } from '../../../../../test/git/gitserver.ts'
import { TestGitRepository } from '../../../../../test/git/testgitrepository.ts'
import { loopbackEnv } from '../../../../../test/kube/loopbackenv.ts'
import type { KubeClient } from '../../../../kube/src/client/client.ts'
import { ok } from '../../../../kube/src/env/result.ts'
import type { Secret } from '../../../../kube/src/kinds/types.ts'
import { bytesToBase64, digestOf } from '../../../../kube/src/object/index.ts'
import type { GitSource } from '../../api/kinds/module/sourcespec.ts'
import type { HubReader } from '../intake/resolvedsource.ts'
import { upstreamFetcher } from '../intake/upstreamfetcher.ts'
import { Upstreams } from '../intake/upstreams.ts'
import { resolveSource } from '../registry.ts'

const root = mkdtempSync(join(tmpdir(), 'lockstep-githostile-'))
/** Whatever is run makes this file. */
const MARKER = join(root, 'marker')
const RUN = `touch ${MARKER}`
const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
const SCRIPT = `#!/bin/sh\n${RUN}\n`

let server: GitServer
let upstreams: Upstreams
let wake = (): void => {}

beforeAll(async () => {
  server = await serveGit(root)
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'ca', namespace: 'a', uid: 'u' },
    data: { 'ca.crt': bytesToBase64(new TextEncoder().encode(server.ca)) },
  }
  const hub = { list: async () => ok({ items: [secret] }) } as unknown as KubeClient
  const env = loopbackEnv()
  upstreams = new Upstreams(
    env,
    () => hub,
    { cacheDir: join(root, 'cache') },
    () => wake(),
  )
})
afterAll(async () => {
  await upstreams.close()
  await server.close()
  rmSync(root, { recursive: true, force: true })
})

const reading: HubReader = {
  namespace: 'a',
  name: 'm',
  find: () => ok(undefined),
  keyed: () => ok(digestOf),
}

/** `path` of each manifest, or `Reason: message`: as a module gets it. */
async function attempt(git: GitSource): Promise<string> {
  const asking = { who: 'm', namespace: 'a', intervalMs: 1e9, timeoutMs: 10_000, trigger: '' }
  for (;;) {
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    const resolved = resolveSource(
      { source: { interval: '5m', timeout: '60s', git } },
      reading,
      upstreamFetcher(upstreams, asking, () => {}),
    )
    const done = resolved.ok ? resolved.value.manifests() : resolved
    if (done.ok) return done.value.map((m) => m.origin.split(' ')[0]).join(' ')
    if (done.error.reason !== 'Fetching') return `${done.error.reason}: ${done.error.message}`
    await woken
  }
}

type Row = readonly [
  name: string,
  make: (r: TestGitRepository) => Partial<GitSource> | undefined,
  expected: RegExp,
]

/** A tree with one entry at its root, of these bytes. */
const entry =
  (name: string, mode = '100644') =>
  (r: TestGitRepository) => {
    const id =
      mode === '40000'
        ? r.tree([['100644', 'x.yaml', r.object('blob', MANIFEST)]])
        : r.object('blob', MANIFEST)
    r.commitTree(r.tree([[mode, name, id]]))
    return undefined
  }
const latin1 = (text: string): string => Buffer.from(text).toString('latin1')
const files = (content: Parameters<TestGitRepository['commit']>[0]) => (r: TestGitRepository) =>
  void r.commit(content)
const source = (over: Partial<GitSource>) => (r: TestGitRepository) => {
  r.commit({ 'a.yaml': MANIFEST })
  return over
}

const names: readonly Row[] = [
  [
    'a URL of a helper program',
    source({ url: `ext::sh -c ${RUN.replace(' ', '% ')}` }),
    /^InvalidSpec: .*not a URL/,
  ],
  ['a URL that is an option', source({ url: `--upload-pack=${RUN}` }), /^InvalidSpec: .*not a URL/],
  [
    'a host that is an option',
    source({ url: `ssh://-oProxyCommand=${encodeURIComponent(RUN)}/a` }),
    /^InvalidSpec: .*no/,
  ],
  [
    'a branch that is an option',
    source({ ref: { branch: `--upload-pack=${MARKER}` } }),
    /^InvalidSpec: .*not a reference name/,
  ],
  [
    'a name that is two',
    source({ ref: { name: `refs/heads/main --upload-pack=${MARKER}` } }),
    /^InvalidSpec: .*not a reference name/,
  ],
  ['a path that is an option', source({ path: `--output=${MARKER}` }), /^PathMissing: .*directories: none/],
  ['a path with a magic word', source({ path: ':(top)' }), /^PathMissing: /],
  ['a path that leads out', source({ path: 'a/../../x' }), /^InvalidSpec: .*leads out/],
]

const trees: readonly Row[] = [
  [
    'hooks, as files',
    files({ 'hooks/post-checkout': SCRIPT, '.githooks/post-merge': SCRIPT, 'a.yaml': MANIFEST }),
    /^a\.yaml$/,
  ],
  [
    'filters, and their settings',
    files({
      '.gitattributes': '* filter=evil\n',
      '.gitconfig': `[filter "evil"]\nsmudge = ${RUN}\n`,
      'a.yaml': MANIFEST,
    }),
    /^a\.yaml$/,
  ],
  [
    'an LFS pointer, and a server for it',
    files({
      '.gitattributes': '*.yaml filter=lfs\n',
      '.lfsconfig': `[lfs]\nurl = ext::${RUN}\n`,
      'a.yaml': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
    }),
    /^InvalidObject: a\.yaml: Git LFS pointer/,
  ],
  [
    'submodules with URLs and commands',
    files({
      '.gitmodules': `[submodule "a"]\npath = sub\nurl = ext::sh -c ${RUN}\nupdate = !${RUN}\n[submodule "../../b"]\npath = -u\nurl = -u./x\n`,
      sub: { submodule: '1'.repeat(40) },
      'a.yaml': MANIFEST,
    }),
    /^a\.yaml$/,
  ],
  ['an entry ..', entry('..', '40000'), /^ArchiveRefused: .*fsck/],
  ['an entry .git', entry('.git', '40000'), /^ArchiveRefused: .*fsck/],
  ['an entry .GIT', entry('.GIT', '40000'), /^ArchiveRefused: .*fsck/],
  ['an entry git~1, its short name', entry('git~1', '40000'), /^ArchiveRefused: .*fsck/],
  [
    'an entry .git with a letter that is not seen',
    entry(latin1('.g\u200cit'), '40000'),
    /^ArchiveRefused: .*fsck/,
  ],
  ['an entry with a slash', entry('../x.yaml'), /^ArchiveRefused: .*fsck/],
  [
    'a name with a line break',
    entry('a\nb.yaml'),
    /^PathEscapes: .*: "a\\nb\.yaml" contains a control character/,
  ],
  ['a name with a backslash: a letter like others', entry('a\\..\\b.yaml'), /^a\\\.\.\\b\.yaml$/],
  ['a name that is not UTF-8', entry('\xff.yaml'), /^PathEscapes: .*: the name of a file is not UTF-8/],
  [
    'names that differ in case: two files',
    files({ 'A.yaml': MANIFEST, 'a.yaml': MANIFEST }),
    /^A\.yaml a\.yaml$/,
  ],
  [
    'a link out',
    files({ 'l.yaml': { link: '../../etc/passwd' } }),
    /^PathEscapes: .*l\.yaml → \.\.\/\.\.\/etc\/passwd/,
  ],
  [
    'a link to a place of the machine',
    files({ 'l.yaml': { link: '/etc/passwd' } }),
    /^PathEscapes: .*is outside the repository/,
  ],
  ['a link into .git', files({ 'l.yaml': { link: '.git/config' } }), /^PathEscapes: .* does not exist/],
  [
    'links in a circle',
    files({ 'x.yaml': { link: 'y.yaml' }, 'y.yaml': { link: 'x.yaml' } }),
    /^PathEscapes: .*follows more than 8 links/,
  ],
  [
    'links to directories of links',
    files({ 'a.yaml': { link: 'b' }, 'b/x': { link: '../c' }, 'b/y': { link: '../c' }, 'c/z': MANIFEST }),
    /^PathEscapes: .* is another link/,
  ],
  [
    'the path is a submodule',
    (r) => {
      r.commit({ sub: { submodule: '1'.repeat(40) } })
      return { path: 'sub' }
    },
    /^PathMissing: /,
  ],
]

/** Repositories that are too large, each made with one request of git's. */
const sizes: readonly Row[] = [
  [
    '300,000 entries',
    (r) => {
      const id = r.object('blob', MANIFEST)
      r.commitTree(r.tree(Array.from({ length: 300_000 }, (_, n) => ['100644', `${1e6 + n}.yaml`, id])))
      return undefined
    },
    /^SourceTooLarge: .*: more than 10000 files/,
  ],
  [
    'a file that unpacks to 65 MiB',
    (r) => {
      r.commitTree(r.tree([['100644', 'a.yaml', r.object('blob', Buffer.alloc(65 * 1024 * 1024, ' '))]]))
      return undefined
    },
    /^SourceTooLarge: .*more than 64 MiB/,
  ],
  [
    '1,000 directories in each other',
    (r) => {
      const id = r.object('blob', MANIFEST)
      const commit = `commit refs/heads/main\ncommitter t <t@e> 1 +0000\ndata 1\nx\nM 100644 ${id} ${'a/'.repeat(1000)}x.yaml\n`
      r.git(['fast-import', '--quiet'], { input: commit })
      return undefined
    },
    /^PathEscapes: .*"a\/a\/.*is longer than 1024 bytes/,
  ],
]

const references: readonly Row[] = [
  ['an empty repository', () => undefined, /^RefNotFound: git .*: no branch main/],
  [
    'a HEAD that leads nowhere',
    (r) => {
      r.git(['symbolic-ref', 'HEAD', 'refs/heads/none'])
      return { ref: { name: 'refs/heads/none' } }
    },
    /^RefNotFound: .*: no reference refs\/heads\/none/,
  ],
  [
    'a tag of a tag of a tag: the commit at its end',
    (r) => {
      r.tag('t0', r.commit({ 'a.yaml': MANIFEST }), true)
      for (let n = 1; n < 5; n++) r.tag(`t${n}`, `t${n - 1}`, true)
      return { ref: { tag: 't4' } }
    },
    /^a\.yaml$/,
  ],
  [
    'a tag of a file',
    (r) => {
      r.tag('t', r.object('blob', MANIFEST), true)
      return { ref: { tag: 't' } }
    },
    /^RefNotFound: .*not a commit/,
  ],
  [
    'a tag of a directory',
    (r) => {
      r.tag('t', r.tree([['100644', 'a.yaml', r.object('blob', MANIFEST)]]))
      return { ref: { tag: 't' } }
    },
    /^RefNotFound: .*not a commit/,
  ],
  [
    'a replacement of the commit: not asked for',
    (r) => {
      const honest = r.commit({ 'a.yaml': MANIFEST })
      r.git(['replace', honest, r.commit({ 'evil.yaml': MANIFEST }, 'evil')])
      return { ref: { branch: 'main', commit: honest } }
    },
    /^a\.yaml$/,
  ],
  [
    'a commit whose author is none',
    (r) => {
      const tree = r.tree([['100644', 'a.yaml', r.object('blob', MANIFEST)]])
      const id = r.object('commit', `tree ${tree}\nauthor x\ncommitter <\0> now\n\nx`)
      r.git(['update-ref', 'refs/heads/main', id])
      return undefined
    },
    /^ArchiveRefused: .*fsck/,
  ],
  [
    'a file that the server has lost',
    (r) => {
      r.commit({ 'a.yaml': MANIFEST })
      const id = r.git(['rev-parse', 'main:a.yaml'])
      rmSync(join(r.dir, 'objects', id.slice(0, 2), id.slice(2)))
      return undefined
    },
    /^SourceUnreachable: /,
  ],
]

/** Responses to the request for a pack. */
const packs: readonly Row[] = [
  ['a pack that is cut off', source({}), /^SourceUnreachable: .*connection closed/],
  ['a pack that is none', source({}), /^SourceUnreachable: /],
  ['a redirect', source({}), /^RedirectRefused: .*302/],
]

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'a pack that is cut off': (response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
    response.write('000dpackfile\n', () => response.destroy())
  },
  'a pack that is none': (response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
    response.end('000dpackfile\n0015\x01PACK of something0000')
  },
  'a redirect': (response) => {
    response.writeHead(302, { location: 'https://127.0.0.1:1/x' }).end()
  },
}

const groups = { names, trees, sizes, references, packs }

interface Hostile {
  readonly group: string
  readonly row: Row
}

export const hostile: readonly Hostile[] = Object.entries(groups).flatMap(([group, rows]) =>
  rows.map((row) => ({ group, row })),
)

/** `attempting`: the deep tier measures how long an attempt takes. */
export function hostileCases(
  played: readonly Hostile[],
  attempting: (attempt: Promise<string>) => Promise<string> = (attempt) => attempt,
): void {
  for (const group of Object.keys(groups)) {
    const rows = played.filter((h) => h.group === group).map((h) => h.row)
    describe(`hostile ${group}`, () => {
      it.each(rows)('%s', (name, make, expected) => refuses(name, make, expected, attempting), 30_000)
    })
  }
}

async function refuses(
  name: string,
  make: Row[1],
  expected: RegExp,
  attempting: (attempt: Promise<string>) => Promise<string>,
): Promise<void> {
  const repository = new TestGitRepository(root, `${name.replace(/\W+/g, '-')}.git`)
  const url = `${server.url}/${name.replace(/\W+/g, '-')}.git`
  const over = make(repository)
  const answer = answers[name]
  // After the commit was resolved: the request for its pack.
  let posts = 0
  server.intercept = (request, response) => {
    if (!answer || request.method !== 'POST' || ++posts < 2) return false
    answer(response)
    return true
  }
  const source = { url, ref: { branch: 'main' }, path: '.', secretRef: { name: 'ca' }, ...over }
  expect(await attempting(attempt(source))).toMatch(expected)
  expect(existsSync(MARKER)).toBe(false)
}
