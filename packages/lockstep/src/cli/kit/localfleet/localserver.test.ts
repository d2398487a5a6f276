import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiServer } from '../../../../../apiserver/src/server/index.ts'
import { createNodeEnv } from '../../../../../kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../../../../kube/src/env/node/nodelog.ts'
import { type LocalServer, serveLocally } from './localserver.ts'

const CMS = '/api/v1/namespaces/default/configmaps'
const BODY = JSON.stringify({ metadata: { name: 'x' } })

describe('a server for other programs of this machine', () => {
  const env = createNodeEnv(nodeLog('silent'))
  const api = createApiServer(env, { name: 'hub' })
  let local: LocalServer
  let agent: Agent

  beforeAll(async () => {
    const served = await serveLocally(env, new Map([['hub', api]]), 0)
    if (!served.ok) throw new Error(served.error.detail)
    local = served.value
    // The certificate lacks the names of these tests, as a browser may accept it.
    agent = new Agent({ connect: { ca: local.accessOf('hub').ca!, checkServerIdentity: () => undefined } })
  })
  afterAll(async () => {
    await agent.close()
    await local.close()
  })

  async function send(
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const method = body === undefined ? 'GET' : 'POST'
    const answer = await request(`${local.url}${path}`, { method, headers, body, dispatcher: agent })
    return { status: answer.statusCode, text: await answer.body.text() }
  }
  const mine = () => ({ authorization: `Bearer ${local.accessOf('hub').token}` })
  const json = { 'content-type': 'application/json' }

  it('is HTTPS on loopback with a token of 256 random bits', async () => {
    expect(local.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(Buffer.from(local.accessOf('hub').token!, 'base64url')).toHaveLength(32)
    const connection = env.net.connect(local.endpointOf('hub'), 'operator')
    const made = await connection.request({ method: 'POST', path: CMS, headers: json, body: BODY })
    await connection.close()
    expect(made).toMatchObject({ ok: true, value: { status: 201 } })
  })

  it.each<[string, number, () => Record<string, string>, string | undefined]>([
    [
      'A18: a page of another site posts without Content-Type',
      403,
      () => ({ origin: 'https://evil.example' }),
      BODY,
    ],
    [
      'A18: a page of another site that hides its origin',
      403,
      () => ({ ...mine(), 'sec-fetch-site': 'cross-site' }),
      undefined,
    ],
    ['A18: a page with the token, of any origin', 403, () => ({ ...mine(), ...json, origin: 'null' }), BODY],
    ['A18: a name that leads here', 421, () => ({ ...mine(), host: 'evil' }), undefined],
    [
      'A18: a name that leads here, with the port',
      421,
      () => ({ ...mine(), host: '127.0.0.1.evil.example:443' }),
      undefined,
    ],
    ['A18: no token', 401, () => ({}), undefined],
    ['A18: another token', 401, () => ({ authorization: 'Bearer x' }), undefined],
    ['A18: another scheme', 401, () => ({ authorization: 'Basic x' }), undefined],
    ['a body without a type', 415, () => mine(), BODY],
    ['a body as a form sends it', 415, () => ({ ...mine(), 'content-type': 'text/plain' }), BODY],
    [
      'a body whose type only begins so',
      415,
      () => ({ ...mine(), 'content-type': 'application/jsonx' }),
      BODY,
    ],
    [
      'a body as a form sends it, with a parameter',
      415,
      () => ({ ...mine(), 'content-type': 'text/plain; application/json' }),
      BODY,
    ],
  ])('%s: %i, and nothing is written', async (_, status, headers, body) => {
    const before = api.local.list('configmaps').length
    expect((await send(`/clusters/hub${CMS}`, headers(), body)).status).toBe(status)
    expect(api.local.list('configmaps')).toHaveLength(before)
  })

  it('A18: names no cluster without the token', async () => {
    const [there, away, none] = await Promise.all(
      ['/clusters/hub/api', '/clusters/no/api', '/'].map((p) => send(p, {})),
    )
    expect([there, away, none].map((a) => a!.status)).toEqual([401, 401, 401])
    expect((await send('/clusters/no/api', mine())).text).toContain('cluster \\"no\\" not found')
  })

  it.each([
    'application/yaml',
    'application/apply-patch+yaml',
    'application/merge-patch+json; charset=utf-8',
    'application/vnd.kubernetes.protobuf',
  ])('passes %s on to the API', async (type) => {
    const { text } = await send(`/clusters/hub${CMS}`, { ...mine(), 'content-type': type }, '\0')
    expect(text).not.toContain('is not read: send')
  })
})
