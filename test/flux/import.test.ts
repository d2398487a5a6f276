/** Every field that the CRDs of Flux have: it is in a Module, or it is listed. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testCluster } from '../../packages/apiserver/src/server/testcluster.cases.ts'
import {
  at,
  encodeYaml,
  isArray,
  type JsonObject,
  type JsonValue,
  type YamlPath,
} from '../../packages/kube/src/object/index.ts'
import { crdOf } from '../../packages/lockstep/src/api/crd/crd.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { unitText } from '../../packages/lockstep/src/tools/flux/fluxunit.ts'
import { checkFlux } from '../../packages/lockstep/src/tools/fluxcheck/checkflux.ts'
import { isPrefix } from '../../packages/lockstep/src/tools/fluximport/fieldreader.ts'
import { importedModuleText } from '../../packages/lockstep/src/tools/fluximport/importedmodule.ts'
import { type FluxImport, importFlux } from '../../packages/lockstep/src/tools/fluximport/importflux.ts'
import { fluxDefinitions } from '../../packages/simulators/src/flux/fluxdefinitions.ts'
import { assertProperty } from '../property.ts'
import { type CrdLeaf, leavesOf, withLeaf } from './crdfields.ts'
import { chartOf } from './fluxchart.ts'

const OPTIONS = { gitProblem: () => undefined }
const importText = (text: string): FluxImport => importFlux([{ file: 'x.yaml', text }], OPTIONS)

const FIXED: Readonly<Record<string, JsonValue>> = {
  'spec.sourceRef.kind': 'GitRepository',
  'spec.sourceRef.name': 'x-1',
  'spec.sourceRef.namespace': 'flux-system',
  'spec.url': 'https://example.com/fleet',
}
const isFixed = (l: CrdLeaf) => FIXED[l.path.join('.')] !== undefined

const GROUPS: Readonly<Record<string, string>> = {
  Kustomization: 'kustomize.toolkit.fluxcd.io/v1',
  HelmRelease: 'helm.toolkit.fluxcd.io/v2',
}
const head = (kind: string): JsonObject => ({
  apiVersion: GROUPS[kind] ?? 'source.toolkit.fluxcd.io/v1',
  kind,
  metadata: { name: 'x-1', namespace: 'flux-system' },
})

interface Given {
  readonly leaf: CrdLeaf
  readonly value: JsonValue
}

function objectOf(kind: string, given: readonly Given[]): JsonObject {
  const all = leavesOf(kind).filter(isFixed)
  const fixed = all.map((leaf) => ({ leaf, value: FIXED[leaf.path.join('.')]! }))
  return [...fixed, ...given].reduce<JsonValue>(
    (o, { leaf, value }) => withLeaf(o, leaf.path, value),
    head(kind),
  ) as JsonObject
}

const KINDS = ['Kustomization', 'GitRepository'] as const
type Both = Readonly<Record<(typeof KINDS)[number], JsonObject>>
const textsOf = (both: Both): string => KINDS.map((k) => `---\n${encodeYaml(both[k])}`).join('')

/** What says what a Module does anyway: it is neither in one, nor listed. */
function isNeedless(both: Both, kind: string, path: YamlPath, value: JsonValue): boolean {
  const spec = (...of: YamlPath) => at(both.Kustomization, 'spec', ...of)
  const field = path.join('.')
  const always: Readonly<Record<string, readonly JsonValue[]>> = {
    'Kustomization spec.sourceRef.apiVersion': ['apps/v1', 'example.com/v1'],
    'Kustomization spec.wait': [true],
    'Kustomization spec.suspend': [false],
    'Kustomization spec.prune': [false],
    'Kustomization spec.ignoreMissingComponents': [false],
    'Kustomization spec.kubeConfig.secretRef.key': ['value'],
    'Kustomization spec.dependsOn.0.namespace': ['flux-system'],
    'GitRepository spec.suspend': [false],
    'GitRepository spec.recurseSubmodules': [false],
    'GitRepository spec.provider': ['generic'],
  }
  if (always[`${kind} ${field}`]?.includes(value)) return true
  // Of what Flux ignores, nothing is to be kept.
  if (field.startsWith('spec.healthChecks')) return spec('wait') === true
  if (field === 'spec.sparseCheckout') return (spec('path') ?? '') !== ''
  if (field === 'spec.path') return value === ''
  const mirrored = spec('prune') === true ? ['Delete', 'WaitForTermination'] : ['Orphan']
  return field === 'spec.deletionPolicy' && ['MirrorPrune', ...mirrored].includes(value as string)
}

/** Nobody would notice if it were not there. */
function isSilent(both: Both, kind: (typeof KINDS)[number], path: YamlPath, value: JsonValue): boolean {
  const made = importText(textsOf(both))
  const of = `${kind} flux-system/x-1`
  if (made.listed.some((l) => l.of === of && isPrefix(l.path, path))) return false
  const without = { ...both, [kind]: withLeaf(both[kind], path, undefined) } as Both
  const modules = importText(textsOf(without)).modules.map(importedModuleText)
  return (
    made.modules.map(importedModuleText).join() === modules.join() && !isNeedless(both, kind, path, value)
  )
}

