import { expect, it } from 'vitest'
import type { RequestError } from '../../../../kube/src/client/requesterror.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { HubTrust } from './hubtrust.ts'

const error = (kind: 'Malformed' | 'Deadline', verb: 'list' | 'watch'): RequestError => ({
  cluster: 'hub',
  verb,
  ref: { group: '', kind: 'Module', name: '' },
  wrote: 'no',
  ...(kind === 'Malformed' ? { kind, problem: '200 text/html', isTooLong: false } : { kind }),
})

it('a hub is trusted again once each list that was refused is read', async () => {
  const trust = new HubTrust(createSimEnv('trust'))
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
  const trust = new HubTrust(createSimEnv('trust'))
  trust.note('modules', error('Deadline', 'list'))
  trust.note('modules', error('Malformed', 'watch'))
  expect(trust.restored).toBe(undefined)
})

it('a hub that cannot be read has a line at the first failing cache, and one when all can be read again', () => {
  const env = createSimEnv('hub lines')
  const trust = new HubTrust(env)
  trust.note('modules', error('Deadline', 'list'))
  trust.note('holds', error('Deadline', 'watch'))
  trust.note('modules', undefined)
  trust.note('holds', undefined)
  trust.note('holds', undefined)
  expect(env.lines.map((l) => [l.level, l.fields.reason])).toEqual([
    ['warn', 'HubUnreachable'],
    ['info', 'HubConnected'],
  ])
})
