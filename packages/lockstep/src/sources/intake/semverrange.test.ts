import { describe, expect, it } from 'vitest'
import { ranges, versions } from './semverrange.cases.ts'
import { compareVersions, parseSemverRange, parseVersion } from './semverrange.ts'

describe('ranges include what Masterminds/semver includes', () => {
  it.each(Object.entries(ranges))('%s', (range, included) => {
    const parsed = parseSemverRange(range)!
    expect(versions.filter((v) => parsed.includes(parseVersion(v)!)).join(' ')).toBe(included)
  })

  it.each(['', 'foo', '1.2.3.4', '> ', '^a', '1.2.3-', '==1', '||'])('"%s" is no range', (text) => {
    expect(parseSemverRange(text)).toBeUndefined()
  })
})

describe('versions', () => {
  it.each(['', 'latest', '1.2.3.4', 'v', '1.2.3-01', 'release-1.2', '1.2.3-a..b', 'V1.2.3'])(
    '"%s" is none',
    (text) => {
      expect(parseVersion(text)).toBeUndefined()
    },
  )

  it('are ordered as SemVer 2.0.0 says', () => {
    const sorted = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.9.0',
      '1.10.0',
    ]
    const shuffled = [...sorted].reverse().map((v) => parseVersion(v)!)
    expect(shuffled.sort(compareVersions).map((v) => v.text)).toEqual(sorted)
  })

  it('differ in build metadata without being ordered by it', () => {
    expect(compareVersions(parseVersion('1.0.0+a')!, parseVersion('v1.0.0+b')!)).toBe(0)
  })
})
