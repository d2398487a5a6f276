import { describe, expect, it } from 'vitest'
import { at, isArray, type KubeObject, parseYamlStream } from '../../../../kube/src/object/index.ts'
import { type PostRenderOptions, postRenderFlux } from './postrenderflux.ts'

const OPTIONS: PostRenderOptions = {
  strategy: 'expr',
  namespace: 'ns',
  keepSources: [],
  additiveGate: false,
  strict: false,
}

const PIN = 'ref: {commit: "1"}'
const git = (name: string, spec = PIN, namespace = 'ns') =>
  `apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec:\n  ${spec}\n`

interface Written {
  readonly needs?: string
  readonly spec?: string
  readonly labels?: string
  readonly annotations?: string
  readonly version?: string
  readonly source?: string
}

const unit = (name: string, o: Written = {}) => `apiVersion: kustomize.toolkit.fluxcd.io/${o.version ?? 'v1'}
kind: Kustomization
metadata:
  name: ${name}
  namespace: ns
  labels: {${o.labels ?? ''}}
  annotations: {${o.annotations ?? ''}}
spec:
  sourceRef: {kind: GitRepository, name: ${o.source ?? 'repo'}}
  wait: true
${o.spec ? `  ${o.spec}\n` : ''}${o.needs ? `  dependsOn: [${o.needs}]\n` : ''}`

const release = (name: string, o: Written = {}) => `apiVersion: helm.toolkit.fluxcd.io/${o.version ?? 'v2'}
kind: HelmRelease
metadata: {name: ${name}, namespace: ns}
spec:
  ${o.spec ?? 'chart: {spec: {chart: c, version: 1.2.3, sourceRef: {kind: HelmRepository, name: h}}}'}
${o.needs ? `  dependsOn: [${o.needs}]\n` : ''}`

const stream = (...documents: readonly string[]) => documents.join('---\n')
const CHECK = 'lockstep.dev/checkpoint: "true"'

const ask = (text: string, o: Partial<PostRenderOptions> = {}) => postRenderFlux(text, { ...OPTIONS, ...o })
const said = (made: ReturnType<typeof ask>) =>
  made.notes.map((n) => `${n.level} ${n.code} line ${n.line}: ${n.message}`)
const objects = (text: string | undefined) => parseYamlStream(text ?? '') as unknown as KubeObject[]
const named = (made: ReturnType<typeof ask>, kind: string) =>
  objects(made.text).flatMap((o) => (o.kind === kind ? [o.metadata.name ?? ''] : []))
const valueAt = (made: ReturnType<typeof ask>, index: number, ...path: (string | number)[]) =>
  at(objects(made.text)[index], ...path)

describe('what is refused', () => {
  it.each<[string, string, Partial<PostRenderOptions>, string[]]>([
    [
      'a unit that is a hook',
      unit('a', { annotations: 'helm.sh/hook: post-install' }),
      {},
      [
        'error PR01 line 7: Kustomization ns/a is a Helm hook (post-install): Helm deletes and recreates it with everything it owns',
      ],
    ],
    [
      'a cycle, with the shortest way round',
      stream(
        unit('a', { needs: '{name: c}' }),
        unit('b', { needs: '{name: a}' }),
        unit('c', { needs: '{name: b}, {name: a}' }),
      ),
      {},
      ['error PR02 line 11: dependency cycle: a → c → a'],
    ],
    [
      'a name that gets too long',
      stream(git('x'.repeat(250)), unit('a', { source: 'x'.repeat(250) })),
      {},
      [
        `error PR03 line 3: GitRepository ns/${'x'.repeat(250)}: the name ${'x'.repeat(250)}-b3a4828f93 is longer than 253 characters`,
      ],
    ],
    [
      'versions without the fields',
      stream(
        unit('a', { version: 'v1beta2' }),
        unit('b', { needs: '{name: a}' }),
        release('h', { version: 'v2beta2' }),
        unit('free', { version: 'v1beta2' }),
      ),
      {},
      [
        'error PR05 line 4: Kustomization ns/a has API version v1beta2, which has neither readyExpr nor healthCheckExprs',
      ],
    ],
    [
      'a branch below an edge whose revisions Flux would have compared',
      stream(git('repo', 'ref: {branch: main}'), unit('a'), unit('b', { needs: '{name: a}' })),
      {},
      [
        "error PR07 line 28: GitRepository ns/repo follows branch main: its content can change under Kustomization ns/b without a new release, and a readyExpr ends Flux's own comparison of revisions",
      ],
    ],
    [
      'with --strict what is a warning otherwise',
      stream(git('repo'), unit('a', { needs: '{name: x}' })),
      { strict: true },
      [
        'error PR04 line 17: Kustomization ns/a depends on Kustomization ns/x, which is not in the input: the dependency stays without a release check',
      ],
    ],
    [
      'by name: an edge to what owns objects',
      stream(
        unit('a'),
        unit('b', { needs: '{name: a}' }),
        release('c'),
        release('d', { needs: '{name: c}' }),
      ),
      { strategy: 'name' },
      [
        'error PR11 line 22: Kustomization ns/a owns objects; renaming it at each release deletes or leaks them',
        'error PR11 line 35: HelmRelease ns/c owns a release; renaming it at each release deletes or leaks them',
      ],
    ],
    [
      'by name: what is too long for the label that Flux makes of it',
      stream(unit('a'.repeat(55), { labels: CHECK }), unit('b', { needs: `{name: ${'a'.repeat(55)}}` })),
      { strategy: 'name' },
      [
        expect.stringMatching(
          /^error PR03 line 4: Kustomization .* is longer than 63 characters$/,
        ) as unknown as string,
      ],
    ],
  ])('%s', (_, text, o, notes) => {
    const made = ask(text, o)
    expect([said(made), made.text, made.changes]).toEqual([notes, undefined, []])
  })

  it('what is no YAML, before anything else', () => {
    const made = ask(`${unit('a')}---\n# fluxcd.io\nkind: [\n`)
    expect([made.text, made.notes, made.broken.map((b) => b.line)]).toEqual([undefined, [], [14]])
  })
})

