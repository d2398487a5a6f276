import fc from 'fast-check'
import { expect, it } from 'vitest'
import { assertProperty } from '../../../../../test/property.ts'
import { encodeYaml, parseYamlStream } from '../../../../kube/src/object/index.ts'
import { type PostRenderOptions, postRenderFlux } from './postrenderflux.ts'

/** Units 0 to 5 that depend on lower ones, or on each other, or on what is not there; written in all styles. */
const units = fc.array(
  fc.record({
    needs: fc.array(fc.nat(6), { maxLength: 3 }),
    source: fc.constantFrom('x', 'y'),
    flow: fc.boolean(),
    kind: fc.constantFrom('Kustomization', 'HelmRelease'),
    checkpoint: fc.boolean(),
    wait: fc.constantFrom(true, false, undefined),
    expr: fc.constantFrom(undefined, 'true || false', 'self.x // why', '(a) && (b)'),
    suffix: fc.constantFrom(undefined, '-blue'),
  }),
  { maxLength: 6 },
)

type Units = typeof units extends fc.Arbitrary<infer T> ? T : never

function textOf(all: Units, acyclic: boolean): string {
  const sources = ['x', 'y'].map((name) => ({
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name },
    spec: { ref: { commit: name } },
  }))
  const objects = all.map((u, i) => {
    const needs = u.needs.filter((n) => !acyclic || n < i || n === 6)
    const dependsOn = needs.map((n) => ({ name: `u${n}`, ...(u.expr ? { readyExpr: u.expr } : {}) }))
    const isKustomization = u.kind === 'Kustomization'
    return {
      apiVersion: isKustomization ? 'kustomize.toolkit.fluxcd.io/v1' : 'helm.toolkit.fluxcd.io/v2',
      kind: u.kind,
      metadata: { name: `u${i}`, labels: { 'lockstep.dev/checkpoint': String(u.checkpoint) } },
      spec: {
        ...(dependsOn.length > 0 ? { dependsOn } : {}),
        ...(u.wait === undefined ? {} : { wait: u.wait }),
        ...(u.suffix && isKustomization ? { nameSuffix: u.suffix } : {}),
        ...(isKustomization
          ? { sourceRef: { kind: 'GitRepository', name: u.source } }
          : {
              chart: {
                spec: { chart: 'c', version: '1.0.0', sourceRef: { kind: 'GitRepository', name: u.source } },
              },
            }),
      },
    }
  })
  return [...sources, ...objects]
    .map((o, i) => (all[i % 6]?.flow ? `${JSON.stringify(o)}\n` : `# ${i}\n${encodeYaml(o)}`))
    .join('---\n')
}

const inputs = fc.record({
  units,
  acyclic: fc.boolean(),
  strategy: fc.constantFrom<PostRenderOptions['strategy']>('expr', 'name'),
  release: fc.constantFrom('1', '2'),
})

it('post-rendering decides, whatever the units', () => {
  assertProperty(
    fc.property(inputs, ({ units: all, acyclic, strategy, release }) => {
      const o = { strategy, release, namespace: 'ns', keepSources: [], additiveGate: false, strict: false }
      const text = textOf(all, acyclic)
      const made = postRenderFlux(text, o)
      expect(postRenderFlux(text, o).text).toBe(made.text)
      expect(made.text === undefined).toBe(made.notes.some((n) => n.level === 'error'))
      if (made.text === undefined) return
      const again = postRenderFlux(made.text, o)
      expect([again.text, again.changes, again.gates.map((g) => g.digest)]).toEqual([
        made.text,
        [],
        made.gates.map((g) => g.digest),
      ])
      expect(parseYamlStream(made.text)).toHaveLength(parseYamlStream(text).length)
      for (const comment of text.match(/^# \d+$/gm) ?? []) expect(made.text).toContain(comment)
      const other = postRenderFlux(text, { ...o, release: release === '1' ? '2' : '1' })
      const digests = new Set(made.gates.map((g) => g.digest))
      expect(other.gates.filter((g) => digests.has(g.digest))).toEqual([])
    }),
    { part: 1 / 4 },
  )
})
