import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { beside, canRun } from '../beside.ts'
import { main } from './run.ts'

async function run(...args: string[]): Promise<{ code: number; out: string[]; err: string[] }> {
  const out: string[] = []
  const err: string[] = []
  const code = await main(
    args,
    (line) => out.push(line),
    (line) => err.push(line),
  )
  return { code, out, err }
}

const SSA = beside('conformance/ssa')

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

const HEALTH = beside('conformance/health')

describe.runIf(canRun('recorded health', HEALTH))('recorded health', () => {
  const counts = (out: string[]): number[] =>
    out.slice(-2).flatMap((line) => [...line.matchAll(/\d+/g)].map(([n]) => Number(n)))

  it('of kstatus is ours, with its conditions', async () => {
    const { out } = await run('health', join(HEALTH, 'kstatus.jsonl'))
    expect(out).toEqual(['messages: 0 of 0 equal', '41 passed, 0 failed'])
  })
  it('of built-in kinds is ours in profile Argo', async () => {
    const { out } = await run('health', join(HEALTH, 'argocd-builtin.jsonl'))
    expect(out.at(-1)).toBe('36 passed, 0 failed')
  })
  it('of custom kinds is ours in nine of ten cases, and seven of ten messages are', async () => {
    const { code, out, err } = await run('health', join(HEALTH, 'argocd.jsonl'))
    expect({ code, err }).toEqual({ code: 1, err: [] })
    const [equal, said, passed, failed] = counts(out) as [number, number, number, number]
    expect([said, passed + failed]).toEqual([786, 786])
    expect(passed).toBeGreaterThanOrEqual(708)
    expect(equal / said).toBeGreaterThanOrEqual(0.7)
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
