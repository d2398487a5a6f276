import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { jobCheck, jobInTheWay, jobName, metricCheck, readyCheck, sampleOf } from './readycheck.ts'

const object = (ready: boolean): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'prod' },
  data: { ready: String(ready) },
})
const target = (ready: boolean) => ({ object: object(ready), namespace: 'prod', cluster: 'eu' })

describe('an expression', () => {
  const see = (readyExpr: string, ready = true) =>
    readyCheck({ name: 'slo', readyExpr }, [target(ready)], 'v2')

  it('holds or does not, of targets and the revision, and may hold later', () => {
    const text = "targets.all(t, t.object.data.ready == 'true' && t.cluster == 'eu') && revision == 'v2'"
    expect(see(text)).toEqual({ name: 'slo', state: 'Passed', message: '', isFinal: false })
    expect(see(text, false)).toMatchObject({
      state: 'Failed',
      message: `${text} does not hold`,
      isFinal: false,
    })
  })

  it('what is not there yet is waited for; what is no expression, or no answer, never becomes one', () => {
    expect(see('targets[0].object.status.ready')).toMatchObject({ state: 'Running' })
    expect(see('targets.')).toMatchObject({ state: 'Failed', isFinal: true })
    expect(see('targets[0].object.data.ready')).toMatchObject({
      state: 'Failed',
      isFinal: true,
      message: 'readyExpr: must give a bool, gave string',
    })
  })
})

describe('a metric', () => {
  const metric = { url: 'https://p', query: 'q', expr: 'value < 0.01' }

  it('holds of a value', () => {
    expect(metricCheck({ name: 'slo', metric }, 0.001)).toMatchObject({ state: 'Passed' })
    expect(metricCheck({ name: 'slo', metric }, 0.5)).toMatchObject({
      state: 'Failed',
      isFinal: false,
      message: 'value < 0.01 does not hold of 0.5',
    })
  })

  const vector = (...values: string[]) => ({
    status: 'success',
    data: { resultType: 'vector', result: values.map((v) => ({ metric: {}, value: [1, v] })) },
  })
  it.each<[string, object | undefined, number | string]>([
    ['one sample', vector('0.5'), 0.5],
    ['a scalar', { status: 'success', data: { resultType: 'scalar', result: [1, '2'] } }, 2],
    ['none that is a number', vector('NaN'), Number.NaN],
    ['more than all', vector('+Inf'), Number.POSITIVE_INFINITY],
    ['no sample', vector(), 'the query gives 0 samples; write one with one sample'],
    ['two', vector('1', '2'), 'the query gives 2 samples; write one with one sample'],
    [
      'a series',
      { status: 'success', data: { resultType: 'matrix', result: [] } },
      'the query gives a matrix; write one with one sample',
    ],
    ['a refusal', { status: 'error', errorType: 'bad_data', error: 'parse error' }, 'parse error'],
    ['nonsense', vector('x'), 'its sample is x'],
    ['no JSON', undefined, 'its answer is no JSON'],
  ])('%s', (_, answer, value) => {
    expect(sampleOf(answer as never)).toEqual(value)
  })
})

describe('a Job', () => {
  const job = (status: object, o: object = {}): KubeObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    spec: {},
    status,
    metadata: { name: 'j', namespace: 'platform', ownerReferences: [{ uid: 'u1' }], ...o } as never,
  })
  const ended = (type: string) => ({
    conditions: [{ type, status: 'True', reason: 'x', message: 'it is red' }],
  })
  const see = (o: KubeObject | undefined) => jobCheck('smoke', o, 'u1', 0)

  it.each<[string, KubeObject | undefined, object]>([
    ['that has succeeded', job(ended('Complete')), { state: 'Passed' }],
    [
      'that has failed',
      job(ended('Failed')),
      { state: 'Failed', isFinal: true, message: expect.stringContaining('it is red') },
    ],
    ['that runs', job({ active: 1, startTime: '2026-01-01T00:00:00Z' }), { state: 'Running' }],
    ['that is gone', undefined, { state: 'Failed', isFinal: true }],
    ['that goes', job({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), { state: 'Failed', isFinal: true }],
    [
      'of somebody else',
      job(ended('Complete'), { ownerReferences: [] }),
      { state: 'Failed', isFinal: true, message: expect.stringContaining('is not of this promotion') },
    ],
  ])('%s', (_, o, seen) => {
    expect(see(o)).toMatchObject(seen)
  })

  it('that is to be made waits for another of its name, and takes its own for made', () => {
    const inTheWay = (o: KubeObject | undefined) => jobInTheWay('smoke', o, 'u1')
    const theirs = inTheWay(job(ended('Complete'), { ownerReferences: [{ uid: 'u0' }] }))
    expect(theirs).toMatchObject({
      state: 'Starting',
      message: 'Job platform/j belongs to another promotion and is deleted with it; delete it if it remains',
    })
    expect(inTheWay(undefined)).toMatchObject({ state: 'Starting', message: '' })
    expect(inTheWay(job({ active: 1 }))).toBeUndefined()
  })

  it('has a name that is a label, and told apart from others where it is cut', () => {
    expect(jobName('podinfo-prod-7-1f2e3d4c', 'smoke')).toBe('podinfo-prod-7-1f2e3d4c-smoke')
    const long = [1, 2].map((i) => jobName(`${'a'.repeat(60)}-prod-7-1f2e3d4c`, `smoke${i}`))
    expect(long.map((n) => n.length)).toEqual([59, 59])
    expect(long[0]).not.toBe(long[1])
  })
})
