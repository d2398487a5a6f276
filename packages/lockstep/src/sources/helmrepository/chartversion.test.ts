import { describe, expect, it } from 'vitest'
import { isExact, nearestVersions, pickChartVersion } from './chartversion.ts'

const THERE = [
  '0.9.0',
  '0.10.0',
  '1.2.3',
  '1.2.4',
  '1.3.0-rc.1',
  '2.0.0+b.1',
  '2.0.0+b.2',
  'latest',
  'v3.0.0',
]

describe('the version that is meant', () => {
  it.each([
    ['0.*', '0.10.0'],
    ['^1.2', '1.2.4'],
    ['~1.2.3', '1.2.4'],
    ['1.x', '1.2.4'],
    ['1.2', '1.2.4'],
    ['>=1.3.0-0 <2', '1.3.0-rc.1'],
    ['^0.9 || ^1.2', '1.2.4'],
    ['1.0 - 1.2.3', '1.2.3'],
    ['*', 'v3.0.0'],
    ['^2', '2.0.0+b.2'],
    ['1.2.3', '1.2.3'],
    ['3.0.0', 'v3.0.0'],
    ['2.0.0+b.1', '2.0.0+b.1'],
    ['1.3.0-rc.1', '1.3.0-rc.1'],
    ['^4', undefined],
    ['1.3.0', undefined],
    ['latest', undefined],
  ])('%s is %s', (wanted, version) => {
    expect(pickChartVersion(wanted, THERE)).toBe(version)
    expect(pickChartVersion(wanted, [...THERE].reverse())).toBe(version)
  })

  it.each(['1.2.3', 'v1.2.3', '1.2.3-rc.1', '1.2.3+b'])('%s cannot move', (v) =>
    expect(isExact(v)).toBe(true),
  )
  it.each(['1.2', '^1.2.3', '1.2.x', '*', '1.2.3 || 2', '1.2.3 - 2', 'latest'])('%s can move', (v) =>
    expect(isExact(v)).toBe(false),
  )
})

describe('whoever asks for what is not there', () => {
  it('is told what is next to it', () => {
    expect(nearestVersions('1.2.5', THERE)).toEqual(['1.3.0-rc.1', '1.2.4', '1.2.3'])
    expect(nearestVersions('0.1.0', THERE)).toEqual(['0.9.0'])
    expect(nearestVersions('9.0.0', THERE)).toEqual(['v3.0.0', '2.0.0+b.2'])
    expect(nearestVersions('1.2.5', ['1.2.4'])).toEqual(['1.2.4'])
  })

  it('is told the highest there are, where a range has none', () => {
    expect(nearestVersions('^4', THERE)).toEqual(['v3.0.0', '2.0.0+b.2', '2.0.0+b.1'])
  })
})
