/** A chart of 40 units, two sources, six layers deep. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testCluster } from '../../packages/apiserver/src/server/testcluster.cases.ts'
import {
  at,
  encodeYaml,
  type KubeObject,
  parseYamlStream,
  splitYaml,
} from '../../packages/kube/src/object/index.ts'
import { postRenderersOf } from '../../packages/lockstep/src/tools/postrender/postrenderers.ts'
import {
  type PostRenderOptions,
  postRenderFlux,
} from '../../packages/lockstep/src/tools/postrender/postrenderflux.ts'
import { fluxDefinitions } from '../../packages/simulators/src/flux/fluxdefinitions.ts'
import { chartOf, reachedFrom } from './fluxchart.ts'

const SHAPE = { units: 40, depth: 6 }
const OPTIONS: PostRenderOptions = {
  strategy: 'expr',
  namespace: 'flux-system',
  keepSources: [],
  additiveGate: false,
  strict: false,
}

const text = chartOf(SHAPE)
const made = postRenderFlux(text, OPTIONS)
const digests = (of = made): Map<string, string> => new Map(of.gates.map((g) => [g.unit, g.digest]))
const objects = (of: string): KubeObject[] => parseYamlStream(of) as unknown as KubeObject[]

describe('a chart', () => {
  it('has everything that belongs to it', () => {
    expect(made.notes.filter((n) => n.level !== 'note')).toEqual([])
    expect(new Set(made.notes.map((n) => n.code))).toEqual(new Set(['PR09']))
    expect(made.renamed.map((r) => r.from)).toEqual(['infra', 'apps'])
    expect(objects(made.text!)).toHaveLength(objects(text).length)
  })

  it('leaves a run over its output as it is', () => {
    const again = postRenderFlux(made.text!, OPTIONS)
    expect(again.text).toBe(made.text)
    expect(again.changes).toEqual([])
    expect(digests(again)).toEqual(digests())
  })

  it('keeps every byte of what is not of Flux, and every comment of what is', () => {
    const [before, after] = [splitYaml(text), splitYaml(made.text!)]
    expect(after).toHaveLength(before.length)
    before.forEach((part, i) => {
      if (!part.text.includes('fluxcd.io')) expect(after[i]!.text).toBe(part.text)
      const kept = part.text.split('\n').filter((l) => l.includes('#'))
      for (const line of kept) expect(after[i]!.text).toContain(line.slice(line.indexOf('#')))
    })
    expect(made.text).toContain('substitute: { REPLICAS: "010" }')
  })

  it.each([0, 9, 20, 39])(
    'gives new digests for a change of unit %i to it and to what depends on it, no others',
    (i) => {
      const changed = postRenderFlux(chartOf({ ...SHAPE, change: { [i]: '  force: true\n' } }), OPTIONS)
      const [before, after] = [digests(), digests(changed)]
      const reached = reachedFrom(i, SHAPE)
      for (const [name, digest] of before)
        expect(`${name} ${after.get(name) !== digest}`).toBe(
          `${name} ${reached.has(Number(name.split('-').at(-1)))}`,
        )
    },
  )

  it('gives a source with another commit another name, and its readers a new digest', () => {
    const moved = postRenderFlux(chartOf({ ...SHAPE, commit: { apps: 'f'.repeat(40) } }), OPTIONS)
    const to = (of: typeof made) => Object.fromEntries(of.renamed.map((r) => [r.from, r.to]))
    expect(to(moved).infra).toBe(to(made).infra)
    expect(to(moved).apps).not.toBe(to(made).apps)
    expect(digests(moved).get('Kustomization flux-system/unit-0')).toBe(
      digests().get('Kustomization flux-system/unit-0'),
    )
    expect(digests(moved).get('Kustomization flux-system/unit-1')).not.toBe(
      digests().get('Kustomization flux-system/unit-1'),
    )
  })

  it('gives every unit a new digest for another release', () => {
    const next = digests(postRenderFlux(text, { ...OPTIONS, release: '2026.12' }))
    for (const [name, digest] of digests()) expect(next.get(name)).not.toBe(digest)
  })

  it('never adds postBuild, and a carrier only where somebody depends on it', () => {
    const gated = new Set(digests().keys())
    const specs = objects(made.text!).filter((o) => o.kind === 'Kustomization')
    const before = objects(text).filter((o) => o.kind === 'Kustomization')
    specs.forEach((o, i) => {
      const name = `Kustomization flux-system/${o.metadata.name}`
      expect(`${name} ${at(o, 'spec', 'healthCheckExprs') !== undefined}`).toBe(`${name} ${gated.has(name)}`)
      expect(at(o, 'spec', 'postBuild')).toEqual(at(before[i]!, 'spec', 'postBuild'))
    })
  })

  it('is what Flux takes', async () => {
    const { call } = testCluster()
    for (const d of fluxDefinitions())
      expect((await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', d)).status).toBe(
        201,
      )
    await call('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'flux-system' },
    })
    const plural: Record<string, string> = {
      Kustomization: 'kustomizations',
      GitRepository: 'gitrepositories',
    }
    for (const o of objects(made.text!)) {
      const resource = plural[o.kind]
      if (!resource) continue
      const path = `/apis/${o.apiVersion}/namespaces/flux-system/${resource}?fieldValidation=Strict`
      const answer = await call('POST', path, o)
      expect(`${o.metadata.name}: ${answer.status} ${answer.body.message ?? ''}`).toBe(
        `${o.metadata.name}: 201 `,
      )
      expect(answer.body.spec).toMatchObject(o.spec as object)
    }
  })

  it.skipIf(!hasKubectl())('comes of patches too, as a HelmRelease applies them', () => {
    const patched = patchedBy(text, postRenderersOf(made.changes))
    const byName = (list: readonly KubeObject[]) =>
      [...list].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    expect(byName(patched)).toEqual(byName(objects(made.text!)))
  })
})

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** kustomize with these patches, as the post-renderer of helm-controller runs it. */
function patchedBy(manifests: string, wanted: unknown): KubeObject[] {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-patches-'))
  try {
    writeFileSync(join(folder, 'all.yaml'), manifests)
    const patches = at(wanted, 'postRenderers', 0, 'kustomize', 'patches')
    writeFileSync(join(folder, 'kustomization.yaml'), encodeYaml({ resources: ['all.yaml'], patches }))
    return objects(execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8', maxBuffer: 64e6 }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
