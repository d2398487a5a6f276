import { describe, expect, it } from 'vitest'
import { printPath } from '../../../../kube/src/fields/index.ts'
import type { JsonObject, KubeObject } from '../../../../kube/src/object/index.ts'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import { fieldOwnersOf, lostFields } from './fieldowners.ts'
import {
  fieldsToRelease,
  type IgnoreRules,
  ignoreRulesFor,
  managedFieldsDigest,
  withoutIgnored,
} from './ignorerules.ts'

const web: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'app', labels: { tier: 'front' } },
  spec: { replicas: 2, paused: false },
}

/** `manager: fields below spec`; ours are those of `lockstep`. */
const live = (owned: Record<string, readonly string[]>): LiveObject => {
  const entries = Object.entries(owned).map(([manager, names]) => ({
    manager,
    operation: manager === 'lockstep' ? 'Apply' : 'Update',
    fieldsV1: { 'f:spec': Object.fromEntries(names.map((n) => [`f:${n}`, {}])) },
  }))
  return { managers: JSON.stringify(entries), fields: 'all' } as LiveObject
}

describe('which objects a rule is for', () => {
  const paths = ['/spec/replicas']
  it.each([
    [{}, true],
    [{ kind: 'Deployment', group: 'apps' }, true],
    [{ kind: 'Deployment', group: '' }, false],
    [{ name: 'web', namespace: 'app' }, true],
    [{ name: 'other' }, false],
    [{ labelSelector: { matchLabels: { tier: 'front' } } }, true],
    [{ labelSelector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' as const }] } }, false],
  ])('%j: %s', (target, isFor) => {
    expect(ignoreRulesFor([{ target, paths }], web) !== undefined).toBe(isFor)
  })
  it('what several say is added up; escapes are read', () => {
    expect(ignoreRulesFor([{ paths: ['/a~1b/c~0d'] }, { managers: ['hpa'] }], web)).toEqual({
      paths: [['a/b', 'c~d']],
      managers: ['hpa'],
    })
    expect(ignoreRulesFor([{ target: { kind: 'Job' }, paths }], web)).toBeUndefined()
  })
})

describe('on an object that is there', () => {
  const byPath: IgnoreRules = { paths: [['spec', 'replicas']], managers: [] }
  const byManager: IgnoreRules = { paths: [], managers: ['hpa'] }
  const specOf = (ignored: IgnoreRules, l: LiveObject) => (withoutIgnored(web, ignored, l) as JsonObject).spec
  const held = (ignored: IgnoreRules, l: LiveObject) => {
    const found = fieldsToRelease(web, ignored, fieldOwnersOf(l))
    return found && [...found.paths()].map(printPath)
  }

  it('a path is never applied; a manager’s fields are not while it has them', () => {
    const [ours, taken] = [live({ lockstep: ['replicas'] }), live({ lockstep: ['other'], hpa: ['replicas'] })]
    expect([specOf(byPath, ours), specOf(byPath, taken)]).toEqual([{ paused: false }, { paused: false }])
    expect(specOf(byManager, ours)).toEqual({ replicas: 2, paused: false })
    expect(specOf(byManager, taken)).toEqual({ paused: false })
  })
  it('what we alone own has to be given up first', () => {
    expect(held(byPath, live({ lockstep: ['replicas', 'paused'] }))).toEqual(['.spec.replicas'])
    expect(held(byPath, live({ lockstep: ['replicas'], hpa: ['replicas'] }))).toBeUndefined()
    expect(held(byPath, live({ lockstep: ['paused'], hpa: ['replicas'] }))).toBeUndefined()
    expect(held(byPath, live({ hpa: ['replicas'] }))).toBeUndefined()
  })
  it('what others do to the rest is no drift', () => {
    const answered = (ignored: IgnoreRules | undefined, l: LiveObject) => managedFieldsDigest(l, web, ignored)
    const before = live({ lockstep: ['replicas', 'paused'] })
    const taken = live({ lockstep: ['paused'], hpa: ['replicas'] })
    const edited = live({ lockstep: ['replicas'], hpa: ['paused'] })
    const wiped = live({})
    expect(answered(byPath, taken)).toBe(answered(byPath, before))
    expect(answered(byPath, edited)).not.toBe(answered(byPath, before))
    expect(answered(byManager, taken)).toBe(answered(byManager, before))
    expect(answered(byManager, live({ lockstep: ['paused'], kubectl: ['replicas'] }))).not.toBe(
      answered(byManager, before),
    )
    expect([answered(byPath, wiped), answered(undefined, before)]).toEqual([undefined, 'all'])
  })
})

describe('what others have taken', () => {
  const lost = (l: LiveObject) => lostFields({ ...web, metadata: { name: 'web' } }, fieldOwnersOf(l))
  it.each([
    ['nothing', live({ lockstep: ['replicas', 'paused'] }), []],
    [
      'a field, by whom',
      live({ lockstep: ['paused'], hpa: ['replicas'] }),
      [{ path: '.spec.replicas', manager: 'hpa' }],
    ],
    [
      'what is only gone is not named beside it',
      live({ lockstep: ['other'], hpa: ['replicas'] }),
      [{ path: '.spec.replicas', manager: 'hpa' }],
    ],
    [
      'a field that was taken out',
      live({ lockstep: ['paused'] }),
      [{ path: '.spec.replicas', manager: undefined }],
    ],
  ])('%s', (_, l, fields) => {
    expect(lost(l)).toEqual(fields)
  })
  it('an entry that nobody can read is nobody’s', () => {
    const managers = JSON.stringify([{ manager: 'x', operation: 'Update', fieldsV1: { odd: {} } }])
    expect(fieldOwnersOf({ managers }).others[0]?.fields.isEmpty).toBe(true)
  })
})
