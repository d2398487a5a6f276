import { describe, expect, it } from 'vitest'
import { eventFlags } from './eventflags.ts'

describe('where events are taken', () => {
  it.each([
    ['127.0.0.1:8082', '127.0.0.1', 8082],
    [':8082', '', 8082],
    ['[::1]:0', '::1', 0],
    ['hooks.local:80', 'hooks.local', 80],
  ])('%s', (eventsAddress, host, port) => {
    expect(eventFlags({ eventsAddress })).toEqual({ ok: true, value: { host, port, trusted: [] } })
  })

  it('is nowhere, unless somebody says so', () => {
    expect(eventFlags({})).toEqual({ ok: true, value: undefined })
  })

  it.each(['8082', '127.0.0.1', '::1:8082', ':70000', ''])('%j is none', (eventsAddress) => {
    expect(eventFlags({ eventsAddress })).toMatchObject({
      ok: false,
      error: { message: `--events-address ${eventsAddress}: must be an address with a port` },
    })
  })

  it('knows whose headers count', () => {
    const flags = { eventsAddress: ':8082', trustedProxies: '10.0.0.0/8, ::1' }
    expect(eventFlags(flags)).toMatchObject({ value: { trusted: [{ bits: 8 }, { bits: 128 }] } })
  })

  it.each([
    [{ eventsAddress: ':8082', trustedProxies: 'proxy' }, '"proxy" is no address and no network'],
    [{ trustedProxies: '10.0.0.0/8' }, '--trusted-proxies requires --events-address'],
  ])('%j is refused', (flags, problem) => {
    expect(eventFlags(flags)).toMatchObject({ error: { message: expect.stringContaining(problem) } })
  })
})
