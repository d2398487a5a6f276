import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { callerOf, trustedProxies } from './caller.ts'
import { isJson, routeOf } from './eventroute.ts'
import { isSigned } from './signedrequest.ts'
import { type EventSubject, eventProblem, heardRevision, readEvent } from './webhookevent.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const NOW = Date.parse('2026-11-23T12:00:00Z')

describe('what a request is about', () => {
  it.each([
    ['POST', '/promotion/ns/podinfo/prod', { namespace: 'ns', pipeline: 'podinfo', environment: 'prod' }],
    ['POST', '/promotion/ns/a.b/prod?x=1', { namespace: 'ns', pipeline: 'a.b', environment: 'prod' }],
    ['GET', '/promotion/ns/podinfo/prod', { status: 405, headers: { allow: 'POST' } }],
    ['POST', '/promotion/ns/podinfo', { status: 404 }],
    ['POST', '/promotion/ns/podinfo/prod/', { status: 404 }],
    ['POST', '/promotion/ns/..%2fother/prod', { status: 404 }],
    ['POST', '/', { status: 404 }],
    ['POST', '/approval/ns/podinfo/prod/6.0.1', { status: 410 }],
    ['GET', '/approval/', { status: 410 }],
  ])('%s %s', (method, url, what) => {
    expect(routeOf(method, url)).toMatchObject(what)
  })

  it.each([
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['application/cloudevents+json', true],
    ['application/jsonp', false],
    ['text/plain', false],
    [undefined, false],
  ])('%s is JSON: %s', (type, is) => {
    expect(isJson(type)).toBe(is)
  })
})

describe('a signature', () => {
  const body = bytes('{"a":1}')
  const path = '/promotion/ns/podinfo/prod'
  const sum = (key: string, text: string | Uint8Array = body, algorithm = 'sha256') =>
    `${algorithm}=${createHmac(algorithm, key).update(text).digest('hex')}`
  const keys = [bytes('new'), bytes('old')]
  const signed = (signature: string | undefined, o: { time?: string; keys?: Uint8Array[] } = {}) =>
    isSigned({ signature, body, path, time: o.time }, o.keys ?? keys)

  it.each(['sha256', 'sha384', 'sha512'])('by %s, with either key', (algorithm) => {
    for (const key of ['new', 'old']) expect(signed(sum(key, body, algorithm))).toBe(true)
    expect(signed(sum('other', body, algorithm))).toBe(false)
  })

  it('in capitals, as some write them', () => {
    expect(signed(sum('new').replace(/[^=]+$/, (hex) => hex.toUpperCase()))).toBe(true)
  })

  it.each([
    ['none', undefined],
    ['empty', ''],
    ['without an algorithm', sum('new').slice(7)],
    ['of a weak one', sum('new', body, 'sha1')],
    ['of SHA-224, which upstream takes', sum('new', body, 'sha224')],
    ['cut', sum('new').slice(0, -2)],
    ['longer', `${sum('new')}00`],
    ['of another body', sum('new', '{"a":2}')],
    ['of nothing', sum('new', '')],
  ])('%s is none', (_, signature) => {
    expect(signed(signature)).toBe(false)
  })

  it('counts for no pipeline without a key: neither an empty one, nor the one that is computed with instead', () => {
    const zeros = `sha256=${createHmac('sha256', new Uint8Array(32)).update(body).digest('hex')}`
    expect(signed(zeros, { keys: [] })).toBe(false)
    expect(signed(sum('', body), { keys: [bytes('')] })).toBe(false)
    expect(signed(sum('new'), { keys: [bytes('new')] })).toBe(true)
  })

  it('of a third key is none', () => {
    expect(signed(sum('third'), { keys: [...keys, bytes('third')] })).toBe(false)
  })

  it('with a time is one of time and path, too', () => {
    const text = `1795000000\n${path}\n{"a":1}`
    expect(signed(sum('new', text), { time: '1795000000' })).toBe(true)
    expect(signed(sum('new', text), { time: '1795000001' })).toBe(false)
    expect(signed(sum('new', text))).toBe(false)
    expect(signed(sum('new', text.replace('prod', 'dev')), { time: '1795000000' })).toBe(false)
    expect(signed(sum('new'), { time: '1795000000' })).toBe(false)
  })
})

const EVENT = {
  involvedObject: {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    name: 'podinfo',
    namespace: 'prod',
  },
  severity: 'info',
  reason: 'UpgradeSucceeded',
  timestamp: '2026-11-23T11:59:58Z',
  message: 'upgraded',
  reportingController: 'helm-controller',
  metadata: { revision: '6.0.1' },
}

const SUBJECT: EventSubject = {
  appRef: { apiVersion: 'helm.toolkit.fluxcd.io/v2beta2', kind: 'HelmRelease', name: 'podinfo' },
  environment: 'prod',
  targets: [
    { namespace: 'prod', cluster: 'eu' },
    { namespace: 'prod', cluster: 'us' },
    { namespace: 'prod-asia', cluster: 'asia' },
  ],
}

