import { describe, expect, it } from 'vitest'
import { DONE, entry, inputOf, OLD, RUNNING, unit } from '../../../../../test/arbitrary/scheduleinputs.ts'
import { clustersOfRetry, retriedOn, retryText } from './retry.ts'

describe('what is asked for', () => {
  it.each([
    [[], undefined],
    [['a'], ['a']],
    [
      ['a', 'b.example'],
      ['a', 'b.example'],
    ],
  ])('of %j', (clusters, meant) => {
    const text = retryText('2026-11-22T10:00:00.000001Z', clusters)
    expect(clustersOfRetry(text)).toEqual(meant)
  })
})

describe('of some clusters', () => {
  const slow = (cluster: string) => ({ ...entry(cluster), failed: 'it was slow', runSeconds: 1800 })
  const halted = { haltedAt: 'v1:2', ledger: [slow('a'), slow('b')] }
  const units = [unit('a', RUNNING), unit('b', RUNNING), unit('c', DONE), unit('d', OLD)]
  const failedOf = ({ ledger }: { ledger: readonly { cluster: string; failed?: string | undefined }[] }) =>
    ledger.filter((e) => e.failed !== undefined).map((e) => e.cluster)

  it('one failure is forgotten, and runs anew; the other one goes on halting', () => {
    const out = retriedOn(inputOf(units, halted), ['a'])
    expect(failedOf(out)).toEqual(['b'])
    expect(out.ledger[0]).toEqual({ ...entry('a'), runSeconds: 0 })
    expect(out).toMatchObject({ phase: 'Halted', haltedAt: 'v1:2', retried: true })
    expect(out.start).toEqual([])
  })
  it('where the other one is tolerated the rollout goes on', () => {
    const out = retriedOn(inputOf(units, halted, { maxFailed: 1, maxUnavailable: 2 }), ['a'])
    expect(failedOf(out)).toEqual(['b'])
    expect(out.haltedAt).toBeUndefined()
    expect(out.start.map((x) => x.cluster)).toEqual(['d'])
  })
  it('one that was tolerated is tried again, too', () => {
    const out = retriedOn(inputOf(units, { ledger: [slow('a')] }, { maxFailed: 1 }), ['a'])
    expect([failedOf(out), out.retried]).toEqual([[], true])
  })
  it('what fails still is asked for still', () => {
    const still = [unit('a', { ...RUNNING, failure: 'refused' }), unit('d', OLD)]
    const out = retriedOn(inputOf(still, { haltedAt: 'v1:2', ledger: [slow('a')] }), ['a'])
    expect(out).toMatchObject({ phase: 'Halted', retried: false })
  })
  it('where nothing has failed a rollout that is halted stays so', () => {
    const out = retriedOn(inputOf(units, halted), ['c', 'gone'])
    expect(out).toMatchObject({ phase: 'Halted', retried: true })
    expect(failedOf(out)).toEqual(['a', 'b'])
  })
})
