import { describe, expect, it } from 'vitest'
import { postRenderFlux } from '../postrender/postrenderflux.ts'
import { CHART, fixtures, git, release, stream, unit } from './checkflux.cases.ts'
import { checkFlux } from './checkflux.ts'
import type { FluxFinding } from './fluxcheckrule.ts'
import { fluxRuleIds } from './fluxruletable.ts'

const MARK = /«([^»]*)»/

function unmarked(marked: string): { text: string; marks: string[] } {
  const marks: string[] = []
  const lines = marked.split('\n').map((line, i) => {
    let rest = line
    for (let m = MARK.exec(rest); m; m = MARK.exec(rest)) {
      marks.push(`${i + 1}:${m.index + 1} ${m[1]}`)
      rest = rest.replace(m[0], '')
    }
    return rest
  })
  return { text: lines.join('\n'), marks }
}

const told = (f: FluxFinding) => `${f.place.line}:${f.place.column} ${f.rule} ${f.level}`

describe('each rule', () => {
  it.each(fixtures)('$what', ({ text, says, options, file = 'x.yaml', more = {}, before }) => {
    const files = Object.entries({ [file]: text, ...more }).map(([name, marked]) => ({
      file: name,
      ...unmarked(marked),
    }))
    const made = checkFlux(files, {
      ...options,
      ...(before === undefined ? {} : { before: [{ file: 'old/x.yaml', text: before }] }),
    })
    const found = files.map((f) => [f.file, made.findings.filter((x) => x.place.file === f.file).map(told)])
    const byPlace = (a: string, b: string) =>
      Number(a.split(':')[0]) - Number(b.split(':')[0]) || (a < b ? -1 : 1)
    expect(found.map(([name, list]) => [name, [...list!].sort(byPlace as never)])).toEqual(
      files.map((f) => [f.file, f.marks.sort(byPlace)]),
    )
    if (says) expect(made.findings.map((f) => f.message).join('\n')).toContain(says)
    for (const f of made.findings) {
      expect([f.race.length > 0, f.race.length <= 5, f.fix.endsWith('.')]).toEqual([true, true, true])
    }
  })

  it('has a fixture', () => {
    const all = fixtures.flatMap(
      (f) => [f.text, ...Object.values(f.more ?? {})].join('\n').match(/W\d[a-c]/g) ?? [],
    )
    expect(new Set(all)).toEqual(new Set(fluxRuleIds))
  })
})

describe('what is right', () => {
  const clean = stream(
    git('repo'),
    unit('a', '  path: ./a\n'.replace('  path: ./a\n', '  prune: true\n')),
    unit('b', '  prune: true\n  dependsOn: [{name: a}]\n'),
    release('h', CHART),
  )
  it('has no findings', () => expect(checkFlux([{ file: 'x.yaml', text: clean }]).findings).toEqual([]))

  it('is what post-render makes', () => {
    const text = stream(
      git('fe'),
      git('be'),
      unit('a', '  patches: [{patch: x}]\n', 'be', ''),
      unit('b', '  dependsOn: [{name: a}]\n', 'fe'),
      release('h', `${CHART}  values: {}\n`),
      release('i', `${CHART}  dependsOn: [{name: h, readyExpr: "self.x || dep.y"}]\n`),
    )
    const options = {
      strategy: 'expr',
      namespace: 'ns',
      keepSources: [],
      additiveGate: false,
      strict: false,
    } as const
    expect(checkFlux([{ file: 'x.yaml', text }]).findings).not.toEqual([])
    expect(checkFlux([{ file: 'x.yaml', text: postRenderFlux(text, options).text! }]).findings).toEqual([])
  })
})

describe('places', () => {
  const found = (text: string) => checkFlux([{ file: 'x.yaml', text }])
  const back = unit('back', '', 'be')
  const front = unit('front', '  dependsOn:\n    - name: back\n', 'fe')

  it('are the same with line ends of Windows', () => {
    const text = stream(back, front)
    expect(found(text.replaceAll('\n', '\r\n')).findings.map(told)).toEqual(found(text).findings.map(told))
  })

  it('of what an alias stands for are where it stands', () => {
    const text = stream(
      back,
      front.replace('  dependsOn:\n    - name: back\n', '  x: &d [{name: back}]\n  dependsOn: *d\n'),
    )
    expect(found(text).findings.map(told)).toEqual(['17:14 W4a error'])
  })

  it('are known behind a broken document, and in 10 MB', () => {
    const big = `x: [\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  x: |\n${'    0123456789abcdef\n'.repeat(500_000)}---\n`
    const made = found(`${big}${stream(back, front)}`)
    expect(made.findings.map(told)).toEqual(['500025:7 W4a error'])
    expect(made.set.broken).toHaveLength(1)
  })
})

describe('comments', () => {
  const front = (item: string, above = '') => unit('front', `  dependsOn:\n${above}    - ${item}\n`, 'fe')
  it.each<[string, string, number]>([
    ['on the line', front('name: back # lockstep:ignore W4a one push makes both'), 1],
    ['above it', front('name: back', '    # lockstep:ignore W1a, W4a one push makes both\n'), 1],
    ['of another rule', front('name: back # lockstep:ignore W4b one push makes both'), 0],
    ['without a reason', front('name: back # lockstep:ignore W4a'), 0],
    ['two lines above', front('name: back', '    # lockstep:ignore W4a why\n\n'), 0],
  ])('%s', (_, text, ignored) => {
    const made = checkFlux([{ file: 'x.yaml', text: stream(unit('back', '', 'be'), text) }])
    expect([made.findings.length, made.ignored.length]).toEqual([1 - ignored, ignored])
    if (ignored) expect(made.ignored[0]!.reason).toBe('one push makes both')
  })
})

it('names what it does not look at', () => {
  const text = stream(
    'apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: tenants}\n',
    'apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\nmetadata: {name: parts}\n',
    release('old', CHART).replace('/v2', '/v2beta1'),
  )
  const { notLookedAt } = checkFlux([{ file: 'x.yaml', text }])
  expect(notLookedAt.map((n) => `${n.place.line}: ${n.message}`)).toEqual([
    '3: ResourceSet tenants: what a ResourceSet makes is only known in a cluster',
    '7: ArtifactGenerator parts: what an ArtifactGenerator makes is only known in a cluster',
    '11: HelmRelease old: version v2beta1 is not read',
  ])
})

it('takes the folders of two clusters for two clusters', () => {
  const files = ['prod', 'test'].map((cluster) => ({
    file: `clusters/${cluster}/units.yaml`,
    text: stream(
      unit('a', ''),
      unit('b', '  dependsOn: [{name: a}]\n'),
      unit(`own-${cluster}`, '').replace(/path: .*/, 'path: ./own'),
    ),
  }))
  expect(checkFlux(files).findings).toEqual([])
})
