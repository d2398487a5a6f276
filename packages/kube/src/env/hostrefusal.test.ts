import { describe, expect, it } from 'vitest'
import { allowingHosts, hostRefusal, isLoopback, parseAllowedHost, refusalText } from './hostrefusal.ts'
import { createSimEnv } from './sim/simenv.ts'

const allowed = (...texts: string[]) =>
  texts.map((text) => {
    const parsed = parseAllowedHost(text)
    if (!parsed.ok) throw new Error(parsed.error)
    return parsed.value
  })

describe('--allow-host', () => {
  const refused = (texts: string[], host: string, port: number, addresses = [host], namespace = 'team-a') =>
    hostRefusal({ namespace, allowed: allowed(...texts) }, host, port, addresses)?.because

  it.each([
    [['127.0.0.1:8443'], '127.0.0.1', 8443],
    [['team-a=127.0.0.1:8443'], '127.0.0.1', 8443],
    [['127.0.0.0/8'], '127.9.9.9', 1],
    [['127.0.0.0/8'], '::ffff:7f00:1', 1],
    [['[::1]:443'], '::1', 443],
    [['::1/128'], '::1', 443],
    [['169.254.169.254/32', '10.0.0.0/8'], '169.254.169.254', 80],
  ])('%j allows %s port %i', (texts, host, port) => {
    expect(refused(texts, host, port)).toBeUndefined()
  })

  it('allows a name by its text or by its address', () => {
    expect(refused(['Git.Local:443'], 'git.local', 443, ['127.0.0.1'])).toBeUndefined()
    expect(refused(['127.0.0.1:443'], 'git.local', 443, ['127.0.0.1'])).toBeUndefined()
    expect(refused(['git.local:443'], 'other.local', 443, ['127.0.0.1'])).toBe('Loopback')
  })

  it.each([
    [['127.0.0.1:8443'], '127.0.0.1', 8444],
    [['127.0.0.1:8443'], '127.0.0.2', 8443],
    [['team-b=127.0.0.1:8443'], '127.0.0.1', 8443],
    [['127.0.0.0/8'], '169.254.169.254', 80],
    [[], '127.0.0.1', 80],
  ])('%j does not allow %s port %i', (texts, host, port) => {
    expect(refused(texts, host, port)).toBeDefined()
  })

  it.each(['', '127.0.0.1', ':80', 'a:0', 'a:65536', 'a:b', '=a:1', '10.0.0.0/33', 'https://a:1', '*:80'])(
    '%j is not one',
    (text) => expect(parseAllowedHost(text).ok).toBe(false),
  )

  it('reaches connections and lookups, of its namespace alone', async () => {
    const net = allowingHosts(createSimEnv('allow').net, allowed('team-a=127.0.0.1:8443'))
    expect((await net.resolve('127.0.0.1', 8443, { namespace: 'team-a' })).ok).toBe(true)
    expect((await net.resolve('127.0.0.1', 8443, { namespace: 'team-b' })).ok).toBe(false)
    const request = { method: 'GET', path: '/', headers: {} }
    const ask = (namespace: string) =>
      net.connect({ url: 'https://127.0.0.1:8443' }, { namespace }).request(request)
    expect(await ask('team-a')).toMatchObject({ error: { detail: 'connect ECONNREFUSED 127.0.0.1:8443' } })
    expect(await ask('team-b')).toMatchObject({
      error: { detail: '127.0.0.1 is loopback: --allow-host', refused: { port: 8443 } },
    })
  })
})

describe('hosts', () => {
  it('operators name any', () => {
    expect(hostRefusal('operator', '169.254.169.254', 80, ['169.254.169.254'])).toBeUndefined()
  })

  it.each(['192.0.2.1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1', '2001:db8::1'])(
    '%s is for all',
    (host) => expect(hostRefusal({ namespace: 'a' }, host, 443, [host])).toBeUndefined(),
  )

  it('are refused where one of their addresses is', () => {
    const refused = hostRefusal({ namespace: 'a' }, 'x.test', 443, ['192.0.2.1', '::ffff:a9fe:a9fe'])
    expect(refused && refusalText(refused)).toBe('x.test (::ffff:a9fe:a9fe) is link-local: --allow-host')
  })

  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['localhost', true],
    ['127.0.0.1.example.com', false],
    ['10.0.0.1', false],
  ])('%s is this machine: %j', (host, is) => expect(isLoopback(host)).toBe(is))
})
