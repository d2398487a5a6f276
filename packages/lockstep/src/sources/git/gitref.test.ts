import { describe, expect, it } from 'vitest'
import { type GitRef, parseRemoteRefs, patternsOf, refProblem, resolveRef, revisionText } from './gitref.ts'

const id = (digit: string) => digit.repeat(40)
const URL = 'https://example.com/a'

describe('a reference that cannot be meant', () => {
  it.each<[GitRef, string]>([
    [{}, 'must set one of branch, tag, semver, name and commit'],
    [{ branch: 'a', tag: 'b' }, 'found branch, tag'],
    [{ commit: 'abc' }, 'has 3 characters; write all 40 or 64'],
    [{ commit: 'g'.repeat(40) }, 'write all 40 or 64'],
    [{ semver: '^1', commit: id('1') }, 'commit must not be set with semver'],
    [{ tag: 'v1', tagPrefix: 'v' }, 'tagPrefix requires semver'],
    [{ semver: 'latest' }, 'is not a range'],
    [{ name: 'main' }, 'is not whole'],
    [{ branch: 'a b' }, 'is not a reference name'],
    [{ branch: '--upload-pack=id' }, 'is not a reference name'],
    [{ tag: 'a..b' }, 'is not a reference name'],
    [{ tag: 'a\u0000' }, 'is not a reference name'],
    [{ branch: 'x*' }, 'is not a reference name'],
  ])('%j', (ref, message) => {
    expect(refProblem(ref)).toContain(message)
  })

  it.each<[GitRef]>([
    [{ branch: 'feature/x-1' }],
    [{ tag: 'v1.2.3' }],
    [{ semver: '^1', tagPrefix: 'app-' }],
    [{ name: 'refs/pull/7/head' }],
    [{ commit: id('a') }],
    [{ branch: 'main', commit: 'a'.repeat(64) }],
  ])('%j can be', (ref) => {
    expect(refProblem(ref)).toBeUndefined()
  })
})

describe('what the server is asked for', () => {
  it.each<[GitRef, string[]]>([
    [{ branch: 'main' }, ['refs/heads/main', 'refs/heads/main^{}']],
    [{ tag: 'v1' }, ['refs/tags/v1', 'refs/tags/v1^{}']],
    [{ semver: '^1' }, ['refs/tags/*']],
    [{ commit: id('1') }, []],
  ])('%j', (ref, patterns) => {
    expect(patternsOf(ref)).toEqual(patterns)
  })
})

describe('which commit it is', () => {
  const refs = parseRemoteRefs(
    [
      'ref: refs/heads/main\tHEAD',
      `${id('1')}\trefs/heads/main`,
      `${id('2')}\trefs/heads/other/refs/heads/main`,
      `${id('3')}\trefs/tags/v1.9.0`,
      `${id('4')}\trefs/tags/v1.10.0`,
      `${id('5')}\trefs/tags/v1.10.0^{}`,
      `${id('6')}\trefs/tags/v2.0.0-rc.1`,
      `${id('7')}\trefs/tags/odd`,
      `${id('8')}\trefs/tags/app-1.0.0`,
      `${id('9')}\trefs/tags/v1.10.0+b`,
    ].join('\n'),
  )
  it.each<[GitRef, string, string]>([
    [{ branch: 'main' }, id('1'), `main@sha1:${id('1')}`],
    [{ tag: 'v1.10.0' }, id('5'), `v1.10.0@sha1:${id('5')}`],
    [{ semver: '^1' }, id('9'), `v1.10.0+b@sha1:${id('9')}`],
    [{ semver: '>=2.0.0-0' }, id('6'), `v2.0.0-rc.1@sha1:${id('6')}`],
    [{ semver: '*', tagPrefix: 'app-' }, id('8'), `app-1.0.0@sha1:${id('8')}`],
    [{ commit: id('a') }, id('a'), `sha1:${id('a')}`],
    [{ commit: 'a'.repeat(64) }, 'a'.repeat(64), `sha256:${'a'.repeat(64)}`],
  ])('%j', (ref, commit, text) => {
    const picked = resolveRef(ref, refs, URL)
    expect(picked).toMatchObject({ ok: true, value: { commit } })
    expect(picked.ok && revisionText(picked.value)).toBe(text)
  })

  it.each<GitRef>([{ branch: 'main' }, { name: 'refs/heads/main' }])(
    '%j has gone on: a pin is behind it, and its history has to be asked',
    (ref) => {
      expect(resolveRef({ ...ref, commit: id('a') }, refs, URL)).toMatchObject({
        ok: true,
        value: { commit: id('a'), behind: true },
      })
      expect(resolveRef({ ...ref, commit: id('1') }, refs, URL)).not.toMatchObject({
        value: { behind: true },
      })
    },
  )
  it.each<GitRef>([{ tag: 'v1.9.0' }, { name: 'refs/tags/v1.9.0' }])('%j is its pin, or has moved', (ref) => {
    expect(resolveRef({ ...ref, commit: id('3') }, refs, URL)).toMatchObject({
      ok: true,
      value: { commit: id('3') },
    })
    expect(resolveRef({ ...ref, commit: id('a') }, refs, URL)).toMatchObject({
      ok: false,
      error: { reason: 'RefMoved' },
    })
  })
  it('versions of equal precedence are told apart by bytes, whatever the order of tags', () => {
    const backwards = resolveRef({ semver: '^1' }, [...refs].reverse(), URL)
    expect(backwards).toMatchObject({ ok: true, value: { commit: id('9') } })
  })
})
