import { describe, expect, it } from 'vitest'
import { bytesToBase64 } from '../../../../kube/src/object/index.ts'
import { digesterOf, type HmacKeys, hmacKeysOf } from './hmackeys.ts'

const encode = (text: string) => bytesToBase64(new TextEncoder().encode(text))

function ring(current: string, ...kids: readonly string[]): HmacKeys {
  const data = { current: encode(current), ...Object.fromEntries(kids.map((k) => [k, encode(`key ${k}`)])) }
  const made = hmacKeysOf({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'lockstep-hmac' }, data })
  if (!made.ok) throw new Error(made.error.message)
  return made.value
}

const MODULE = { kind: 'BootstrapModule', namespace: 'a', name: 'b' } as const

function digest(keys: HmacKeys, info: string, value: unknown, ...stored: readonly string[]): string {
  const made = digesterOf(keys, info, { where: 'Inventory a/b', module: MODULE, digests: stored })
  return made.ok ? made.value('content/1', value) : `${made.error.reason}: ${made.error.message}`
}

describe('digests over secrets', () => {
  it('of two namespaces or clusters are unequal for equal values', () => {
    const keys = ring('k1', 'k1')
    const infos = ['bundle/a', 'bundle/b', 'content/a/1', 'content/a/2', 'content/b/1']
    expect(new Set(infos.map((i) => digest(keys, i, 'hunter2').split(':')[2])).size).toBe(5)
  })

  it('stay what they are under another key as long as the value does', () => {
    const before = digest(ring('k1', 'k1'), 'content/a/1', 'one')
    const after = ring('k2', 'k1', 'k2')
    expect(digest(after, 'content/a/1', 'one', before)).toBe(before)
    expect(digest(after, 'content/a/1', 'two', before)).toMatch(/^v1:k2:/)
    expect(digest(after, 'content/a/1', 'one')).toMatch(/^v1:k2:/)
    expect(digest(after, 'content/a/2', 'one', before)).toMatch(/^v1:k2:/)
  })

  it('are not made without the key of those that are stored; plain ones need none', () => {
    const before = digest(ring('k1', 'k1'), 'content/a/1', 'one')
    expect(digest(ring('k2', 'k2'), 'content/a/1', 'one', before)).toBe(
      'HmacKeyMissing: Secret lockstep-system/lockstep-hmac has no key k1, but Inventory a/b requires it; restore it from a backup',
    )
    expect(digest(ring('k2', 'k2'), 'content/a/1', 'one', 'v1:00', '')).toMatch(/^v1:k2:/)
  })

  it('wait for the first key, which the controller creates, and for the backup of a lost one', () => {
    const made = (isLost: boolean) =>
      digesterOf(undefined, 'bundle/a', { where: '', module: MODULE, digests: ['v1:00'] }, isLost)
    expect(made(false)).toMatchObject({
      error: {
        reason: 'Fetching',
        message: 'waiting for the controller to create Secret lockstep-system/lockstep-hmac',
      },
    })
    expect(made(true)).toMatchObject({
      error: {
        reason: 'HmacKeyMissing',
        message:
          'Secret lockstep-system/lockstep-hmac does not exist, but another Module requires it; restore it from a backup',
      },
    })
  })

  it.each([[{}], [{ current: encode('k1') }], [{ current: encode('k1'), k2: encode('k') }]])(
    'of a Secret with %o: it has to be restored',
    (data) => {
      const made = hmacKeysOf({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'lockstep-hmac' }, data })
      expect(made).toMatchObject({ ok: false, error: { reason: 'BundleCorrupt', transient: true } })
    },
  )
})
