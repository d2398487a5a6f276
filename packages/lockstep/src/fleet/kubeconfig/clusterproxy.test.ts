import { describe, expect, it } from 'vitest'
import { ok } from '../../../../kube/src/env/result.ts'
import { type ClusterProxy, parseClusterProxy, proxyUrl } from './clusterproxy.ts'
import { fixed, sourceText } from './kubeconfigparts.cases.ts'

const allowed = (...texts: string[]): ClusterProxy[] =>
  texts.map((text) => {
    const parsed = parseClusterProxy(text)
    if (!parsed.ok) throw new Error(`${text}: ${parsed.error}`)
    return parsed.value
  })

const ofSecret = (proxy: unknown, ...hosts: string[]) =>
  sourceText({ cluster: { 'proxy-url': proxy } }, { trust: 'Secret', proxies: allowed(...hosts) })

describe('a value of --allow-cluster-proxy', () => {
  it.each([
    ['proxy.example.com', { host: 'proxy.example.com', port: undefined }],
    ['Proxy.Example.COM:3128', { host: 'proxy.example.com', port: 3128 }],
    ['10.0.0.8:8080', { host: '10.0.0.8', port: 8080 }],
    ['[FD00::8]:3128', { host: 'fd00::8', port: 3128 }],
    ['[fd00:0::8]', { host: 'fd00::8', port: undefined }],
    ['bücher.example', { host: 'xn--bcher-kva.example', port: undefined }],
  ])('%s', (text, value) => {
    expect(parseClusterProxy(text)).toEqual(ok(value))
  })

  it.each([
    '',
    ':3128',
    'http://proxy.example.com',
    'proxy.example.com/x',
    'user@proxy.example.com',
    'proxy.example.com:0',
    'proxy.example.com:65536',
    'proxy.example.com:x',
    'fd00::8',
    '*',
    'a b',
    'a,b',
    '10.0.0.0/8',
  ])('%j is none', (text) => {
    expect(parseClusterProxy(text)).toEqual({ ok: false, error: 'must be HOST or HOST:PORT' })
  })
})

describe('proxy-url of a cluster Secret', () => {
  it.each([
    ['http://p.test:3128', 'p.test'],
    ['http://p.test:3128', 'other.test', 'p.test:3128'],
    ['HTTP://P.Test:3128/', 'p.test:3128'],
    ['https://p.test', 'p.test:443'],
    ['http://p.test', 'p.test:80'],
    ['http://[fd00::8]:3128', '[fd00::8]:3128'],
    ['http://me:secret@p.test:3128', 'p.test:3128'],
  ])('%s is taken with %s', (url, ...hosts) => {
    expect(ofSecret(url, ...hosts)).toEqual(fixed({ proxy: url }))
  })

  it.each([
    ['http://p.test:3128', 'p.test:3128'],
    ['http://p.test:3128', 'p.test:3128', 'p.test:8080', 'sub.p.test', 'test'],
    ['http://p.test.evil.test', 'p.test.evil.test:80', 'p.test'],
    ['http://sub.p.test', 'sub.p.test:80', 'p.test'],
    ['http://p.test.', 'p.test.:80', 'p.test'],
    ['http://p.test:3128@evil.test', 'evil.test:80', 'p.test'],
    ['http://evil.test#@p.test', 'evil.test:80', 'p.test'],
    ['http://evil.test\\@p.test', 'evil.test:80', 'p.test'],
    ['http://2852039166', '169.254.169.254:80', 'p.test'],
  ])('%s is refused: %s is not among its hosts', (url, named, ...hosts) => {
    expect(ofSecret(url, ...hosts)).toBe(
      `clusters[0].cluster.proxy-url: ${named} is not an allowed proxy; an administrator allows it with --allow-cluster-proxy ${named} of the controller`,
    )
  })

  it.each([
    ['socks5://p.test', 'socks5 is not supported; use http or https'],
    ['p.test:3128', 'p.test is not supported; use http or https'],
    ['//p.test', 'is not a URL'],
    [5, 'is not a URL'],
  ])('%j is refused with every host', (url, why) => {
    expect(ofSecret(url, 'p.test')).toBe(`clusters[0].cluster.proxy-url: ${why}`)
  })

  it('a refusal has no password', () => {
    expect(ofSecret('http://me:secret@p.test')).not.toMatch(/secret/)
  })

  it('hosts that the refusal names are allowed by it', () => {
    const url = 'https://[fd00::8]'
    const refusal = String(ofSecret(url))
    const [, host] = /--allow-cluster-proxy (\S+)/.exec(refusal)!
    expect(proxyUrl(url, allowed(host!))).toEqual(ok(url))
  })
})
