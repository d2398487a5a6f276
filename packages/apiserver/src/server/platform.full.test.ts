import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import yaml from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { canRun, sharedData } from '../../../../test/shareddata.ts'
import type { TestAnswer } from './testcluster.cases.ts'
import { testCluster } from './testcluster.cases.ts'

const CORPUS = sharedData('corpus/platform')

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { name: string; namespace?: string }
}

function manifestsIn(path: string): Manifest[] {
  if (statSync(path).isDirectory())
    return readdirSync(path)
      .sort()
      .flatMap((f) => manifestsIn(join(path, f)))
  if (!/\.ya?ml$/.test(path)) return []
  const docs = yaml.loadAll(readFileSync(path, 'utf8'), undefined, {
    schema: yaml.CORE_SCHEMA,
  }) as (Manifest & { items?: Manifest[] })[]
  return docs
    .filter((d) => d?.kind && d.kind !== 'Kustomization')
    .flatMap((d) => (d.kind.endsWith('List') && d.items ? d.items : [d]))
}

/** Namespaces and definitions go before what needs them. */
const rank = (m: Manifest): number =>
  m.kind === 'Namespace' ? 0 : m.kind === 'CustomResourceDefinition' ? 1 : 2

type Cluster = ReturnType<typeof testCluster>

async function pathOf(cluster: Cluster, m: Manifest): Promise<string> {
  const [root, group, version] = m.apiVersion.includes('/')
    ? ['apis', ...m.apiVersion.split('/')]
    : ['api', '', m.apiVersion]
  const base = `/${[root, group, version].filter(Boolean).join('/')}`
  const { body } = await cluster.call('GET', base)
  const found = body.resources?.find(
    (r: { kind: string; name: string }) => r.kind === m.kind && !r.name.includes('/'),
  )
  if (!found) throw new Error(`no ${m.apiVersion} ${m.kind}`)
  const namespace = found.namespaced ? `/namespaces/${m.metadata.namespace ?? 'default'}` : ''
  return `${base}${namespace}/${found.name}/${m.metadata.name}`
}

async function applyAll(cluster: Cluster, manifests: readonly Manifest[]): Promise<string[]> {
  const failures: string[] = []
  for (const m of manifests) {
    const path = await pathOf(cluster, m)
    const answer: TestAnswer = await cluster.apply(path, m, 'platform', '&fieldValidation=Strict')
    if (answer.status >= 300) failures.push(`${path}: ${answer.status} ${answer.body.message}`)
  }
  return failures
}

describe.runIf(canRun('manifests of the platform', CORPUS))('manifests of the platform', () => {
  it('apply twice server-side, and the second time write nothing', { timeout: 60_000 }, async () => {
    const cluster = testCluster('platform')
    const manifests = manifestsIn(CORPUS).sort((a, b) => rank(a) - rank(b))
    expect(manifests.length).toBeGreaterThan(150)
    for (const namespace of new Set(manifests.flatMap((m) => m.metadata?.namespace ?? [])))
      await cluster.call('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      })
    expect(await applyAll(cluster, manifests)).toEqual([])
    await cluster.settle()
    const before = cluster.commits.length
    expect(await applyAll(cluster, manifests)).toEqual([])
    expect(cluster.commits.slice(before).map((c) => `${c.resource} ${c.key}`)).toEqual([])
  })
})
