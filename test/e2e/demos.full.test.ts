/** Each story, from its beginning to its verdict. */
import { describe, expect, it } from 'vitest'
import { clusterGroupReport } from '../../packages/lockstep/src/cli/commands/demo/clustergroup/runclustergroup.ts'
import { demoReport } from '../../packages/lockstep/src/cli/commands/demo/demoverdict.ts'
import { demoPromoteReport } from '../../packages/lockstep/src/cli/commands/demo/promote/runpromote.ts'
import { resourceSetReport } from '../../packages/lockstep/src/cli/commands/demo/resourceset/runresourceset.ts'
import { demoFleetReport } from '../../packages/lockstep/src/cli/commands/demo/rollout/runfleet.ts'
import { demoTenancyReport } from '../../packages/lockstep/src/cli/commands/demo/tenancy/runtenancy.ts'
import { versionedReport } from '../../packages/lockstep/src/cli/commands/demo/versioned/runversioneddemo.ts'
import type { Ran } from './lockstep.ts'
import { sit } from './person.ts'

const run = (args: string): Promise<Ran> => sit(args.split(' '), {})

describe('demo', () => {
  it('-o json: the verdict alone, the story on standard error', async () => {
    const ran = await run('demo -o json --speed 1000 --clusters 3')
    const facts = demoReport.schema.parse(JSON.parse(ran.out))
    expect(facts.invariants.map((i) => i.violations)).toEqual(facts.invariants.map(() => []))
    expect([ran.code, ran.err.includes('Release 2026.10 is deployed')]).toEqual([0, true])
  })
})

describe('demo fleet', () => {
  it('the canaries stop a bad release, the fleet goes back, a good one follows', {
    timeout: 120_000,
  }, async () => {
    const ran = await run('demo fleet -o json --speed 1000 --clusters 20')
    const facts = demoFleetReport.schema.parse(JSON.parse(ran.out))
    expect([ran.code, facts.clusters, facts.limit]).toEqual([0, 20, 2])
    expect(facts.badReleaseOn).toBeLessThanOrEqual(2)
    expect(facts.badReleaseOn).toBeGreaterThan(0)
    expect(facts.widest).toBe(2)
    expect(facts.invariants.flatMap((i) => i.violations)).toEqual([])
    for (const said of ['RollingBack', 'RolledBack', 'AwaitingApproval', 'pinned at 2026.10'])
      expect(ran.err).toContain(said)
    // Those that are pinned are in no total, also where they are at the same release.
    expect(ran.err).toContain('17/17 at 2026.10, 3 pinned   0 deploying (limit 1)')
    expect(ran.err.match(/^ +\d:\d\d +Complete$/gm)).toHaveLength(3)
  })
})

describe('demo versioned', () => {
  it('-o json: what each system did too early; Lockstep nothing', async () => {
    const ran = await run('demo versioned -o json')
    const facts = versionedReport.schema.parse(JSON.parse(ran.out))
    const [flux, names, lockstep] = facts.systems.map((s) => s.violations.map((v) => `${v.kind} ${v.unit}`))
    expect(flux).toEqual(['TooEarly addons', 'TooEarly machines', 'Unchecked machines'])
    expect(names).toEqual(['TooEarly addons', 'Deleted machines-ready'])
    expect(lockstep).toEqual([])
    expect([ran.code, ran.err.includes('machines: too early')]).toEqual([0, true])
    expect((await run('demo versioned -o json')).out).toBe(ran.out)
  })
})

describe('demo resourceset', () => {
  it('-o json: Continuous does all that is expected, Cluster API what it promises', async () => {
    const ran = await run('demo resourceset -o json')
    const facts = resourceSetReport.schema.parse(JSON.parse(ran.out))
    const met = facts.systems.map((s) => s.steps.filter((x) => x.afterMs !== undefined).map((x) => x.step))
    expect(met).toEqual([
      ['created'],
      ['created', 'changed'],
      ['created', 'changed', 'edited', 'deleted', 'removed'],
    ])
    expect([ran.code, ran.err.includes('✗ never')]).toEqual([0, true])
    expect((await run('demo resourceset -o json')).out).toBe(ran.out)
  })
})

describe('demo clustergroup', () => {
  it('-o json: waves alone are too early, Jobs come later than waits, waits leave nothing behind', {
    timeout: 120_000,
  }, async () => {
    const ran = await run('demo clustergroup -o json')
    const { players } = clusterGroupReport.schema.parse(JSON.parse(ran.out))
    const [none, waves, jobs, waits] = players.map((p) => p.lagMs!)
    expect([none! < waves!, waves! < 0]).toEqual([true, true])
    expect([waits! >= 0, waits! < 50, jobs! > waits!, jobs! < 10_000]).toEqual([true, true, true, true])
    for (const p of players.slice(0, 3))
      expect(p.storageHealthyMs! < p.classMs! - 25_000, `${p.name}: healthy long before`).toBe(true)
    const kept = players.map((p) => [p.jobsMade, p.podsRun, p.meanwhile.isReady])
    expect(kept).toEqual([...[0, 0, 1, 0].map((made, i) => [made, made, i < 2])])
    const said = players.map((p) => p.meanwhile.waitsFor.map((w) => w.split(':')[0]))
    expect(said).toEqual([[], [], ['WaitingForHook'], ['WaitNotFound']])
    expect([ran.code, ran.err.includes('✗ ')]).toEqual([0, true])
    expect((await run('demo clustergroup -o json')).out).toBe(ran.out)
    expect((await run('demo clustergroup -o json --seed 43')).out).not.toBe(ran.out)
  })
})

describe('demo promote', () => {
  it('one pull request and one change of main, though the controller dies in between; then a Hold', {
    timeout: 120_000,
  }, async () => {
    const ran = await run('demo promote -o json')
    expect(demoPromoteReport.schema.parse(JSON.parse(ran.out))).toMatchObject({
      pullRequests: 1,
      changesOfBase: 1,
      controllers: 2,
      promoted: '6.1.0',
      hold: expect.stringContaining('prod changed from 6.1.0 to 6.0.0 outside Lockstep'),
    })
    expect([ran.code, ran.err.includes('but not recorded')]).toEqual([0, true])
    // By its own clock: a machine with other tests on it starts processes slowly.
    const took = /1 Hold\. (\d+\.\d)s\.$/m.exec(ran.err)?.[1]
    expect(Number(took)).toBeLessThan(30)
  })
})

describe('demo tenancy', () => {
  it('-o json: each attack is refused, and nothing is written outside of the namespace', {
    timeout: 60_000,
  }, async () => {
    const ran = await run('demo tenancy -o json')
    const { attacks, delivered } = demoTenancyReport.schema.parse(JSON.parse(ran.out))
    expect(attacks.map((a) => a.id)).toEqual(['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9'])
    expect(attacks.filter((a) => a.refusal === undefined)).toEqual([])
    expect(attacks.flatMap((a) => [...a.writesOutside, ...a.reached])).toEqual([])
    // Those that are refused by Lockstep are Modules with a status.
    for (const a of attacks) expect(a.writesInside, a.id).toBeGreaterThan(0)
    expect(delivered).toEqual(['platform/web', 'team-a/own', 'platform/web again'])
    expect([ran.code, ran.err.includes('✔ 9 attacks, 9 refused, 0 writes outside team-a.')]).toEqual([
      0,
      true,
    ])
    expect((await run('demo tenancy -o json')).out).toBe(ran.out)
  })
})
