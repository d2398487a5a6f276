/** Each row of the probes, and their output. */
import { describe, expect, it } from 'vitest'
import type { ServerRequest } from '../../../../../kube/src/env/net.ts'
import { healthHandler } from './openhealth.ts'
import { type HealthFacts, livenessChecks, readinessChecks } from './probechecks.ts'

const ELECTION = { isOver: false, leads: true, beatMs: 500, answeredMs: 2000 }
const LEADER: HealthFacts = {
  election: ELECTION,
  hubMs: 2000,
  crdsProblem: undefined,
  stalledMs: undefined,
  areCachesComplete: true,
}
const STANDBY: HealthFacts = {
  ...LEADER,
  election: { ...ELECTION, leads: false },
  areCachesComplete: undefined,
}

const failed = (checks: ReturnType<typeof livenessChecks>) =>
  checks.flatMap((c) => (c.problem === undefined ? [] : [`${c.name}: ${c.problem}`]))

const AWAY = { hubMs: 31_900, election: { ...ELECTION, leads: false, answeredMs: 31_900 } }

describe('checks', () => {
  it.each<[name: string, facts: HealthFacts, livez: string[], readyz: string[]]>([
    ['a leader', LEADER, [], []],
    ['a standby, which can take over', STANDBY, [], []],
    ['one process without an election', { ...LEADER, election: undefined }, [], []],
    [
      'at the start',
      {
        ...STANDBY,
        hubMs: undefined,
        crdsProblem: 'not read yet',
        election: { isOver: false, leads: false, beatMs: undefined, answeredMs: undefined },
      },
      [],
      ['hub: no answer yet', 'crds: not read yet', 'lease: no answer yet'],
    ],
    [
      'a standby whose hub is away: a restart does not help',
      { ...STANDBY, ...AWAY },
      [],
      ['hub: no answer for 31s', 'lease: no answer for 31s'],
    ],
    ['a hub that answered 30 s ago', { ...STANDBY, hubMs: 30_000 }, [], []],
    [
      'a leader whose Lease was not read for long: it leads',
      { ...LEADER, election: { ...ELECTION, answeredMs: 60_000 } },
      [],
      [],
    ],
    [
      'a thread that stands still',
      { ...LEADER, election: { ...ELECTION, beatMs: 31_000 } },
      ['lease-thread: it stands still for 31s'],
      ['lease-thread: it stands still for 31s'],
    ],
    [
      'a thread that has ended',
      { ...LEADER, election: { ...ELECTION, isOver: true } },
      ['lease-thread: the election is over'],
      ['lease-thread: the election is over'],
    ],
    ['work that is due for 14 minutes', { ...LEADER, stalledMs: 14 * 60_000 }, [], []],
    [
      'work that is due for 15 minutes',
      { ...LEADER, stalledMs: 15 * 60_000 },
      ['queue: work is due for 900s'],
      ['queue: work is due for 900s'],
    ],
    [
      'kinds that are not served',
      { ...LEADER, crdsProblem: 'modules.lockstep.dev not served' },
      [],
      ['crds: modules.lockstep.dev not served'],
    ],
    [
      'a leader that reads its first lists',
      { ...LEADER, areCachesComplete: false },
      [],
      ['caches: the first lists are incomplete'],
    ],
  ])('%s', (_, facts, livez, readyz) => {
    expect(failed(livenessChecks(facts))).toEqual(livez)
    expect(failed(readinessChecks(facts))).toEqual(readyz)
  })
})

describe('answers', () => {
  const ask = async (url: string, facts: HealthFacts = LEADER, method = 'GET') => {
    const request = { method, url } as unknown as ServerRequest
    const { status, body } = await healthHandler(() => facts)(request)
    return [status, body]
  }

  it.each<[string, unknown[]]>([
    ['/livez', [200, 'ok']],
    ['/readyz', [200, 'ok']],
    ['/livez?verbose', [200, '[+]ping ok\n[+]lease-thread ok\n[+]queue ok\nlivez check passed\n']],
    ['/livez/', [404, '404 page not found\n']],
    ['/constructor', [404, '404 page not found\n']],
    ['/', [404, '404 page not found\n']],
    ['//[', [404, '404 page not found\n']],
    ['%', [404, '404 page not found\n']],
    ['/livez?exclude=%ff&%', [200, 'ok']],
  ])('%s of a leader', async (url, answer) => {
    expect(await ask(url)).toEqual(answer)
  })

  it('a failure is 503, with each check', async () => {
    expect(await ask('/readyz', { ...STANDBY, ...AWAY })).toEqual([
      503,
      [
        '[+]ping ok',
        '[+]lease-thread ok',
        '[+]queue ok',
        '[-]hub failed: no answer for 31s',
        '[+]crds ok',
        '[-]lease failed: no answer for 31s',
        '[+]caches ok',
        'readyz check failed',
        '',
      ].join('\n'),
    ])
  })

  it('checks can be excluded, and unknown ones are named', async () => {
    expect(await ask('/readyz?exclude=hub&exclude=lease', { ...STANDBY, ...AWAY })).toEqual([200, 'ok'])
    const [status, body] = await ask('/readyz?exclude=hub&exclude=x&verbose', { ...STANDBY, ...AWAY })
    expect(status).toBe(503)
    expect(body).toContain('[+]hub excluded: ok\n')
    expect(body).toContain('warn: no check is named "x"\n')
  })

  it('nothing but GET and HEAD', async () => {
    expect(await ask('/livez', LEADER, 'POST')).toEqual([405, 'method not allowed\n'])
    expect(await ask('/livez', LEADER, 'HEAD')).toEqual([200, 'ok'])
  })
})
