/** Rights that `lockstep install` gives are used, and no others are needed. */
import { beforeAll, describe, expect, it } from 'vitest'
import { RIGHTS, type Right } from '../../packages/lockstep/src/api/rights.ts'
import type { AuditEntry } from '../audit/auditentry.ts'
import { auditProblems, isUseOf } from '../audit/auditproblems.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'
import { scenarios } from './rightscenarios.ts'

const HUB = { managed: new Set([NAMESPACE]) }

/** Each verb on each resource, with its name. */
const single = RIGHTS.flatMap((right) =>
  right.resources.flatMap((resource) =>
    right.verbs.map((verb): [string, Right] => {
      const { scope, profile, group } = right
      const of = [scope, profile, group === '' ? resource : `${resource}.${group}`, verb]
      return [
        of.filter((part) => part !== undefined).join(' '),
        { ...right, resources: [resource], verbs: [verb] },
      ]
    }),
  ),
)

describe('of the controller', () => {
  const audit: AuditEntry[] = []
  beforeAll(async () => {
    for (const play of scenarios) audit.push(...(await play()))
  }, 240_000)

  it('no request was refused, and each is a record or of an account', () =>
    expect(auditProblems(audit, HUB)).toEqual([]))
  it.each(single)('%s is used, and no other right allows the same', (_, right) => {
    const others = single.map(([, r]) => r).filter((r) => r !== right && r.verbs[0] === right.verbs[0])
    const uses = audit.filter((e) => isUseOf(right, e, HUB))
    expect(uses).not.toEqual([])
    expect(uses.filter((e) => !others.some((r) => isUseOf(r, e, HUB)))).not.toEqual([])
  })
  it('none is for everything, for more rights, or for Secrets of all namespaces', () => {
    const all = RIGHTS.flatMap(({ group, resources, verbs }) => [group, ...resources, ...verbs])
    for (const word of ['*', 'escalate', 'bind']) expect(all).not.toContain(word)
    const whole = RIGHTS.filter(
      (r) => r.scope === 'Cluster' && r.group === '' && r.resources.includes('secrets'),
    )
    expect(whole).toEqual([])
  })
})
