import { describe, expect, it } from 'vitest'
import { createTerminal } from '../../../kit/terminal/terminal.ts'
import { widthOf } from '../../../kit/terminal/texttable.ts'
import { drawMeanwhile, drawRace } from './drawrace.ts'
import type { RaceResult } from './playrace.ts'
import { RACE_PLAYERS } from './raceplayers.ts'

const look = { color: false, unicode: true, live: false, wraps: false, width: 80 }
const t = createTerminal(look, { out() {}, err() {} })

const WAITS =
  'WaitNotFound: edge: storage.k8s.io/StorageClass ocs-storagecluster-ceph-rbd (sc → storageclasses.storage.k8s.io) does not exist'
const virtualizationAt = [1234, 22_345, 58_300, 54_412] as const
const played: readonly RaceResult[] = RACE_PLAYERS.map((player, i) => ({
  player,
  milestones: {
    storageSubscribedMs: 999,
    storageHealthyMs: 22_300,
    classMs: 54_400,
    virtualizationSubscribedMs: virtualizationAt[i]!,
    podsRun: i === 2 ? 1 : 0,
    jobsMade: i === 2 ? 1 : 0,
  },
  meanwhile: { isReady: i < 2, waitsFor: i < 2 ? [] : [WAITS] },
}))

describe('the race', () => {
  it('has a column for each player, and says who was too early and by how much', () => {
    const lines = drawRace(t, played)
    const rowOf = (label: string) =>
      lines
        .find((line) => line.trimStart().startsWith(label))!
        .trim()
        .split(/ {2,}/)
        .slice(1)
    expect(lines[0]!.trim().split(/ {2,}/)).toEqual(RACE_PLAYERS.map((p) => p.name))
    expect(rowOf('subscribed')).toEqual(['999ms', '999ms', '999ms', '999ms'])
    expect(rowOf('before the class?')).toEqual([
      ...['✗ 53.2s early', '✗ 32.1s early', '✔ 3.9s after', '✔ 12ms after'],
    ])
    expect(rowOf('Jobs made')).toEqual(['0', '0', '1', '0'])
    expect(rowOf('pods that ran')).toEqual(['0', '0', '1', '0'])
  })
  it('tells what never came', () => {
    const [first, ...rest] = played
    const stuck: RaceResult = { ...first!, milestones: { podsRun: 0, jobsMade: 0 } }
    const text = drawRace(t, [stuck, ...rest]).join('\n')
    expect(text).toMatch(/healthy +never +22\.3s/)
    expect(text).toMatch(/before the class\? +✗ never/)
  })
  it('tells what each waits for meanwhile, or that it is ready', () => {
    const text = drawMeanwhile(t, played).join('\n')
    expect(text).toMatch(/^ {2}waves {10}Ready$/m)
    expect(text.replace(/\s+/g, ' ')).toContain(`waves + waits ${WAITS}`)
  })
  it('fits into 80 columns', () => {
    const lines = [...drawRace(t, played), ...drawMeanwhile(t, played)].join('\n').split('\n')
    expect(lines.filter((line) => widthOf(line) > 80)).toEqual([])
    expect(lines.join('\n')).not.toContain('…')
  })
})
