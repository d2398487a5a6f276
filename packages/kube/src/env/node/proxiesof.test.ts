/** The rows were compared with `golang.org/x/net/http/httpproxy`. */
import { describe, expect, it } from 'vitest'
import { proxiesOf } from './proxiesof.ts'

const P = 'http://proxy:3128/'

/** NO_PROXY, URL, whether it is reached through the proxy. */
const ROWS: readonly (readonly [noProxy: string, url: string, isProxied: boolean])[] = [
  ['', 'https://example.com', true],
  ['', 'http://example.com', true],
  ['', 'https://localhost:6443', false],
  ['', 'https://127.0.0.1:6443', false],
  ['', 'https://127.8.9.1', false],
  ['', 'https://[::1]:6443', false],
  ['', 'https://[::ffff:127.0.0.1]', false],
  ['', 'https://10.0.0.1', true],
  ['', 'https://localhost.example.com', true],
  ['', 'ssh://git@example.com/a', false],
  ['*', 'https://example.com', false],
  ['*', 'https://10.0.0.1', false],
  ['example.com,*', 'https://other.com', false],
  ['*.com', 'https://example.com', false],
  ['*.com', 'https://com', true],
  ['example.com', 'https://example.com', false],
  ['example.com', 'https://EXAMPLE.com', false],
  ['EXAMPLE.com', 'https://example.com', false],
  ['example.com', 'https://a.example.com', false],
  ['example.com', 'https://a.b.example.com', false],
  ['example.com', 'https://notexample.com', true],
  ['example.com', 'https://example.com.evil.test', true],
  ['.example.com', 'https://a.example.com', false],
  ['.example.com', 'https://example.com', true],
  ['*.example.com', 'https://a.example.com', false],
  ['*.example.com', 'https://example.com', true],
  ['example.com:443', 'https://example.com', false],
  ['example.com:443', 'https://example.com:443', false],
  ['example.com:8443', 'https://example.com', true],
  ['example.com:8443', 'https://a.example.com:8443', false],
  ['example.com:80', 'http://example.com', false],
  ['example.com:80', 'https://example.com', true],
  ['example.com:', 'https://example.com', false],
  [':8443', 'https://example.com:8443', true],
  ['a.test, example.com ,b.test', 'https://example.com', false],
  [',,', 'https://example.com', true],
  ['com', 'https://example.com', false],
  ['com', 'https://10.0.0.1', true],
  ['10.0.0.1', 'https://10.0.0.1', false],
  ['10.0.0.1', 'https://10.0.0.2', true],
  ['10.0.0.1', 'https://10.0.0.1.example.com', true],
  ['10.0.0.1:443', 'https://10.0.0.1', false],
  ['10.0.0.1:443', 'https://10.0.0.1:6443', true],
  ['10.0.0.0/8', 'https://10.255.0.1', false],
  ['10.0.0.0/8', 'https://11.0.0.1', true],
  ['10.0.0.5/8', 'https://10.1.1.1', false],
  ['10.0.0.0/8', 'https://example.com', true],
  ['10.0.0.0/33', 'https://10.0.0.1', true],
  ['0.0.0.0/0', 'https://8.8.8.8', false],
  ['0.0.0.0/0', 'https://[2001:db8::1]', true],
  ['2001:db8::1', 'https://[2001:db8::1]', false],
  ['2001:db8::1', 'https://[2001:db8::2]', true],
  ['2001:db8:0::1', 'https://[2001:db8::1]', false],
  ['[2001:db8::1]:443', 'https://[2001:db8::1]', false],
  ['[2001:db8::1]:443', 'https://[2001:db8::1]:6443', true],
  ['2001:db8::/32', 'https://[2001:db8:1::1]', false],
  ['2001:db8::/32', 'https://[2001:db9::1]', true],
  ['::ffff:10.0.0.1', 'https://10.0.0.1', false],
  ['10.0.0.1', 'https://[::ffff:10.0.0.1]', false],
  ['10', 'https://10.0.0.10', true],
  ['0.10', 'https://10.0.0.10', true],
  ['münchen.example', 'https://münchen.example', false],
  ['localhost', 'https://example.com', true],
]

describe('NO_PROXY', () => {
  it.each(ROWS)('%j, %s: through the proxy: %j', (noProxy, url, isProxied) => {
    const { proxyFor } = proxiesOf({ HTTP_PROXY: P, HTTPS_PROXY: P, NO_PROXY: noProxy })
    expect(proxyFor(url)).toBe(isProxied ? P : undefined)
  })
})

describe('the proxy', () => {
  it.each<[string, Readonly<Record<string, string>>, string | undefined, string | undefined]>([
    [
      'of each protocol',
      { HTTP_PROXY: 'http://a:1', HTTPS_PROXY: 'http://b:2' },
      'http://a:1/',
      'http://b:2/',
    ],
    [
      'in small letters',
      { http_proxy: 'http://a:1', https_proxy: 'http://b:2' },
      'http://a:1/',
      'http://b:2/',
    ],
    [
      'in capital letters first',
      { HTTPS_PROXY: 'http://b:2', https_proxy: 'http://c:3' },
      undefined,
      'http://b:2/',
    ],
    ['an empty one is absent', { HTTPS_PROXY: '', https_proxy: 'http://c:3' }, undefined, 'http://c:3/'],
    [
      'without a protocol',
      { HTTPS_PROXY: 'proxy.example.com:3128' },
      undefined,
      'http://proxy.example.com:3128/',
    ],
    ['with a credential', { HTTPS_PROXY: 'http://me:pw@b:2' }, undefined, 'http://me:pw@b:2/'],
    ['over TLS', { HTTPS_PROXY: 'https://b' }, undefined, 'https://b/'],
    ['none', {}, undefined, undefined],
  ])('%s', (_, variables, http, https) => {
    const { proxyFor, problems } = proxiesOf(variables)
    expect([proxyFor('http://x.test'), proxyFor('https://x.test'), problems]).toEqual([http, https, []])
  })

  it.each(['socks5://b:1080', 'ftp://b', 'http://', '://', '%%%'])(
    '%s is reported, without its text',
    (text) => {
      const { proxyFor, problems } = proxiesOf({ HTTPS_PROXY: text })
      expect(proxyFor('https://x.test')).toBeUndefined()
      expect(problems).toEqual(['HTTPS_PROXY is not a URL of http or https'])
    },
  )

  it('is not for the API server of the cluster of a Pod', () => {
    const { proxyFor } = proxiesOf({ HTTPS_PROXY: P, KUBERNETES_SERVICE_HOST: '10.96.0.1' })
    expect([proxyFor('https://10.96.0.1:443'), proxyFor('https://10.96.0.2')]).toEqual([undefined, P])
    const six = proxiesOf({ HTTPS_PROXY: P, KUBERNETES_SERVICE_HOST: 'fd00::1' })
    expect(six.proxyFor('https://[fd00::1]:443')).toBeUndefined()
  })
})
