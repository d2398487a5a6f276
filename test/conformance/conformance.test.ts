import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { at, type JsonObject, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import { DEFAULTS } from '../../packages/lockstep/src/decisions/clustergroup/values/defaults.ts'
import { canRun, sharedData } from '../shareddata.ts'
import { runConformance } from './runconformance.ts'

async function run(...args: string[]): Promise<{ code: number; out: string[]; err: string[] }> {
  const out: string[] = []
  const err: string[] = []
  const code = await runConformance(
    args,
    (line) => out.push(line),
    (line) => err.push(line),
  )
  return { code, out, err }
}

const SSA = sharedData('conformance/ssa')

describe.runIf(canRun('recorded behaviour', SSA))('recorded behaviour', () => {
  it('of server-side apply is ours', async () => {
    const { code, out, err } = await run('ssa', SSA)
    expect({ code, failures: out.filter((l) => l.startsWith('FAIL')), err }).toEqual({
      code: 0,
      failures: [],
      err: [],
    })
    expect(out.at(-1)).toMatch(/^[1-9]\d* passed, 0 failed$/)
  })
})

const HEALTH = sharedData('conformance/health')

describe.runIf(canRun('recorded health', HEALTH))('recorded health', () => {
  const cases = (file: string): number =>
    readFileSync(join(HEALTH, file), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '').length
  const counts = (out: string[]): number[] =>
    out.slice(-2).flatMap((line) => [...line.matchAll(/\d+/g)].map(([n]) => Number(n)))

  it('of kstatus is ours, with its conditions', async () => {
    const { out } = await run('health', join(HEALTH, 'kstatus.jsonl'))
    expect(out).toEqual(['messages: 0 of 0 equal', `${cases('kstatus.jsonl')} passed, 0 failed`])
  })
  it('of built-in kinds is ours in profile Argo', async () => {
    const { out } = await run('health', join(HEALTH, 'argocd-builtin.jsonl'))
    expect(out.at(-1)).toBe(`${cases('argocd-builtin.jsonl')} passed, 0 failed`)
  })
  it('of custom kinds is ours in nine of ten cases, and seven of ten messages are', async () => {
    const { code, out, err } = await run('health', join(HEALTH, 'argocd.jsonl'))
    expect({ code, err }).toEqual({ code: 1, err: [] })
    const [equal, said, passed, failed] = counts(out) as [number, number, number, number]
    const all = cases('argocd.jsonl')
    expect([said, passed + failed]).toEqual([all, all])
    expect(passed / all).toBeGreaterThanOrEqual(0.9)
    expect(equal / said).toBeGreaterThanOrEqual(0.7)
  })
})

const GROUPS = sharedData('corpus/clustergroup')

describe.runIf(canRun('recorded renderings of clustergroup', GROUPS))('recorded renderings', () => {
  it('of clustergroup are ours, refusals are at the same places, and its tests pass', async () => {
    const { code, out, err } = await run('clustergroup', GROUPS)
    expect({ code, failures: out.filter((l) => l.startsWith('FAIL')), err }).toEqual({
      code: 0,
      failures: [],
      err: [],
    })
    const withFile = (file: string): string[] =>
      readdirSync(join(GROUPS, 'cases')).filter((id) => existsSync(join(GROUPS, 'cases', id, file)))
    const [ours, others] = [chartTests(true), chartTests(false)]
    expect(out.at(-1)).toBe(`${withFile('values.yaml').length + ours.length} passed, 0 failed`)
    const aside = out.filter((line) => line.startsWith('not compared: '))
    expect(aside.flatMap((line) => /^not compared: cases\/([^:]+)/.exec(line)?.[1] ?? [])).toEqual(
      withFile('expected-rest.json'),
    )
    expect(aside.slice(withFile('expected-rest.json').length)).toEqual(
      others.map((id) => expect.stringContaining(`not compared: ${id}: templates/`)),
    )
    expect(Math.min(ours.length, others.length)).toBeGreaterThan(0)
  })
  it('begin with the defaults of the chart, but for what renders nothing here', () => {
    const chart = parseYamlStream(readFileSync(join(GROUPS, 'chart/values.yaml'), 'utf8'))[0]
    const { argoCD: theirs, ...group } = at(chart, 'clusterGroup') as JsonObject
    const { argoCD, ...ourGroup } = DEFAULTS.clusterGroup as JsonObject
    expect({ ...DEFAULTS, clusterGroup: ourGroup }).toEqual({ ...(chart as JsonObject), clusterGroup: group })
    expect(Object.keys(argoCD as JsonObject).sort()).toEqual(Object.keys(theirs as JsonObject).sort())
  })

  /** Names of the chart's own tests, by whether they are about templates that are rendered here. */
  function chartTests(areOurs: boolean): string[] {
    const folder = join(GROUPS, 'chart/tests')
    const isOurs = (template: unknown): boolean =>
      /^templates\/(?:core\/|plumbing\/(?:applications|argoProjects)\.)/.test(String(template))
    const suites = readdirSync(folder).filter((file) => file.endsWith('_test.yaml'))
    return suites
      .sort()
      .flatMap((file) =>
        parseYamlStream(readFileSync(join(folder, file), 'utf8')).flatMap((suite) =>
          (at(suite, 'tests') as JsonObject[])
            .filter((test) => isOurs(at(test, 'templates', 0) ?? at(suite, 'templates', 0)) === areOurs)
            .map((test) => `${at(suite, 'suite')}: ${test.it}`),
        ),
      )
  }
})

describe('folders of renderings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const project = (name: string) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: 'common-example' },
    spec: {
      description: `Pattern ${name}`,
      destinations: [{ namespace: '*', server: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      namespaceResourceWhitelist: [{ group: '*', kind: '*' }],
      sourceRepos: ['*'],
    },
    status: {},
  })
  const add = (id: string, files: Readonly<Record<string, unknown>>): void => {
    mkdirSync(join(folder, id), { recursive: true })
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, id, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const values = 'clusterGroup: {argoProjects: [b, a]}'
  const refused = (at: string) => ({ stage: 'values', message: `- at '${at}': got number, want string` })

  it('are compared whatever their order, and each case says what differs', async () => {
    const over = 'clusterGroup: {argoProjects: [a]}'
    const changed = { ...project('a'), status: { seen: true } }
    add('equal', { 'values.yaml': values, 'expected.json': [project('a'), project('b')] })
    add('layered', {
      'values.yaml': values,
      'values-override.yaml': over,
      'expected.json': [project('a')],
      'expected-rest.json': [{}, {}],
    })
    add('missing', { 'values.yaml': values, 'expected.json': [project('a'), project('c')] })
    add('other', { 'values.yaml': over, 'expected.json': [changed] })
    add('refused', {
      'values.yaml': 'clusterGroup: {name: 5}',
      'expected-error.json': refused('/clusterGroup/name'),
    })
    add('elsewhere', {
      'values.yaml': 'clusterGroup: {name: 5}',
      'expected-error.json': refused('/clusterGroup'),
    })
    add('rendered', { 'values.yaml': values, 'expected-error.json': refused('/clusterGroup') })
    add('no case', { 'values.yaml': values })
    expect(await run('clustergroup', folder)).toEqual({
      code: 1,
      out: [
        'FAIL elsewhere',
        '  refused: expected /clusterGroup got nothing',
        '  refused: expected nothing at /clusterGroup/name got values.yaml: clusterGroup.name: 5 is a number; quote it ("5")',
        'not compared: layered: 2 objects of templates that stay with the chart',
        'FAIL missing',
        '  AppProject common-example/c: expected and not there',
        '  AppProject common-example/b: not expected',
        'FAIL other',
        '  AppProject common-example/a.status.seen: expected true got nothing',
        'FAIL rendered',
        '  stage: expected values got 2 objects',
        '3 passed, 4 failed',
      ],
      err: [],
    })
  })
  it('have to be folders', async () => {
    expect((await run('clustergroup', join(folder, 'no case'))).code).toBe(2)
    expect((await run('clustergroup', join(folder, 'equal', 'values.yaml'))).code).toBe(2)
  })
})

describe('the runner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const file = (...lines: unknown[]): string => {
    const path = join(folder, 'merge.jsonl')
    writeFileSync(path, lines.map((l) => (typeof l === 'string' ? l : JSON.stringify(l))).join('\n'))
    return path
  }
  const yaml =
    'types:\n- name: v1\n  map:\n    fields:\n    - name: a\n      type:\n        scalar: numeric\n'
  const step = (live: unknown, op = 'Apply'): unknown => ({
    op,
    manager: 'm',
    version: 'v1',
    obj: { a: 1 },
    live,
    managers: { m: { version: 'v1', applied: true, fieldsV1: { 'f:a': {} } } },
  })
  const example = (id: string, ...steps: unknown[]): unknown => ({ id, schema: { yaml }, steps })

  it('passes, fails and filters', async () => {
    const path = file(example('good', step({ a: 1 })), example('bad', step({ a: 2 })))
    const json = join(folder, 'out.json')
    expect(await run('ssa', path, '--json', json)).toEqual({
      code: 1,
      out: ['FAIL bad', '  step 1 Apply live.a: expected 2 got 1', '1 passed, 1 failed'],
      err: [],
    })
    expect(JSON.parse(readFileSync(json, 'utf8'))).toHaveLength(2)
    expect((await run('ssa', folder, '--filter', '^good$')).code).toBe(0)
    expect((await run('ssa', folder, '--filter', 'none')).code).toBe(2)
  })

  it('refuses bad input', async () => {
    const path = file('{', example('x', step({ a: 1 }, 'Aply')), { ...(example('y') as object), more: 1 })
    const { code, err } = await run('ssa', path)
    expect(code).toBe(2)
    expect(err).toHaveLength(3)
    expect(err[0]).toMatch(/^conformance: merge\.jsonl:1: not JSON: /)
    expect(err[1]).toBe('conformance: merge.jsonl:2: case "x": unknown op "Aply"')
    expect(err[2]).toBe('conformance: merge.jsonl:3: case "y": unknown member "more"')
  })

  it('counts messages, by which nothing fails', async () => {
    const health = (id: string, status: string | null, message: string): string =>
      JSON.stringify({
        id,
        group: 'example.com',
        kind: 'Widget',
        object: { status: { phase: 'Failed' } },
        expected: { status, message },
      })
    const path = join(folder, 'argocd.jsonl')
    writeFileSync(path, [health('a', 'Degraded', 'phase Failed'), health('b', 'Degraded', '')].join('\n'))
    expect((await run('health', path)).out).toEqual(['messages: 1 of 2 equal', '2 passed, 0 failed'])
    const kstatus = { id: 'c', object: { apiVersion: 'v1', kind: 'Pod' }, expectedStatus: 'Current' }
    const lists = { expectedConditions: [], absentConditionTypes: ['Reconciling'] }
    writeFileSync(join(folder, 'kstatus.jsonl'), JSON.stringify({ ...kstatus, ...lists }))
    expect((await run('health', folder)).out).toEqual([
      'FAIL c',
      '  status: expected Current got InProgress',
      '  conditions: expected no Reconciling got Reconciling=True/PodNotObserved',
      'argocd.jsonl: messages: 1 of 2 equal',
      'kstatus.jsonl: messages: 0 of 0 equal',
      '2 passed, 1 failed',
    ])
    rmSync(path)
    rmSync(join(folder, 'kstatus.jsonl'))
  })

  it.each([
    [['ssa']],
    [['nonsense', '.']],
    [['ssa', '/does/not/exist']],
    [['ssa', '.', '--filter']],
    [['ssa', '.', '--x']],
  ])('refuses %j', async (args) => {
    expect((await run(...args)).code).toBe(2)
  })
})
