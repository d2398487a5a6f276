/** A kubeconfig that is rewritten while a process uses it. */
import { expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { CredentialCache } from './credentialcache.ts'

const PATH = '/home/me/.kube/config'

interface Written {
  readonly current?: string
  readonly server?: string
  readonly user?: object
}

const text = ({ current = 'eu', server = 'https://eu.test', user = { token: 'a' } }: Written): string =>
  JSON.stringify({
    'current-context': current,
    contexts: [
      { name: 'eu', context: { cluster: 'eu', user: 'u' } },
      { name: 'us', context: { cluster: 'us', user: 'u' } },
    ],
    clusters: [
      { name: 'eu', cluster: { server } },
      { name: 'us', cluster: { server: 'https://us.test' } },
    ],
    users: [{ name: 'u', user }],
  })

async function begin(written: Written = {}) {
  const env = createSimEnv('kubeconfig')
  const write = (content: string) => env.files.writeAtomic(PATH, content)
  await write(text(written))
  const cache = new CredentialCache(
    env,
    { type: 'Kubeconfig', paths: [PATH], selection: { trust: 'Controller', context: 'eu' } },
    { by: 'operator' },
  )
  let moved: string | undefined
  void cache.moved.then((problem) => {
    moved = problem
  })
  const get = async () => {
    const found = await cache.get()
    return found.ok ? `${found.value.url} ${found.value.headers?.authorization ?? ''}` : found.error.detail
  }
  const pass = (ms: number) => {
    env.clock.at(env.clock.steady() + ms, () => {})
    return env.clock.run(() => false, ms)
  }
  return {
    env,
    cache,
    write,
    get,
    pass,
    moved: () => moved,
    logged: () => env.lines.map((l) => `${l.level} ${l.message}`),
  }
}

it('a new token is used after 10 s, and at once after a refusal', async () => {
  const k = await begin()
  expect(await k.get()).toBe('https://eu.test Bearer a')
  await k.write(text({ user: { token: 'b' } }))
  expect(await k.get()).toBe('https://eu.test Bearer a')
  await k.pass(10_000)
  expect(await k.get()).toBe('https://eu.test Bearer b')
  await k.write(text({ user: { token: 'c' } }))
  const held = await k.cache.get()
  const fresh = held.ok && (await k.cache.renew(held.value, 'Unauthorized'))
  expect(fresh).toMatchObject({ ok: true, value: { headers: { authorization: 'Bearer c' } } })
})

it('what its user names is read with it', async () => {
  const k = await begin({ user: { tokenFile: 'token' } })
  await k.env.files.writeAtomic('/home/me/.kube/token', 'f')
  expect(await k.get()).toBe('https://eu.test Bearer f')
  await k.env.files.writeAtomic('/home/me/.kube/token', 'g')
  await k.pass(10_000)
  expect(await k.get()).toBe('https://eu.test Bearer g')
  await k.write(text({ user: { token: 'inline' } }))
  await k.pass(10_000)
  expect(await k.get()).toBe('https://eu.test Bearer inline')
})

it.each([
  ['gone', undefined],
  ['empty', ''],
  ['half written', '{'],
  ['without its context', 'contexts: []'],
  ['not allowed any more', text({ user: { 'auth-provider': { name: 'gcp' } } })],
])('one that is %s keeps the last one, and is logged once', async (_, content) => {
  const k = await begin()
  await k.get()
  if (content === undefined) await k.env.files.remove(PATH)
  else await k.write(content)
  for (let i = 0; i < 3; i++) {
    await k.pass(10_000)
    expect(await k.get()).toBe('https://eu.test Bearer a')
  }
  expect(k.logged()).toEqual(['warn the credential keeps its last value'])
  await k.write(text({ user: { token: 'b' } }))
  await k.pass(10_000)
  expect(await k.get()).toBe('https://eu.test Bearer b')
  expect(k.logged()).toEqual([
    'warn the credential keeps its last value',
    'info the credential can be read again',
  ])
  expect(JSON.stringify(k.env.lines)).not.toContain('Bearer')
})

it('another current context changes nothing', async () => {
  const k = await begin()
  await k.get()
  await k.write(text({ current: 'us' }))
  await k.pass(10_000)
  expect([await k.get(), k.moved()]).toEqual(['https://eu.test Bearer a', undefined])
})

it('another server under its context gets nothing, and is reported', async () => {
  const k = await begin()
  await k.get()
  await k.write(text({ server: 'https://other.test', user: { token: 'b' } }))
  await k.pass(10_000)
  const problem = 'context eu names https://other.test now, https://eu.test before'
  expect([await k.get(), k.moved()]).toEqual([problem, problem])
})

it('one that was never readable is a problem with its file', async () => {
  const k = await begin({ user: { exec: { apiVersion: 'x', command: 'c' } } })
  expect(await k.get()).toMatch(
    /^\/home\/me\/\.kube\/config: users\[0\]\.user\.exec\.apiVersion: "x" is not supported/,
  )
})