it('leaves what is no business of it as it came, even if it is no YAML to us', () => {
  const text = stream('a: 1\na: 2\n', '{{ not rendered\n')
  expect(ask(text)).toMatchObject({ text, notes: [], broken: [] })
})

describe('what is said', () => {
  it.each<[string, string, Partial<PostRenderOptions>, string[]]>([
    ['of nothing: nothing', '', {}, []],
    [
      'of a branch, once',
      stream(git('repo', 'ref: {branch: main}'), unit('a'), unit('b', { needs: '{name: a}' }), unit('free')),
      { additiveGate: true },
      [
        'warning PR07 line 10: GitRepository ns/repo follows branch main: its content can change under Kustomization ns/a without a new release, and no digest covers it',
      ],
    ],
    [
      'nothing of a branch below units without edges',
      stream(git('repo', 'ref: {branch: main}'), unit('a')),
      {},
      [],
    ],
    [
      'of a range of charts',
      stream(
        release('a', {
          spec: 'chart: {spec: {chart: c, version: ">=1", sourceRef: {kind: HelmRepository, name: h}}}',
        }),
        release('b', { needs: '{name: a}' }),
      ),
      {},
      [
        'warning PR07 line 3: chart c of HelmRelease ns/a follows version >=1: its content can change under HelmRelease ns/a without a new release, and no digest covers it',
      ],
    ],
    [
      'of a unit that is ready before it is healthy',
      stream(unit('a').replace('wait: true', 'prune: true'), unit('b', { needs: '{name: a}' })),
      {},
      [
        'note PR09 line 4: Kustomization ns/a has neither wait nor healthChecks: post-render sets wait: true, so that ready means healthy',
      ],
    ],
    [
      'nothing of one that looks at some of its objects',
      stream(
        unit('a').replace('wait: true', 'healthChecks: [{kind: Job, name: x, apiVersion: batch/v1}]'),
        unit('b', { needs: '{name: a}' }),
      ),
      {},
      [],
    ],
    [
      'of a release between others',
      stream(release('a'), release('b', { needs: '{name: a}' }), release('c', { needs: '{name: b}' })),
      {},
      [
        'warning PR12 line 9: HelmRelease ns/b has dependents: after a new release Flux compares its values and does not check its health again',
      ],
    ],
    [
      'of a source to keep that is not there',
      stream(git('repo'), unit('a')),
      { keepSources: ['rep'] },
      ['warning PR08 line 3: no source is named rep'],
    ],
    [
      'of what cannot be changed in place',
      stream(
        `${unit('a')}x: &x {name: y}\n`.replace(
          'sourceRef: {kind: GitRepository, name: repo}',
          'sourceRef: &r {kind: GitRepository, name: repo}\n  other: *r # why',
        ),
        git('repo'),
      ),
      {},
      ['note PR06 line 4: Kustomization a could not be changed in place: rewritten without its comments'],
    ],
  ])('%s', (_, text, o, notes) => {
    const made = ask(text, o)
    expect(said(made)).toEqual(notes)
    expect(ask(made.text!, o).text).toBe(made.text)
  })
})

