import { describe, expect, it } from 'vitest'
import { cronCalendar } from '../../../../../kube/src/env/calendar.ts'
import type { RolloutWindow } from './windows.ts'
import * as windows from './windows.ts'

const windowsAt = (all: readonly RolloutWindow[], nowMs: number) =>
  windows.windowsAt(all, nowMs, cronCalendar)
const nextOpening = (all: readonly RolloutWindow[], nowMs: number) =>
  windows.nextOpening(all, nowMs, cronCalendar)

const window = (schedule: string, over: Partial<RolloutWindow> = {}): RolloutWindow => ({
  action: 'Allow',
  schedule,
  durationSeconds: 7200,
  timeZone: 'Europe/Berlin',
  ...over,
})
const ms = (text: string): number => Date.parse(text)
const EVENINGS = window('0 22 * * 1-5')

describe('a window of an evening, in local time', () => {
  it.each([
    ['2026-11-23T20:59:59Z', false, '2026-11-23T21:00:00Z'],
    ['2026-11-23T21:00:00Z', true, '2026-11-23T23:00:00Z'],
    ['2026-11-23T22:59:59Z', true, '2026-11-23T23:00:00Z'],
    ['2026-11-23T23:00:00Z', false, '2026-11-24T21:00:00Z'],
    // A Saturday, and the summer.
    ['2026-11-21T21:30:00Z', false, '2026-11-23T21:00:00Z'],
    ['2026-07-06T20:00:00Z', true, '2026-07-06T22:00:00Z'],
  ])('at %s: open %s, until %s', (now, isOpen, changes) => {
    expect(windowsAt([EVENINGS], ms(now))).toEqual({ isOpen, changesAtMs: ms(changes) })
  })
})

describe('when clocks change, there is exactly one opening', () => {
  const NIGHTS = window('30 2 * * *', { durationSeconds: 600 })
  const openings = (from: string, days: number): string[] => {
    const found: string[] = []
    let at = ms(from)
    while (at < ms(from) + days * 86_400_000) {
      const next = nextOpening([NIGHTS], at)!
      found.push(new Date(next).toISOString())
      at = windowsAt([NIGHTS], next).changesAtMs!
    }
    return found.slice(0, days)
  }
  it('that repeat the hour: the first time', () => {
    expect(openings('2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ])
  })
  it('that skip it: right after', () => {
    expect(openings('2027-03-27T12:00:00Z', 2)).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ])
  })
})

describe('several windows', () => {
  it('without any Allow it is always open but for what is denied', () => {
    const noon = window('0 12 * * *', { action: 'Deny', timeZone: 'UTC' })
    expect(windowsAt([noon], ms('2026-11-23T11:00:00Z')).isOpen).toBe(true)
    expect(windowsAt([noon], ms('2026-11-23T13:00:00Z')).isOpen).toBe(false)
  })
  it('Deny wins, and overlapping openings are one', () => {
    const late = window('0 23 * * *')
    const deny = window('0 0 24 11 *', { action: 'Deny', durationSeconds: 86_400 })
    expect(windowsAt([EVENINGS, late], ms('2026-11-23T23:30:00Z')).isOpen).toBe(true)
    expect(nextOpening([EVENINGS, late, deny], ms('2026-11-23T23:30:00Z'))).toBe(ms('2026-11-24T23:00:00Z'))
  })
  it('what is denied for ever never opens', () => {
    const always = window('* * * * *', { action: 'Deny', durationSeconds: 60 })
    expect(nextOpening([always], ms('2026-11-23T00:00:00Z'))).toBeUndefined()
    expect(nextOpening([window('0 0 30 2 *')], ms('2026-11-23T00:00:00Z'))).toBeUndefined()
  })
})

it.each([
  ['0 22 * * 1-5', 'Europe/Berlin', undefined],
  ['0 25 * * *', 'UTC', 'schedule "0 25 * * *": Invalid value for hour: 25; for example 0 22 * * 1-5'],
  ['0 22 * *', 'UTC', expect.stringContaining('invalid configuration format')],
  ['0 0 * * * *', 'UTC', expect.stringContaining('exactly 5 parts')],
  ['0 22 * * *', 'Mars/Olympus', 'timeZone "Mars/Olympus": unknown time zone; for example Europe/Berlin'],
])('schedule %s in %s: %s', (schedule, timeZone, problem) => {
  expect(windows.windowProblem({ schedule, timeZone }, cronCalendar)).toEqual(problem)
  if (problem === undefined) return
  const broken = { schedule, timeZone, durationSeconds: 60 }
  expect(windowsAt([{ ...broken, action: 'Allow' }], 0).isOpen).toBe(false)
  expect(windowsAt([{ ...broken, action: 'Deny' }], 0).isOpen).toBe(false)
})

it('a day that never comes is a fault, and neither opens nor shuts anything', () => {
  const never = { schedule: '0 0 31 2 *', durationSeconds: 60 }
  expect(windows.windowFault(never, cronCalendar)).toEqual({
    field: 'schedule',
    problem: '"0 0 31 2 *": no such day exists; for example 0 22 * * 1-5',
  })
  expect(windowsAt([{ ...never, action: 'Allow' }], 0).isOpen).toBe(false)
  expect(windowsAt([{ ...never, action: 'Deny' }], 0).isOpen).toBe(true)
})

describe('when they open next, for people', () => {
  const now = Date.UTC(2026, 10, 23, 12)
  const at = (
    schedule: string,
    timeZone?: string,
    action: RolloutWindow['action'] = 'Allow',
  ): RolloutWindow => ({
    action,
    schedule,
    durationSeconds: 3600,
    ...(timeZone === undefined ? {} : { timeZone }),
  })
  it.each<[string, RolloutWindow[], string | undefined]>([
    ['in winter', [at('0 22 * * *', 'Europe/Berlin')], '2026-11-23T22:00:00+01:00'],
    ['in summer', [at('30 2 1 7 *', 'Europe/Berlin')], '2027-07-01T02:30:00+02:00'],
    ['west of Greenwich', [at('0 22 * * *', 'America/New_York')], '2026-11-23T22:00:00-05:00'],
    ['by half an hour', [at('0 22 * * *', 'Asia/Kolkata')], '2026-11-23T22:00:00+05:30'],
    ['in UTC', [at('0 22 * * *')], '2026-11-23T22:00:00Z'],
    [
      'of several the one that opens',
      [at('0 22 * * *', 'America/New_York'), at('0 21 * * *', 'Europe/Berlin')],
      '2026-11-23T21:00:00+01:00',
    ],
    ['a denial that is over', [at('0 13 * * *', 'Europe/Berlin', 'Deny')], '2026-11-23T14:00:00+01:00'],
    ['never', [at('0 0 31 2 *')], undefined],
  ])('%s', (_, all, text) => {
    expect(windows.openingText(all, now, cronCalendar)).toBe(text)
  })
})
