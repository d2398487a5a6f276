import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../../kube/src/env/result.ts'
import { digestOf } from '../../../../kube/src/object/index.ts'
import type { ModuleSpec } from '../../api/kinds/module/spec.ts'
import type { TemplateRequest } from '../helm/templaterequest.ts'
import { fault } from '../intake/sourcefailure.ts'
import type { SourceFetcher } from '../intake/sourcefetcher.ts'
import { resolveSource } from '../registry.ts'

const HELM = { repository: 'https://charts.example.com', chart: 'web', version: '^1.2' }
const RENDER = { namespace: 'prod', helm: { values: { a: 1 } } }
const PICKED = { version: '1.2.3', digest: `sha256:${'a'.repeat(64)}`, urls: ['web-1.2.3.tgz'] }
const TREE = { files: [], warnings: [] }

function resolved(spec: object) {
  const asked: TemplateRequest[] = []
  const nobody = () => err(fault('Fetching', { state: 'Fetching' }, true))
  const outside: SourceFetcher = {
    commit: nobody,
    tree: nobody,
    kustomized: nobody,
    chart: () => ok(PICKED),
    chartTree: () => ok(TREE),
    templated(question) {
      asked.push(question)
      return ok({ manifests: [], warnings: ['W_CAPABILITIES a'] })
    },
  }
  const reading = { namespace: 'a', name: 'web', find: () => ok(undefined), keyed: () => ok(digestOf) }
  const found = resolveSource(spec as Pick<ModuleSpec, 'source' | 'render'>, reading, outside)
  return { found, asked, said: found.ok ? '' : `${found.error.reason}: ${found.error.message}` }
}

describe('a module of a chart', () => {
  it('is made of one archive, by its digest, and called by its version', () => {
    const { found } = resolved({ source: { helm: HELM }, render: RENDER })
    expect(found).toMatchObject({
      value: {
        inputs: [{ path: 'source.helm', digest: PICKED.digest }],
        sourceRevision: `1.2.3@${PICKED.digest}`,
      },
    })
  })

  it('has Helm run on the root of its files, and tells what Helm is asked', () => {
    const { found, asked } = resolved({ source: { helm: HELM }, render: RENDER })
    const warnings: string[] = []
    expect(found.ok && found.value.manifests((line) => warnings.push(line))).toEqual(ok([]))
    expect(asked).toMatchObject([
      { chart: { helm: HELM, picked: PICKED, tree: TREE }, directory: '', options: { namespace: 'prod' } },
    ])
    expect(warnings).toEqual(['W_CAPABILITIES a'])
  })

  it.each<[object, string]>([
    [
      { version: 'latest' },
      'version: "latest" is not a version or range; write 1.2.3, ^1.2, ~1.2.3, >=1.2 <2 or 1.x',
    ],
    [
      { digest: PICKED.digest },
      'digest: pins one version, and "^1.2" is a range; remove it, or write the version',
    ],
    [{ repository: 'ftp://x/y' }, 'repository: ftp:// is not supported; write https:// or oci://'],
    [{ repository: 'http://charts.example.com' }, 'repository: http:// is not encrypted; write https://'],
    [
      { repository: 'https://me:pw@x.example.com' },
      'repository: holds credentials; put them into a Secret and name it in secretRef',
    ],
    [
      { repository: 'oci://x.example.com', chart: 'Web' },
      'chart: "Web" is not a name in a registry: write lower-case letters and digits, with . _ - between',
    ],
  ])('with %o is refused before anything is asked', (over, problem) => {
    expect(resolved({ source: { helm: { ...HELM, ...over } }, render: RENDER }).said).toBe(
      `InvalidSpec: spec.source.helm.${problem}`,
    )
  })

  it('needs to be rendered by Helm, which needs a chart', () => {
    const said = (source: object, render: object) => resolved({ source, render }).said
    expect(said({ helm: HELM }, {})).toBe('InvalidSpec: spec.source.helm: a chart requires render.helm')
    expect(said({ helm: HELM }, { kustomize: {} })).toBe(
      'InvalidSpec: spec.source.helm: a chart requires render.helm',
    )
    expect(said({ none: {} }, RENDER)).toBe(
      'InvalidSpec: spec.render.helm: requires source.helm or source.git',
    )
  })
})
