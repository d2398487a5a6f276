/** A client refuses answers of another program than a Kubernetes API server. */
import { describe, expect, it } from 'vitest'
import type { ServerResponse } from '../env/net.ts'
import { createSimEnv } from '../env/sim/simenv.ts'
import { configMapKind } from '../kinds/types.ts'
import type { KubeResult } from './client.ts'
import { OBJECT } from './decode.cases.ts'
import { createHttpClient } from './httpclient.ts'
import { requestErrorText } from './requesterror.ts'

function answering(answer: Partial<ServerResponse>) {
  const env = createSimEnv('answers')
  env.net.serve('https://a.test', async () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    ...answer,
  }))
  return createHttpClient(env, 'c1', env.net.connect({ url: 'https://a.test' }, 'operator'))
}

const KEY = { namespace: 'default', name: 'a' }
const WRITE = { purpose: 'user', manager: 'm', precondition: 'any' } as const
const HTML = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>' }

/** Its error as people read it, and whether it may have written. */
function failed(result: KubeResult<unknown>): readonly [text: string, kind: string, wrote: string] {
  if (result.ok) throw new Error('it was taken')
  return [requestErrorText(result.error), result.error.kind, result.error.wrote]
}

describe('an answer', () => {
  it.each<[what: string, answer: Partial<ServerResponse>, problem: string]>([
    ['of a login page', HTML, '200 text/html where JSON was expected (a login page or proxy?)'],
    [
      'that leads elsewhere',
      { ...HTML, status: 302 },
      '302 text/html where JSON was expected (a login page or proxy?)',
    ],
    [
      'without a type',
      { headers: {} },
      '200 without a type where JSON was expected (a login page or proxy?)',
    ],
    [
      'with escape sequences for a type',
      { headers: { 'content-type': '\u001b[2J/json' } },
      '200 without a type where JSON was expected (a login page or proxy?)',
    ],
    [
      'that is packed',
      { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      '200 in a content encoding that was not requested',
    ],
    ['that is empty', { body: '{}' }, 'no kind where ConfigMap of v1 was expected'],
    [
      'about another object',
      { body: JSON.stringify({ ...OBJECT, metadata: { ...OBJECT.metadata, name: 'b' } }) },
      'another object, b',
    ],
  ])('%s is refused', async (_, answer, problem) => {
    const client = answering(answer)
    expect(failed(await client.get(configMapKind, KEY, { purpose: 'user' }))).toEqual([
      `get ConfigMap default/a: ${problem}`,
      'Malformed',
      'no',
    ])
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: KEY }
    for (const write of [
      client.create(configMapKind, body, WRITE),
      client.apply(configMapKind, body, WRITE),
      client.patch(configMapKind, KEY, {}, WRITE),
    ])
      expect(failed(await write).slice(1)).toEqual(['Malformed', 'maybe'])
  })

  it('to a deletion, a list, discovery and a watch counts as little', async () => {
    const client = answering({ body: '{}' })
    expect(failed(await client.delete(configMapKind, KEY, WRITE)).slice(1)).toEqual(['Malformed', 'maybe'])
    expect(failed(await client.list(configMapKind, { purpose: 'user' }))[1]).toBe('Malformed')
    expect(failed(await client.discover({ purpose: 'user' }))[0]).toBe(
      'discover APIGroupDiscoveryList /api: no discovery of APIs',
    )
    for await (const event of client.watch(configMapKind, { purpose: 'user' }))
      expect(event).toMatchObject({ type: 'ERROR', error: { kind: 'Malformed' } })
  })

  it('to a write that was a test wrote nothing', async () => {
    const done = await answering({}).apply(configMapKind, OBJECT, { ...WRITE, dryRun: true })
    expect(failed(done).slice(1)).toEqual(['Malformed', 'no'])
  })

  it('that asks to wait for years is asked again in half a minute', async () => {
    const client = answering({ status: 429, headers: { 'retry-after': '99999999' } })
    const found = await client.get(configMapKind, KEY, { purpose: 'user' })
    expect(found).toMatchObject({ ok: false, error: { kind: 'Throttled', retryAfterMs: 30_000 } })
  })

  it('of an error without an end is left at 64 KiB', async () => {
    let sent = 0
    const body = (async function* () {
      for (;;) {
        sent += 1024
        yield 'x'.repeat(1024)
      }
    })()
    const found = await answering({ status: 500, body }).get(configMapKind, KEY, { purpose: 'user' })
    expect([failed(found)[1], sent]).toEqual(['Server', 65 * 1024])
  })
})
