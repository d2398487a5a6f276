import { describe, expect, it } from 'vitest'
import type { UnitProgress } from '../../../../../../simulators/src/flux/judgement.ts'
import { createTerminal } from '../../../kit/terminal/terminal.ts'
import { widthOf } from '../../../kit/terminal/texttable.ts'
import { drawTimelines, drawViolationCounts, drawViolations } from './drawtimelines.ts'
import { doneAfterMs, timelineEntries, timelineRows } from './timeline.ts'
import { uncheckedIn, type VersionedTrace } from './versionedtrace.ts'

const look = { color: false, unicode: true, live: false, wraps: false, width: 80 }
const t = createTerminal(look, { out() {}, err() {} })

const BEGUN = 10_000
const progress = (
  o: Readonly<Record<string, readonly [number, number?]>>,
): ReadonlyMap<string, UnitProgress> =>
  new Map(
    Object.entries(o).map(([unit, [startedMs, readyMs]]) => [
      unit,
      { startedMs: BEGUN + startedMs, ...(readyMs === undefined ? {} : { readyMs: BEGUN + readyMs }) },
    ]),
  )

const good: VersionedTrace = {
  system: 'good',
  begunMs: BEGUN,
  violations: [],
  progress: progress({ network: [1000, 5000], machines: [6000, 9000], addons: [9000, 9000] }),
  checkedMs: BEGUN + 5500,
}
const bad: VersionedTrace = {
  system: 'bad',
  begunMs: BEGUN,
  violations: [
    {
      kind: 'TooEarly',
      atMs: BEGUN,
      unit: 'machines',
      object: 'MachineDeployment/workers',
      message: 'machines: early',
    },
    { kind: 'Deleted', atMs: BEGUN + 1000, unit: 'x', object: 'ConfigMap/script', message: 'x: gone' },
  ],
  progress: progress({ machines: [0] }),
}

const texts = (trace: VersionedTrace): string[] =>
  timelineEntries(trace)
    .filter((e) => e.mark !== 'written')
    .map((e) => `${e.atMs} ${e.text}`)

describe('timelines', () => {
  it('tell when each unit starts and is healthy, and when the machines are checked', () => {
    expect(texts(good)).toEqual([
      '1000 network: starts v2',
      '5000 network: healthy',
      '5500 machines: checked',
      '6000 machines: starts v2',
      '9000 machines: healthy',
      '9000 addons: starts v2',
    ])
  })
  it('a start that was wrong is told as that', () => {
    expect(texts(bad)).toEqual(['0 machines: too early', '1000 script: deleted'])
  })
  it('put what happens in one second into one row', () => {
    const [first, second] = timelineRows([good, bad])
    expect([first?.second, first?.cells[1]?.length]).toEqual([0, 5])
    expect([second?.second, second?.cells.map((c) => c.length)]).toEqual([1, [1, 1]])
  })
  it('are done when all that changes is healthy', () => {
    expect([doneAfterMs(good), doneAfterMs(bad)]).toEqual([9000, undefined])
  })
})

describe('machines that are replaced', () => {
  const cases: readonly [what: string, checkedMs: number | undefined, says: string | undefined][] = [
    ['checked in between', 5500, undefined],
    ['never checked', undefined, 'they were not checked again'],
    ['checked afterwards', 7000, 'they were not checked again'],
    ['checked before the network was new', 4000, 'they were checked before the network was new'],
  ]
  it.each(cases)('%s', (_, checkedMs, says) => {
    const found = uncheckedIn(good.progress, checkedMs === undefined ? undefined : BEGUN + checkedMs)
    expect(found.map((v) => v.message.split('though ')[1])).toEqual(says === undefined ? [] : [says])
  })
})

it('fits into the terminal, with all that was wrong', () => {
  const lines = [
    ...drawTimelines(t, [good, bad]),
    ...drawViolations(t, [good, bad]),
    ...drawViolationCounts(t, [good, bad]),
  ]
  expect(lines.filter((line) => widthOf(line) > 80)).toEqual([])
  const text = lines.join('\n')
  expect(text).toContain('✗ 0:01 x: gone')
  expect(text).toMatch(/violations +0 +2/)
  expect(text).toMatch(/machines checked +0:05 +never/)
})
