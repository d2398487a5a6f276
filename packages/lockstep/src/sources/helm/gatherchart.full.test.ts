/** Charts and files of values in real repositories. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GitServer, serveGit } from '../../../../../test/git/gitserver.ts'
import { openReader, type RepositoryReader } from '../../../../../test/git/repositoryreader.ts'
import { type CommitContent, TestGitRepository } from '../../../../../test/git/testgitrepository.ts'
import { loopbackEnv } from '../../../../../test/kube/loopbackenv.ts'
import { chartKey, gatherChart, type InCheckout } from './gatherchart.ts'
import type { GitCheckout, TemplateRequest } from './templaterequest.ts'
import { valuesFilesOf } from './valuesfiles.ts'

const root = mkdtempSync(join(tmpdir(), 'lockstep-gather-'))
const env = loopbackEnv()
let server: GitServer
const readers = new Map<string, RepositoryReader>()
let names = 0

beforeAll(async () => {
  server = await serveGit(root)
})
afterAll(async () => {
  for (const reader of readers.values()) await reader.close()
  await server.close()
  rmSync(root, { recursive: true, force: true })
})

function committed(files: Readonly<Record<string, CommitContent>>): GitCheckout {
  const name = `r${++names}.git`
  const commit = new TestGitRepository(root, name).commit(files)
  return {
    git: { url: `${server.url}/${name}`, ref: { branch: 'main' }, path: '.' },
    picked: { commit, label: 'main', refName: 'refs/heads/main' },
  }
}

/** As upstreams do it, with the certificate of the test's server. */
const inCheckout: InCheckout = async ({ git, picked }, work) => {
  const known = readers.get(git.url)
  const tls = { type: 'none', tls: { ca: server.ca } } as const
  const reader = known ?? (await openReader(env, root, git.url, tls))
  readers.set(git.url, reader)
  const there = await reader.repository.ensureCommit(picked)
  return there.ok ? work(reader.repository) : there
}

interface Given {
  readonly ignore?: string
  readonly missing?: boolean
  readonly refs?: Readonly<Record<string, GitCheckout>>
}

function question(chart: GitCheckout, names: readonly string[], given: Given = {}): TemplateRequest {
  const directory = 'apps/web'
  const valuesFiles = valuesFilesOf(names, directory, new Map(Object.entries(given.refs ?? {})))
  if (!valuesFiles.ok) throw new Error(valuesFiles.error.message)
  return {
    chart,
    directory,
    ignore: given.ignore,
    valuesFiles: valuesFiles.value,
    values: [],
    options: {
      releaseName: 'web',
      namespace: 'prod',
      kubeVersion: '1.30.0',
      includeCRDs: true,
      tests: false,
      skipSchemaValidation: false,
      allowRandom: false,
      ignoreMissingValuesFiles: given.missing ?? false,
    },
  }
}

async function gathered(chart: GitCheckout, names: readonly string[], given: Given = {}) {
  const found = await gatherChart(question(chart, names, given), inCheckout)
  if (!found.ok) return `${found.error.reason}: ${found.error.message}`
  const { tree, values } = found.value
  return { files: tree.files.map((f) => f.path), values: values.map((v) => `${v.origin}: ${v.text}`) }
}

const CHART = { 'apps/web/Chart.yaml': 'name: web\n', 'apps/web/templates/a.yaml': 'a: b\n' }

