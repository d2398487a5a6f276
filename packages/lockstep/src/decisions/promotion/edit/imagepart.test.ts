import { describe, expect, it } from 'vitest'
import { type ImagePart, partProblem, withPart } from './imagepart.ts'

const D = `sha256:${'0'.repeat(64)}`
const E = `sha256:${'e'.repeat(64)}`

describe('withPart', () => {
  it.each<[string, ImagePart, string, string, string?]>([
    ['podinfo:6.0.0', 'tag', '6.0.1', 'podinfo:6.0.1'],
    ['ghcr.io/a/podinfo:6.0.0', 'tag', '6.0.1', 'ghcr.io/a/podinfo:6.0.1'],
    ['localhost:5000/podinfo:6.0.0', 'tag', '6.0.1', 'localhost:5000/podinfo:6.0.1'],
    ['localhost:5000/podinfo', 'tag', '6.0.1', 'localhost:5000/podinfo:6.0.1'],
    ['ghcr.io/a/b', 'digest', D, `ghcr.io/a/b@${D}`],
    [`ghcr.io/a/b:1@${D}`, 'digest', E, `ghcr.io/a/b:1@${E}`],
    [D, 'digest', E, E],
    ['ghcr.io/a/b:1', 'name', 'quay.io/b', 'quay.io/b:1'],
    [`b@${D}`, 'name', 'localhost:5000/b', `localhost:5000/b@${D}`],
    ['ghcr.io/a/b', 'name', 'quay.io/b', 'quay.io/b'],
    ['6.0.0', 'tag', '6.0.1', '6.0.1', 'newTag'],
    ['6.0.0', 'tag', '6.0.1', '6.0.1', 'version'],
  ])('%s, %s %s: %s', (scalar, part, value, becomes, key = 'image') => {
    expect(withPart(scalar, part, value, key)).toEqual({ ok: true, value: becomes })
  })

  it.each<[string, ImagePart, string]>([
    ['nginx', 'tag', 'NameOrTag'],
    [`a/b:1@${D}`, 'tag', 'HasDigest'],
    ['', 'tag', 'NotAnImage'],
    ['two words', 'name', 'NotAnImage'],
    ['a/b:1@sha256:0', 'digest', 'NotAnImage'],
    ['https://x/y:1', 'name', 'NotAnImage'],
  ])('%s, %s: %s', (scalar, part, error) => {
    expect(withPart(scalar, part, part === 'digest' ? D : 'x', 'image')).toEqual({ ok: false, error })
  })
})

describe('partProblem', () => {
  it.each<[string, ImagePart, boolean]>([
    ['6.0.1', 'tag', true],
    ['a:b', 'tag', false],
    ['x'.repeat(129), 'tag', false],
    ['ghcr.io/a/b', 'name', true],
    ['localhost:5000/b', 'name', true],
    ['b:1', 'name', false],
    [D, 'digest', true],
    ['6.0.1', 'digest', false],
  ])('%s as %s: %s', (text, part, isOne) => expect(partProblem(text, part) === undefined).toBe(isOne))

  it('says what would be one', () => {
    expect(partProblem('6.0.1', 'digest')).toEqual({
      because: 'NotAPart',
      name: '6.0.1',
      field: 'digest',
      error: 'sha256:… with its digits',
    })
  })
})
