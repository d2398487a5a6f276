import { expect, it } from 'vitest'
import type { RequestError } from '../../../../kube/src/client/requesterror.ts'
import { HubTrust } from './hubtrust.ts'

const error = (kind: 'Malformed' | 'Deadline', verb: 'list' | 'watch'): RequestError => ({
  cluster: 'hub',
  verb,
  ref: { group: '', kind: 'Module', name: '' },
  wrote: 'no',
  ...(kind === 'Malformed' ? { kind, problem: '200 text/html', isTooLong: false } : { kind }),
})

it('a hub is trusted again once each list that was refused is read', async () => {
  const trust = new HubTrust()
  expect(trust.restored).toBe(undefined)
  trust.note('modules', error('Malformed', 'list'))
  trust.note('holds', error('Malformed', 'list'))
  let isRestored = false
  const waiting = trust.restored!.then(() => {
    isRestored = true
  })
  trust.note('modules', undefined)
  // A missing answer does not restore trust.
  trust.note('holds', error('Deadline', 'list'))
  await Promise.resolve()
  expect(isRestored).toBe(false)
  trust.note('holds', undefined)
  await waiting
  expect(trust.restored).toBe(undefined)
})

it('a hub that does not answer, or whose watch is malformed, is trusted: lists repair watches', () => {
  const trust = new HubTrust()
  trust.note('modules', error('Deadline', 'list'))
  trust.note('modules', error('Malformed', 'watch'))
  expect(trust.restored).toBe(undefined)
})