describe('a chart', () => {
  it('comes with all its files, and of others only those that are named', async () => {
    const chart = committed({
      ...CHART,
      'apps/web/files/logo.png': 'png',
      'apps/web/.helmignore': 'x',
      'apps/web/link.yaml': { link: '../../env/all.yaml' },
      'env/all.yaml': 'all',
      'env/prod.yaml': 'prod',
      'env/linked.yaml': { link: 'prod.yaml' },
      'apps/other/Chart.yaml': 'name: other\n',
    })
    const names = ['/env/prod.yaml', '../../env/linked.yaml', './templates/a.yaml', 'link.yaml']
    expect(await gathered(chart, names)).toEqual({
      files: ['.helmignore', 'Chart.yaml', 'files/logo.png', 'link.yaml', 'templates/a.yaml'].map(
        (f) => `apps/web/${f}`,
      ),
      values: [
        'env/prod.yaml: prod',
        'env/linked.yaml: prod',
        'apps/web/templates/a.yaml: a: b\n',
        'apps/web/link.yaml: all',
      ],
    })
    expect(
      await gathered(chart, [], { ignore: '*.png\n/apps/web/.helmignore\n/apps/web/link.yaml\n' }),
    ).toEqual({
      files: ['apps/web/Chart.yaml', 'apps/web/templates/a.yaml'],
      values: [],
    })
  })

  it('takes values of other repositories, and of other commits of its own', async () => {
    const chart = committed({ ...CHART, 'v.yaml': 'new' })
    const env = committed({ 'prod/v.yaml': 'prod' })
    const own = new TestGitRepository(root, chart.git.url.split('/').pop()!)
    const before = { ...chart, picked: { commit: own.commit({ 'v.yaml': 'old' }, 'old') } }
    expect(
      await gathered(chart, ['$env/prod/v.yaml', '$own/v.yaml', '/v.yaml'], { refs: { env, own: before } }),
    ).toMatchObject({
      values: ['prod/v.yaml: prod', 'v.yaml: old', 'v.yaml: new'],
    })
  })

  it('lacks no file that is named, unless that is allowed', async () => {
    const chart = committed({ ...CHART, 'env/a/b.yaml': 'b' })
    const env = committed({ 'a.yaml': 'a' })
    const [of, at] = [chart.git.url, `main@sha1:${chart.picked.commit}`]
    expect(await gathered(chart, ['prod.yaml'])).toBe(
      `PathMissing: spec.render.helm.valuesFiles[0]: prod.yaml: ${of} at ${at}: no file apps/web/prod.yaml; correct the path, or set ignoreMissingValuesFiles`,
    )
    expect(await gathered(chart, ['/env/a'])).toMatch(/^PathMissing: .*: no file env\/a;/)
    expect(await gathered(chart, ['$env/b.yaml'], { refs: { env } })).toMatch(
      /^PathMissing: spec\.render\.helm\.valuesFiles\[0\]: \$env\/b\.yaml: .*: no file b\.yaml;/,
    )
    expect(
      await gathered(chart, ['prod.yaml', '/env/a/b.yaml', '$env/b.yaml'], { missing: true, refs: { env } }),
    ).toMatchObject({ values: ['env/a/b.yaml: b'] })
  })

  it.each<[string, CommitContent, RegExp]>([
    [
      'a link that leads out',
      { link: '../../../../etc/passwd' },
      /^PathEscapes: .* is outside the repository$/,
    ],
    [
      'a pointer',
      'version https://git-lfs.github.com/spec/v1\n',
      /^RenderFailed: spec\.render\.helm\.valuesFiles\[0\]: \/env\/v\.yaml: env\/v\.yaml: Git LFS pointer; LFS is not supported$/,
    ],
  ])('takes no values out of %s', async (_, content, text) => {
    expect(await gathered(committed({ ...CHART, 'env/v.yaml': content }), ['/env/v.yaml'])).toMatch(text)
  })

  it('that is not there is told with what is', async () => {
    const chart = committed({ 'charts/a.yaml': 'a', 'env/a.yaml': 'a' })
    expect(await gathered(chart, [])).toMatch(
      /^PathMissing: git .*: path apps\/web is not a directory .*directories: charts, env$/,
    )
  })
})

describe('questions', () => {
  const chart: GitCheckout = {
    git: { url: 'https://x/a', ref: { branch: 'main' }, path: '.' },
    picked: { commit: '1' },
  }
  const asking = { who: 'a', namespace: 'ns' }
  const key = (over: Partial<TemplateRequest>, who = 'a') =>
    chartKey({ ...question(chart, ['v.yaml']), ...over }, { ...asking, who }, '')
  const { options } = question(chart, [])

  it('that are equal share their answer; whatever it depends on is another one', () => {
    const others = [
      { chart: { ...chart, picked: { commit: '2' } } },
      { directory: 'b' },
      { ignore: 'x' },
      { valuesFiles: [] },
      { values: [{ origin: 'a', text: 'b' }] },
      { options: { ...options, namespace: 'other' } },
      { options: { ...options, kubeVersion: '1.31.0' } },
    ].map((over) => key(over))
    expect(new Set([key({}), ...others]).size).toBe(8)
    expect(key({}, 'b')).toBe(key({}))
    // Another name of the same commit.
    expect(key({ chart: { ...chart, picked: { commit: '1', label: 'v1' } } })).toBe(key({}))
  })
  it('of chance are asked for each module', () => {
    const over = { options: { ...options, allowRandom: true } }
    expect(key(over, 'b')).not.toBe(key(over, 'a'))
  })
  it('show no values', () => {
    expect(key({ values: [{ origin: 'Secret a/b', text: 'hunter2', secret: true }] })).not.toContain(
      'hunter2',
    )
  })
})