describe('sources', () => {
  it('get a digest of their spec, and everything that names them follows', () => {
    const made = ask(
      stream(
        unit('a', { source: 'main' }),
        git('main', `${PIN}\n  include: [{repository: {name: lib}}]`),
        git('lib'),
        git('lib', PIN, 'other'),
        'apiVersion: notification.toolkit.fluxcd.io/v1\nkind: Receiver\nmetadata: {name: r, namespace: ns}\nspec: {resources: [{kind: GitRepository, name: lib}, {kind: GitRepository, name: lib, namespace: other}]}\n',
        'apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmChart\nmetadata: {name: c, namespace: ns}\nspec: {chart: x, sourceRef: {kind: GitRepository, name: lib}}\n',
      ),
    )
    const [main, lib, other] = named(made, 'GitRepository')
    expect([main, lib, other]).toEqual([
      expect.stringMatching(/^main-[0-9a-f]{10}$/),
      expect.stringMatching(/^lib-[0-9a-f]{10}$/),
      'lib',
    ])
    expect(valueAt(made, 0, 'spec', 'sourceRef', 'name')).toBe(main)
    expect(valueAt(made, 1, 'spec', 'include', 0, 'repository', 'name')).toBe(lib)
    expect(valueAt(made, 1, 'metadata', 'annotations')).toEqual({ 'lockstep.dev/base-name': 'main' })
    expect(valueAt(made, 4, 'spec', 'resources', 0, 'name')).toBe(lib)
    expect(valueAt(made, 4, 'spec', 'resources', 1, 'name')).toBe('lib')
    expect(valueAt(made, 5, 'spec', 'sourceRef', 'name')).toBe(lib)
  })

  it('keep their names where others use them, or nobody here does', () => {
    const made = ask(stream(git('repo'), git('spare'), unit('a')), { keepSources: ['repo'] })
    expect(named(made, 'GitRepository')).toEqual(['repo', 'spare'])
    expect(made.changes).toEqual([])
  })

  it('that are included in what changed have another name, and so has what includes them', () => {
    const of = (commit: string) =>
      named(
        ask(
          stream(
            unit('a', { source: 'm' }),
            git('m', `${PIN}\n  include: [{repository: {name: lib}}]`),
            git('lib', `ref: {commit: "${commit}"}`),
          ),
        ),
        'GitRepository',
      )
    expect(of('1')[0]).not.toBe(of('2')[0])
  })
})

describe('strategy name', () => {
  const text = stream(
    unit('ready', { labels: CHECK, spec: 'nameSuffix: -x' }),
    unit('steady', { labels: CHECK, needs: '{name: ready}' }),
    unit('content', { needs: '{name: steady}, {name: ready}' }),
  )

  it('renames checkpoints and what they make, and what waits for them follows', () => {
    const made = ask(text, { strategy: 'name' })
    const [ready, steady, content] = named(made, 'Kustomization')
    expect([ready, steady, content]).toEqual([
      expect.stringMatching(/^ready-[0-9a-f]{10}$/),
      expect.stringMatching(/^steady-[0-9a-f]{10}$/),
      'content',
    ])
    expect(valueAt(made, 0, 'spec', 'nameSuffix')).toBe(`-x${ready!.slice('ready'.length)}`)
    expect(valueAt(made, 1, 'spec', 'nameSuffix')).toBe(steady!.slice('steady'.length))
    expect(valueAt(made, 2, 'spec', 'dependsOn')).toEqual([{ name: steady }, { name: ready }])
    expect(valueAt(made, 0, 'metadata', 'annotations')).toEqual({ 'lockstep.dev/base-name': 'ready' })
    expect(objects(made.text).some((o) => isArray(at(o, 'spec', 'healthCheckExprs')))).toBe(false)
  })

  it('renames nothing where nothing changed, and leaves its own output', () => {
    const made = ask(text, { strategy: 'name' })
    const again = ask(made.text!, { strategy: 'name' })
    expect([again.text, again.changes]).toEqual([made.text, []])
    expect(ask(text, { strategy: 'name' }).text).toBe(made.text)
  })

  it('gives checkpoints of two releases no name in common', () => {
    const [a, b] = ['1', '2'].map((release) => ask(text, { strategy: 'name', release }))
    const names = (made: ReturnType<typeof ask>) =>
      [0, 1].flatMap((i) => [valueAt(made, i, 'metadata', 'name'), valueAt(made, i, 'spec', 'nameSuffix')])
    expect(names(a!).filter((n) => names(b!).includes(n))).toEqual([])
  })
})

describe('what units carry', () => {
  it('is taken over by items of a List, and by releases', () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- ${unit('a').trimEnd().replaceAll('\n', '\n  ')}\n- ${unit('b', { needs: '{name: a}' }).trimEnd().replaceAll('\n', '\n  ')}\n`
    const made = ask(stream(list, release('h'), release('i', { needs: '{name: h, readyExpr: "x || y"}' })))
    expect(valueAt(made, 0, 'items', 0, 'spec', 'healthCheckExprs', 0, 'kind')).toBe('ReleaseGate')
    expect(valueAt(made, 0, 'items', 1, 'spec', 'dependsOn', 0, 'readyExpr')).toMatch(
      /^has\(dep\.spec\.healthCheckExprs\)/,
    )
    expect(valueAt(made, 1, 'spec', 'healthCheckExprs', 0, 'kind')).toBe('ReleaseGate')
    expect(valueAt(made, 2, 'spec', 'dependsOn', 0, 'readyExpr')).toMatch(/^\(x \|\| y\) && \(has/)
  })

  it('keeps the annotation by which Helm finds its file again', () => {
    const made = ask(
      stream(
        unit('a', { annotations: 'postrenderer.helm.sh/postrender-filename: c/templates/a.yaml' }),
        unit('b', { needs: '{name: a}' }),
      ),
    )
    expect(valueAt(made, 0, 'metadata', 'annotations')).toEqual({
      'postrenderer.helm.sh/postrender-filename': 'c/templates/a.yaml',
    })
  })
})