const event = (more: object = {}) => {
  const read = readEvent(bytes(JSON.stringify({ ...EVENT, ...more })))
  if (!read.ok) throw new Error(read.error)
  return read.value
}
const involved = (more: object) => ({ involvedObject: { ...EVENT.involvedObject, ...more } })

describe('an event', () => {
  it('of the object of an environment, now, is its news, whatever version of its kind it names', () => {
    expect(eventProblem(event(), SUBJECT, NOW)).toBeUndefined()
  })

  it.each([
    [involved({ kind: 'Kustomization' }), 'involvedObject: must be HelmRelease podinfo of helm.toolkit'],
    [involved({ apiVersion: 'example.com/v1' }), 'involvedObject: must be HelmRelease podinfo'],
    [involved({ name: 'other' }), 'involvedObject: must be HelmRelease podinfo'],
    [involved({ namespace: 'dev' }), 'involvedObject.namespace: no target of prod is in "dev"'],
    [{ involvedObject: 1 }, 'involvedObject: must be'],
    [{ severity: 'error' }, 'severity: must be info, is "error"'],
    [{ severity: undefined }, 'severity: must be info, is ""'],
    [{ timestamp: '2026-11-23T11:54:59Z' }, 'timestamp: must be within 5 minutes of now'],
    [{ timestamp: '2026-11-23T12:05:01Z' }, 'timestamp: must be within 5 minutes of now'],
    [{ timestamp: 'now' }, 'timestamp: is no time'],
    [{ timestamp: undefined }, 'timestamp: is no time'],
  ])('%j is none', (more, problem) => {
    expect(eventProblem(event(more), SUBJECT, NOW)).toContain(problem)
  })

  it.each(['', 'null', '[]', '"text"', '{', '{"a":1}{'])('%j is no object', (text) => {
    expect(readEvent(bytes(text))).toEqual({ ok: false, error: 'the body is no JSON object' })
  })

  it('in broken UTF-8 is no object', () => {
    expect(readEvent(new Uint8Array([0x7b, 0xff, 0x7d])).ok).toBe(false)
  })

  const asia = involved({ namespace: 'prod-asia' })
  it.each<[string, object, object | undefined]>([
    ['the one target in its namespace', asia, { cluster: 'asia', revision: '6.0.1' }],
    ['neither of two that have its namespace', {}, undefined],
    ['the one that its Alert names', { metadata: { revision: '6.0.1', cluster: 'us' } }, { cluster: 'us' }],
    ['none that its Alert does not name', { ...asia, metadata: { revision: '1', cluster: 'us' } }, undefined],
    ['nothing without a revision', { ...asia, metadata: {} }, undefined],
    [
      'as controllers write it',
      { ...asia, metadata: { 'helm.toolkit.fluxcd.io/revision': '6.0.2' } },
      { revision: '6.0.2' },
    ],
    ['nothing while it progresses', { ...asia, reason: 'Progressing' }, undefined],
    ['nothing where it was rolled back', { ...asia, reason: 'RollbackSucceeded' }, undefined],
  ])('says the revision of %s', (_, more, heard) => {
    const said = heardRevision(event(more), SUBJECT)
    if (heard) expect(said).toMatchObject({ ...heard, atMs: NOW - 2000 })
    else expect(said).toBeUndefined()
  })
})

describe('who calls', () => {
  const trust = (text: string) => {
    const read = trustedProxies(text)
    if (!read.ok) throw new Error(read.error)
    return read.value
  }

  it.each([
    ['192.0.2.7', undefined, '192.0.2.7'],
    ['::ffff:192.0.2.7', undefined, '192.0.2.7'],
    ['2001:db8:1:2:aaaa::1', undefined, '2001:db8:1:2::/64'],
    ['2001:db8:1:2:bbbb::9', undefined, '2001:db8:1:2::/64'],
    // Not ours: what it says of others does not count.
    ['192.0.2.7', '203.0.113.1', '192.0.2.7'],
    ['10.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['::ffff:10.0.0.1', '203.0.113.1', '203.0.113.1'],
    // Whoever called the proxy may have sent the header already.
    ['10.0.0.1', '198.51.100.1, 203.0.113.1', '203.0.113.1'],
    ['10.0.0.1', '198.51.100.1, 203.0.113.1, 10.9.9.9', '203.0.113.1'],
    ['fd00::1', '2001:db8::1', '2001:db8::/64'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    [undefined, '203.0.113.1', ''],
  ])('%s, forwarded for %s: %s', (socket, forwardedFor, caller) => {
    expect(callerOf(socket, forwardedFor, trust('10.0.0.0/8, fd00::/8'))).toBe(caller)
  })

  it('a single address may be trusted', () => {
    expect(callerOf('192.0.2.1', '203.0.113.1', trust('192.0.2.1'))).toBe('203.0.113.1')
    expect(callerOf('192.0.2.2', '203.0.113.1', trust('192.0.2.1'))).toBe('192.0.2.2')
  })

  it.each(['', 'proxy', '10.0.0.0/33', '10.0.0.0/8,,'])('%j names no networks', (text) => {
    expect(trustedProxies(text)).toMatchObject({ ok: false, error: expect.stringContaining('no network') })
  })
})
