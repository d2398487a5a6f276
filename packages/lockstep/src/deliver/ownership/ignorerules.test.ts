import { describe, expect, it } from 'vitest'
import type { LiveObject } from '../../fleet/connection/liveobject.ts'
import { printPath } from '../../../../kube/src/fields/index.ts'
import type { JsonObject, KubeObject } from '../../../../kube/src/object/index.ts'
import { answeredFields, heldAlone, type Ignored, ignoredOf, withoutIgnored } from './ignorerules.ts'
import { lostFields, ownersOf } from './fieldowners.ts'

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
    expect(ignoredOf([{ target, paths }], web) !== undefined).toBe(isFor)
  })
  it('what several say is added up; escapes are read', () => {
    expect(ignoredOf([{ paths: ['/a~1b/c~0d'] }, { managers: ['hpa'] }], web)).toEqual({
      paths: [['a/b', 'c~d']],
      managers: ['hpa'],
    })
    expect(ignoredOf([{ target: { kind: 'Job' }, paths }], web)).toBeUndefined()
  })
})

describe('on an object that is there', () => {
  const byPath: Ignored = { paths: [['spec', 'replicas']], managers: [] }
  const byManager: Ignored = { paths: [], managers: ['hpa'] }
  const specOf = (ignored: Ignored, l: LiveObject) => (withoutIgnored(web, ignored, l) as JsonObject).spec
  const held = (ignored: Ignored, l: LiveObject) => {
    const found = heldAlone(web, ignored, ownersOf(l))
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
    const answered = (ignored: Ignored | undefined, l: LiveObject) => answeredFields(l, web, ignored)
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
  const lost = (l: LiveObject) => lostFields({ ...web, metadata: { name: 'web' } }, ownersOf(l))
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
    expect(ownersOf({ managers }).others[0]?.fields.isEmpty).toBe(true)
  })
})
