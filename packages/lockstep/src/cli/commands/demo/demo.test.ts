import { describe, expect, it } from 'vitest'
import type { OracleVerdict } from '../../../../../simulators/src/oracle/oracle.ts'
import type { MatrixCell } from '../../kit/snapshot/matrix.ts'
import type { FleetSnapshot } from '../../kit/snapshot/snapshot.ts'
import { createTerminal } from '../../kit/terminal/terminal.ts'
import { clockText } from './demoaudience.ts'
import { eventsBetween } from './demoevents.ts'
import { drawDemoVerdict } from './demoverdict.ts'

const t = createTerminal(
  { color: false, unicode: true, live: false, wraps: false, width: 100 },
  { out() {}, err() {} },
)
const empty: FleetSnapshot = {
  modules: [],
  inventories: [],
  assemblages: [],
  foreign: [],
  holds: [],
  clusters: [],
  nowMs: 0,
}
const cell = (state: MatrixCell['state'], version = 'v2', isOld = false): MatrixCell => ({
  state,
  version,
  isOld,
})

describe('verdict', () => {
  const cost = { hubWrites: 10, clusterWrites: 4, requests: 4, changed: 4 }
  const verdict = (tested: number, broken: number): OracleVerdict => ({
    id: 'I1',
    name: 'Gate',
    tested,
    violations: Array.from({ length: broken }, () => ({ invariant: 'I1', message: 'too early', at: 3 })),
  })
  it('gives no mark to what was never tested', () => {
    const text = drawDemoVerdict(t, cost, [verdict(0, 0)]).join('\n')
    expect(text).toContain('not exercised')
    expect(text).not.toContain('✔')
  })
  it('marks what held, and names what broke', () => {
    expect(drawDemoVerdict(t, cost, [verdict(3, 0)]).join('\n')).toMatch(/3 times {2}✔/)
    const text = drawDemoVerdict(t, cost, [verdict(3, 7)]).join('\n')
    expect(text).toMatch(/✗ broken, 7 times/)
    expect(text).toContain('… and 2 more')
  })
})

describe('events', () => {
  it('says once what happens to several clusters at once', () => {
    const before = new Map([
      ['web@a', cell('moving')],
      ['web@b', cell('moving')],
      ['web@c', cell('ready')],
    ])
    const after = new Map([
      ['web@a', cell('ready')],
      ['web@b', cell('ready')],
      ['web@c', cell('ready')],
    ])
    expect(eventsBetween(before, after, empty)).toMatchObject([
      { clusters: ['a', 'b'], text: 'is ready at v2' },
    ])
  })
  const changes: readonly [string, MatrixCell | undefined, MatrixCell | undefined, string | undefined][] = [
    ['a start', cell('waiting', 'v1', true), cell('moving'), 'starts v2'],
    ['a repair of a failure', cell('failed'), cell('moving'), 'deploys another revision of v2'],
    ['a second look', cell('ready'), cell('moving'), 'verifies v2 again'],
    ['the end', cell('leaving'), undefined, 'removed'],
    ['nothing', cell('ready'), cell('ready'), undefined],
    ['the very first wait', undefined, cell('waiting', '', true), undefined],
  ]
  it.each(changes)('%s', (_, before, after, text) => {
    const at = (x: MatrixCell | undefined) => new Map(x ? [['web@a', x]] : [])
    expect(eventsBetween(at(before), at(after), empty)[0]?.text).toBe(text)
  })
})

it('time is minutes and seconds', () => {
  expect([clockText(999), clockText(67_000), clockText(600_000)]).toEqual(['0:00', '1:07', '10:00'])
})
