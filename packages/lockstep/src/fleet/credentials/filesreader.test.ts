import { beforeAll, describe, expect, it } from 'vitest'
import { createNodeEnv } from '../../../../kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../../../kube/src/env/node/nodelog.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { createLocalCertificate, type LocalCertificate } from '../../cli/kit/localfleet/localcertificate.ts'
import { FilesReader } from './filesreader.ts'
import type { CredentialRefusal } from './sourcereader.ts'

const URL = 'https://hub.test'
const FILES = { token: '/sa/token', ca: '/sa/ca.crt', cert: '/sa/tls.crt', key: '/sa/tls.key' }

let old: LocalCertificate
let fresh: LocalCertificate
beforeAll(async () => {
  const env = createNodeEnv(nodeLog('silent'))
  ;[old, fresh] = await Promise.all([createLocalCertificate(env), createLocalCertificate(env)])
})

/** A folder with files, and its reader. */
async function folder(
  files: Partial<typeof FILES>,
  content: Readonly<Record<string, string>>,
  endpoint: object = {},
) {
  const env = createSimEnv('files')
  const write = (path: string, text: string) => env.files.writeAtomic(path, text)
  for (const [path, text] of Object.entries(content)) await write(path, text)
  const reader = new FilesReader(env, { files, endpoint: { url: URL, ...endpoint } })
  const pass = (ms: number) => {
    env.clock.at(env.clock.steady() + ms, () => {})
    return env.clock.run(() => false, ms)
  }
  const read = async (refusal?: CredentialRefusal) => {
    const found = await reader.read(refusal)
    return found.ok ? found.value : found.error.detail
  }
  return { env, write, remove: (path: string) => env.files.remove(path), pass, read }
}

const bearer = (token: string) => ({ endpoint: { url: URL, headers: { authorization: `Bearer ${token}` } } })
const ONLY_TOKEN = { token: FILES.token }

describe('a token', () => {
  it('is read again after 10 s, and at once after a refusal', async () => {
    const f = await folder(ONLY_TOKEN, { [FILES.token]: 'a\n' })
    expect(await f.read()).toEqual(bearer('a'))
    await f.write(FILES.token, 'b')
    await f.pass(9999)
    expect(await f.read()).toEqual(bearer('a'))
    await f.pass(1)
    expect(await f.read()).toEqual(bearer('b'))
    await f.write(FILES.token, 'c')
    expect(await f.read('Unauthorized')).toEqual(bearer('c'))
  })

  it.each([
    ['is missing', undefined, '/sa/token: does not exist'],
    ['is empty', ' \n', '/sa/token: is empty'],
    ['has two lines', 'a\nb', '/sa/token: is not a token'],
  ])('whose file %s keeps its last value', async (_, text, problem) => {
    const f = await folder(ONLY_TOKEN, { [FILES.token]: 'a' })
    await f.read()
    if (text === undefined) await f.remove(FILES.token)
    else await f.write(FILES.token, text)
    expect(await f.read('Unauthorized')).toEqual({ ...bearer('a'), problem })
  })

  it('that was never there is a problem', async () => {
    expect(await (await folder(ONLY_TOKEN, {})).read()).toBe('/sa/token: does not exist')
  })

  it('of the kubeconfig counts until the file exists', async () => {
    const f = await folder(ONLY_TOKEN, {}, bearer('first').endpoint)
    expect(await f.read()).toEqual({ ...bearer('first'), problem: '/sa/token: does not exist' })
    await f.write(FILES.token, 'a')
    expect(await f.read('Unauthorized')).toEqual(bearer('a'))
  })
})

describe('a CA', () => {
  it('that is half written keeps its last value', async () => {
    const f = await folder({ ca: FILES.ca }, { [FILES.ca]: old.ca })
    const before = { url: URL, tls: { ca: old.ca.trim() } }
    expect(await f.read()).toEqual({ endpoint: before })
    await f.write(FILES.ca, fresh.ca.slice(0, 200))
    expect(await f.read('Unauthorized')).toEqual({
      endpoint: before,
      problem: '/sa/ca.crt: is not a list of PEM certificates',
    })
    await f.write(FILES.ca, `${old.ca}${fresh.ca}`)
    expect(await f.read('Unauthorized')).toMatchObject({
      endpoint: { tls: { ca: `${old.ca}${fresh.ca}`.trim() } },
    })
  })
})

describe('a certificate and its key', () => {
  const pair = { cert: FILES.cert, key: FILES.key }
  const tls = ({ cert, key }: LocalCertificate) => ({ cert: cert.trim(), key: key.trim() })

  it('are replaced together', async () => {
    const f = await folder(pair, { [FILES.cert]: old.cert, [FILES.key]: old.key })
    expect(await f.read()).toEqual({ endpoint: { url: URL, tls: tls(old) } })
    await f.write(FILES.cert, fresh.cert)
    expect(await f.read('Unauthorized')).toEqual({
      endpoint: { url: URL, tls: tls(old) },
      problem: '/sa/tls.crt and /sa/tls.key: no certificate with its key',
    })
    await f.write(FILES.key, fresh.key)
    expect(await f.read('Unauthorized')).toEqual({ endpoint: { url: URL, tls: tls(fresh) } })
  })

  it('one of them may be a value', async () => {
    const f = await folder({ key: FILES.key }, { [FILES.key]: old.key }, { tls: { cert: old.cert } })
    expect(await f.read()).toEqual({ endpoint: { url: URL, tls: { cert: old.cert, key: old.key.trim() } } })
  })

  it('that do not belong together are a problem', async () => {
    const f = await folder(pair, { [FILES.cert]: old.cert, [FILES.key]: fresh.key })
    expect(await f.read()).toBe('/sa/tls.crt and /sa/tls.key: no certificate with its key')
  })
})
