import { describe, expect, it } from 'vitest'
import { testCluster } from '../../../apiserver/src/server/testcluster.cases.ts'
import generated from './crds.generated.json' with { type: 'json' }
import { fluxDefinitions } from './fluxdefinitions.ts'
import { FLUX } from './fluxoptions.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

describe('the definitions of Flux', () => {
  it('are those of its current kinds', () => {
    const kinds = fluxDefinitions().flatMap((d) => {
      const { names, group, versions } = d.spec as {
        names: { kind: string }
        group: string
        versions: { name: string }[]
      }
      return versions.map((v) => `${names.kind} ${group}/${v.name}`)
    })
    expect(kinds).toEqual([
      'Kustomization kustomize.toolkit.fluxcd.io/v1',
      'HelmRelease helm.toolkit.fluxcd.io/v2',
      'GitRepository source.toolkit.fluxcd.io/v1',
      'OCIRepository source.toolkit.fluxcd.io/v1',
      'Bucket source.toolkit.fluxcd.io/v1',
      'HelmRepository source.toolkit.fluxcd.io/v1',
      'HelmChart source.toolkit.fluxcd.io/v1',
    ])
  })

  it('are those of the versions that the simulation follows', () => {
    for (const [name, version] of [
      ['kustomize', FLUX.kustomizeController],
      ['helm', FLUX.helmController],
      ['source', FLUX.sourceController],
    ])
      expect(generated.source).toContain(`github.com/fluxcd/${name}-controller v${version}`)
  })

  it('are served, with their defaults, their rules and -1 as the generation that nobody has seen', async () => {
    const { call } = testCluster()
    for (const d of fluxDefinitions()) {
      expect((await call('POST', CRDS, d)).status).toBe(201)
      const { conditions } = (await call('GET', `${CRDS}/${d.metadata.name}`)).body.status
      expect(conditions.at(1)).toMatchObject({ type: 'Established', status: 'True' })
    }
    const path = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations'
    const sourceRef = { kind: 'GitRepository', name: 'repo' }
    const unit = (spec: object) => ({
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: 'a' },
      spec: { interval: '1m', prune: true, sourceRef, ...spec },
    })
    const made = await call('POST', path, unit({}))
    expect(made).toMatchObject({ status: 201, body: { spec: { force: false } } })
    expect(made.body.status).toEqual({ observedGeneration: -1 })
    expect((await call('POST', path, unit({ interval: 'soon' }))).body.message).toContain('spec.interval')
  })
})
