import { describe, expect, it } from 'vitest'
import { LEASE_TIMES } from '../../../../../kube/src/leaderelection/candidate.ts'
import { grantAction, MIN_LEASE_MS, performCounted } from './actionlease.ts'

const holder = 'a'
const term = (leftMs: number, isHeld = true) => ({ generation: 7, isHeld, leftMs })

describe('who may do something outside', () => {
  it('is who holds the Lease for the time of a request and what it may be late, and says with which deadline', () => {
    expect(MIN_LEASE_MS).toBe(12_000)
    expect(grantAction({ holder, term: term(12_000) })).toEqual({
      holder,
      transitions: 7,
      timeoutMs: 10_000,
    })
    expect(grantAction({ holder, term: term(11_999) })).toBeUndefined()
    expect(grantAction({ holder, term: term(0) })).toBeUndefined()
  })

  it('has no more than a request, however long the Lease is', () => {
    expect(grantAction({ holder, term: term(3_600_000) })?.timeoutMs).toBe(10_000)
  })

  it('is nobody who has lost the Lease, whatever time is left of it', () => {
    expect(grantAction({ holder, term: term(60_000, false) })).toBeUndefined()
  })

  it('begins nothing once the Lease is lost or the process stops', async () => {
    const perform = async () => 'done'
    expect(await performCounted({ holder, term: term(60_000, false) }, perform)).toBeUndefined()
    expect(await performCounted({ holder, term: term(60_000) }, perform)).toBe('done')
    expect(await performCounted({ holder }, perform)).toBe('done')
  })

  it('is who is alone, without a Lease', () => {
    expect(grantAction({ holder })).toEqual({ holder, transitions: 0, timeoutMs: 10_000 })
  })

  it('is not kept from it by a Lease of the usual length, if it was renewed at the last try but one', () => {
    const { leaseMs, retryMs } = LEASE_TIMES
    expect(leaseMs - retryMs).toBeGreaterThanOrEqual(MIN_LEASE_MS)
  })
})
