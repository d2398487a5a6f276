import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { canRun, sharedData } from '../../../../test/shareddata.ts'
import { testCluster } from './testcluster.cases.ts'

const FILE = sharedData('conformance/apiserver/transcript-1.36.jsonl')

interface Step {
  readonly name: string
  readonly req: { method: string; path: string; ct?: string; accept?: string; body?: unknown }
  readonly res: { status: number; ct?: string; warning?: string; body: unknown }
}

/** Values that the client of the recording invented. */
const INVENTED: Readonly<Record<string, string>> = {
  '<rv4>': '5',
  '<rv6>': '1',
  '<rv19>': '7',
  '<uid6>': '00000000-0000-0000-0000-000000000000',
  '<uid8>': '00000000-0000-0000-0000-000000000001',
}

const NAME = 'the recorded conversation with kube-apiserver 1.36'

describe.runIf(canRun(NAME, FILE))(NAME, () => {
  it('is answered in the same words', async () => {
    const steps = readFileSync(FILE, 'utf8')
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l) as Step)
    const failures = await replay(steps)
    expect(failures).toEqual([])
  })
})

async function replay(steps: readonly Step[]): Promise<string[]> {
  const { env, call, watch } = testCluster('transcript', 'apiextensions')
  const bound = new Map<string, string>(Object.entries(INVENTED))
  const failures: string[] = []
  let token = ''
  for (const step of steps) {
    const body = substitute(step.req.body, bound)
    const path = step.req.path.replace(/continue=ey[^&]*/, `continue=${token}`)
    const headers = { accept: step.req.accept ?? 'application/json' }
    const isWatch = path.includes('watch=true')
    let got: { status: number; headers: Readonly<Record<string, string>>; body: unknown }
    if (isWatch) {
      const w = watch(path, headers)
      const response = await w.response
      await env.clock.run(() => w.state.ended || typeof response.body === 'string', 5_000)
      got = {
        status: response.status,
        headers: response.headers,
        body: typeof response.body === 'string' ? [JSON.parse(response.body)] : w.got,
      }
    } else {
      const answer = call(step.req.method, path, body, step.req.ct, headers)
      // A list of a version to come waits for it.
      if (path.includes('resourceVersion=99999999')) await env.clock.run(() => false, 3_000)
      got = await answer
    }
    if (step.name === 'list-limit') token = (got.body as { metadata: { continue: string } }).metadata.continue
    const problems: string[] = []
    if (got.status !== step.res.status) problems.push(`status: expected ${step.res.status} got ${got.status}`)
    if (step.res.ct !== undefined && got.headers['content-type'] !== step.res.ct)
      problems.push(`type: expected ${step.res.ct} got ${got.headers['content-type']}`)
    if (step.name !== 'crd-create' && got.headers.warning !== step.res.warning)
      problems.push(`warning: expected ${step.res.warning} got ${got.headers.warning}`)
    compare(step.res.body, got.body, '', bound, problems)
    if (problems.length > 0) failures.push(`FAIL ${step.name}\n  ${problems.slice(0, 8).join('\n  ')}`)
  }
  return failures
}

function substitute(value: unknown, bound: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return bound.get(value) ?? (value === '<time>' ? '2026-01-01T00:00:00Z' : value)
  if (Array.isArray(value)) return value.map((v) => substitute(v, bound))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, substitute(v, bound)]))
}

/** Placeholders bind at first sight; numbers in brackets and the generated suffix differ from run to run. */
function compare(want: unknown, got: unknown, path: string, bound: Map<string, string>, out: string[]): void {
  if (typeof want === 'string' && typeof got === 'string') {
    if (!sameText(want, got, bound)) out.push(`${path}: expected ${want} got ${got}`)
    return
  }
  if (Array.isArray(want) && Array.isArray(got)) {
    if (want.length !== got.length) out.push(`${path}: expected ${want.length} elements got ${got.length}`)
    for (const [i, w] of want.entries()) if (i < got.length) compare(w, got[i], `${path}[${i}]`, bound, out)
    return
  }
  if (typeof want === 'object' && want !== null && typeof got === 'object' && got !== null) {
    const [w, g] = [want as Record<string, unknown>, got as Record<string, unknown>]
    for (const k of new Set([...Object.keys(w), ...Object.keys(g)])) {
      if (!(k in g)) out.push(`${path}.${k}: missing, expected ${JSON.stringify(w[k]).slice(0, 200)}`)
      else if (!(k in w)) out.push(`${path}.${k}: unexpected ${JSON.stringify(g[k]).slice(0, 200)}`)
      else compare(w[k], g[k], `${path}.${k}`, bound, out)
    }
    return
  }
  if (want !== got) out.push(`${path}: expected ${JSON.stringify(want)} got ${JSON.stringify(got)}`)
}

function sameText(want: string, got: string, bound: Map<string, string>): boolean {
  if (want === got || want === '<continue>') return true
  if (want === '<time>') return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(got)
  if (/^<(uid|rv)\d+>$/.test(want)) {
    const known = bound.get(want)
    if (known !== undefined) return known === got
    if ([...bound.values()].includes(got)) return false
    bound.set(want, got)
    return true
  }
  if (want === 'apiextensions-apiserver2') return got === 'apiextensions-apiserver'
  const blur = (s: string): string =>
    s
      .replaceAll(/<(uid|rv)\d+>/g, (m) => bound.get(m) ?? m)
      .replaceAll(/\(\d+\)/g, '(N)')
      .replaceAll(/current: \d+/g, 'current: N')
      .replace(/^gen-[a-z0-9]{5}$/, 'gen-')
  return blur(want) === blur(got)
}