const fullOf = (kind: string, which: number): Given[] =>
  leavesOf(kind)
    .filter((l) => !isFixed(l))
    .map((leaf) => ({ leaf, value: leaf.values[which % leaf.values.length]! }))

describe('objects with every field of their CRD', () => {
  it.each([0, 1])('lose none in silence: values %i', (which) => {
    const both: Both = {
      Kustomization: objectOf('Kustomization', fullOf('Kustomization', which)),
      GitRepository: objectOf('GitRepository', fullOf('GitRepository', which)),
    }
    expect(importText(textsOf(both)).modules).toHaveLength(1)
    const silent = KINDS.flatMap((kind) =>
      fullOf(kind, which)
        .filter(({ leaf, value }) => isSilent(both, kind, leaf.path, value))
        .map(({ leaf }) => `${kind} ${leaf.path.join('.')}`),
    )
    expect(silent).toEqual([])
  })

  it('lose none in silence, whichever they have', () => {
    const some = (kind: string) =>
      fc
        .subarray(leavesOf(kind).filter((l) => !isFixed(l)))
        .chain((leaves) =>
          fc.tuple(
            ...leaves.map((leaf) => fc.constantFrom(...leaf.values).map((value) => ({ leaf, value }))),
          ),
        )
    assertProperty(
      fc.property(
        some('Kustomization'),
        some('GitRepository'),
        fc.constantFrom(...KINDS),
        fc.nat(),
        (ks, git, kind, n) => {
          const both: Both = {
            Kustomization: objectOf('Kustomization', ks),
            GitRepository: objectOf('GitRepository', git),
          }
          const given = kind === 'Kustomization' ? ks : git
          if (given.length === 0) return
          const { leaf, value } = given[n % given.length]!
          expect(isSilent(both, kind, leaf.path, value)).toBe(false)
        },
      ),
    )
  })

  it('are what Flux takes, and make what Lockstep takes', async () => {
    const { call } = testCluster()
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    for (const d of [...fluxDefinitions(), crdOf(moduleKind)])
      expect((await call('POST', definitions, d)).status).toBe(201)
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'flux-system' } }
    await call('POST', '/api/v1/namespaces', namespace)
    const accepted = async (o: JsonObject, plural: string): Promise<string> => {
      const path = `/apis/${o.apiVersion}/namespaces/flux-system/${plural}?fieldValidation=Strict&dryRun=All`
      const answer = await call('POST', path, o)
      return `${answer.status} ${answer.body.message ?? ''}`
    }
    // What its rules take only one of.
    const others = [/configMapRef|serviceAccountName/, /kubeConfig.secretRef|serviceAccountName/]
    for (const [which, left] of others.entries()) {
      const some = (kind: string) => fullOf(kind, which).filter(({ leaf }) => !left.test(leaf.path.join('.')))
      const both: Both = {
        Kustomization: objectOf('Kustomization', some('Kustomization')),
        GitRepository: objectOf('GitRepository', some('GitRepository')),
      }
      expect(await accepted(both.Kustomization, 'kustomizations')).toBe('201 ')
      expect(await accepted(both.GitRepository, 'gitrepositories')).toBe('201 ')
      for (const { module } of importText(textsOf(both)).modules)
        expect(await accepted(module, 'modules')).toBe('201 ')
    }
  })

  it.each(['HelmRelease', 'OCIRepository', 'Bucket', 'HelmRepository', 'HelmChart'])(
    '%s: said as a whole',
    (kind) => {
      const made = importText(encodeYaml(objectOf(kind, fullOf(kind, 0))))
      expect(made.modules).toEqual([])
      expect(made.listed.map((l) => [l.of, l.path, l.place.line, l.level])).toEqual([
        [`${kind} flux-system/x-1`, [], 4, kind === 'HelmRelease' ? 'loss' : 'note'],
      ])
    },
  )
})

it('the edges of a chart of 40 units are those that check flux sees', () => {
  const files = [{ file: 'x.yaml', text: chartOf({ units: 40, depth: 6 }) }]
  const { set } = checkFlux(files, { additiveGate: false })
  const seen = set.units.flatMap((u) =>
    u.edges.map((e) => `${unitText(u)} -> ${unitText(set.dependency(u, e)!)}`),
  )
  const made = importFlux(files, OPTIONS)
  const edges = made.modules.flatMap(({ module, unit }) => {
    const list = at(module, 'spec', 'dependsOn')
    const names = isArray(list) ? list.map((e) => at(e, 'module', 'name')) : []
    return names.map((name) => `${unitText(unit)} -> Kustomization ${unit.namespace}/${name}`)
  })
  expect(edges.length).toBeGreaterThan(40)
  expect(edges.toSorted()).toEqual(seen.toSorted())
})
