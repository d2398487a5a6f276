import { describe, expect, it } from 'vitest'
import { cronCalendar } from '../../../../kube/src/env/calendar.ts'
import { type ModuleSpec, moduleSpec } from '../../api/kinds/module/spec.ts'
import { specProblems } from './specproblems.ts'

const TODAY = { calendar: cronCalendar, nowMs: Date.UTC(2026, 10, 22) }
const NIGHT = { schedule: '0 22 * * 1-5', durationSeconds: 7200 }

type Written = Parameters<typeof moduleSpec.parse>[0]

/** As a server has it; what the schema would refuse is put in behind it. */
const specOf = (written: object): ModuleSpec =>
  moduleSpec.parse({ source: { none: {} }, ...written } as Written)

const said = (spec: ModuleSpec): string[] =>
  specProblems(spec, TODAY).map((p) => `${p.reason} ${p.field}: ${p.problem}`)

const staged = (stage: object): object => ({
  rollout: {
    strategy: 'Staged',
    stages: [
      { name: 'canary', clusters: ['a'] },
      { name: 'rest', clusterSelector: {}, ...stage },
    ],
  },
})

describe('expressions of a rollout', () => {
  it.each([
    ['stage.failed == 0 && units.all(u, u.state == "Done")', undefined],
    ["module.revision != '' && units.exists(u, u.labels.tier == 'eu')", undefined],
    ['stage.nowhere == 1', "1:6: undefined field 'nowhere'"],
    ['stage.total ==', '1:15: Syntax error'],
    ['stage.total', 'must give a bool, not int'],
    ['stage.name == 1', '1:12: found no matching overload'],
    ['now > 1', "1:1: undeclared reference to 'now'"],
  ])('gateExpr %s', (gateExpr, problem) => {
    const expected = `InvalidExpression spec.rollout.stages[1].gateExpr: ${problem}`
    expect(said(specOf(staged({ gateExpr })))).toEqual(
      problem === undefined ? [] : [expect.stringContaining(expected)],
    )
  })
  it('readyExpr of a gate', () => {
    const gate = { apiVersion: 'v1', kind: 'ConfigMap', name: 'go' }
    const gates = [gate, { ...gate, readyExpr: 'objekt.data.go == "yes"' }]
    expect(said(specOf(staged({ gates })))).toEqual([
      expect.stringMatching(
        /^InvalidExpression spec\.rollout\.stages\[1\]\.gates\[1\]\.readyExpr: 1:1: undeclared reference to 'objekt'/,
      ),
    ])
  })
})

describe('windows', () => {
  const of = (...windows: object[]): object => ({ rollout: { windows } })
  const days = (schedule: string, action = 'Allow'): object => ({ ...NIGHT, schedule, action })
  it.each<[string, object, string[]]>([
    ['a night', of(NIGHT), []],
    ['a leap day that is denied', of(days('0 0 29 2 *', 'Deny')), []],
    [
      'a day that never comes',
      of(NIGHT, days('0 0 31 2 *')),
      ['spec.rollout.windows[1].schedule: "0 0 31 2 *": no such day exists; for example 0 22 * * 1-5'],
    ],
    [
      'no place on Earth',
      of({ ...NIGHT, timeZone: 'Mars/Olympus' }),
      ['spec.rollout.windows[0].timeZone: "Mars/Olympus": unknown time zone; for example Europe/Berlin'],
    ],
    [
      'of a stage',
      staged({ windows: [days('0 0 31 4 *')] }),
      [
        'spec.rollout.stages[1].windows[0].schedule: "0 0 31 4 *": no such day exists; for example 0 22 * * 1-5',
      ],
    ],
    [
      'a leap day alone, two years ahead',
      of(days('0 0 29 2 *')),
      [
        'spec.rollout.windows: no start is possible within 366 days: the allowed windows are denied or later; allow an earlier time',
      ],
    ],
    [
      'denied always',
      of(NIGHT, { ...days('0 0 * * *', 'Deny'), durationSeconds: 86_400 }),
      [expect.stringContaining('spec.rollout.windows: no start is possible within 366 days')],
    ],
  ])('%s', (_, written, problems) => {
    expect(said(specOf(written))).toEqual(
      problems.map((p) => (typeof p === 'string' ? `InvalidSpec ${p}` : p)),
    )
  })
})

describe('0 where nothing could ever start', () => {
  it.each([
    ['maxUnavailable', { rollout: { maxUnavailable: 0 } }, 'spec.rollout.maxUnavailable'],
    ['maxNew', { rollout: { maxNew: '0%' } }, 'spec.rollout.maxNew'],
    ['maxConcurrency', staged({ maxConcurrency: '00%' }), 'spec.rollout.stages[1].maxConcurrency'],
    ['maxUnavailable of a stage', staged({ maxUnavailable: 0 }), 'spec.rollout.stages[1].maxUnavailable'],
  ])('%s', (_, written, field) => {
    expect(said(specOf(written))).toEqual([
      `InvalidSpec ${field}: 0 would never start anything; give at least 1`,
    ])
  })
  it.each([0, '0%', '0'])('a stage of size %s has nobody in it', (size) => {
    expect(said(specOf(staged({ size })))).toEqual([
      'InvalidSpec spec.rollout.stages[1].size: a stage has at least one cluster; give at least 1',
    ])
  })
  it('is a limit like others where it means none', () => {
    const rollout = { maxFailed: 0, maxUnreachable: '0%', maxSurge: 0 }
    expect(said(specOf({ rollout }))).toEqual([])
  })
})

it('all that is wrong is said, each with its field', () => {
  const problems = said(
    specOf({
      targets: { hub: true, clusters: ['a'] },
      dependsOn: [{ id: 'x', object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }, readyExpr: '1' }],
      rollout: { maxUnavailable: 0 },
      apply: { ignore: [{ target: { kind: 'Pod' } }] },
      health: { expressions: [{ apiVersion: 'v1', current: 'tru' }] },
    }),
  )
  expect(problems.map((p) => /^\w+ ([^:]+)/.exec(p)![1])).toEqual([
    'spec.targets.hub',
    'spec.dependsOn[0].readyExpr',
    'spec.rollout.maxUnavailable',
    'spec.apply.ignore[0]',
    'spec.health.expressions[0].current',
    'spec.health.expressions[0].kind',
  ])
})
