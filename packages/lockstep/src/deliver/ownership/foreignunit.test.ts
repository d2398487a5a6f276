/** Whose an object is, and whether it may be taken from that unit. */
import { describe, expect, it } from 'vitest'
import type { ModuleSpec } from '../../api/kinds/module/spec.ts'
import { adviceOf } from '../../api/reasons/index.ts'
import { objectWaitRef } from '../state/objectwaitref.ts'
import { isTakeable, ownedBlocker, ownedText } from './foreignunit.ts'

const REF = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'x' }
const asking = (...from: readonly string[]) => ({
  namespace: 'platform',
  takeOverFrom: from.map((f) => {
    const [kind, name] = f.split('/') as [string, string]
    return { kind, name }
  }) as ModuleSpec['apply']['takeOverFrom'],
})
const of = (unit: string | undefined) => ({ unit, inventory: 'theirs' })

describe('it may be taken', () => {
  const from = asking('Module/web', 'ClusterResourceSet/calico.v1')
  it.each([
    ['m.platform.web', true],
    ['s.platform.calico.v1', true],
    ['b.platform.web', false],
    ['m.other.web', false],
    ['m.platform.web2', false],
    [undefined, false],
  ])('from %s: %s', (unit, may) => {
    expect(isTakeable({ unit }, from, false)).toBe(may)
  })
  it('not once that unit has taken it from us', () => {
    expect(isTakeable({ unit: 'm.platform.web' }, from, true)).toBe(false)
  })
  it('from a unit with a name that its label cuts', () => {
    const long = `Module/${'n'.repeat(60)}`
    const unit = `m.platform.${'n'.repeat(41)}.`
    expect(isTakeable({ unit: `${unit}0000000000` }, asking(long), false)).toBe(false)
  })
})

it.each([
  [
    'm.platform.web',
    'ConfigMap default/x belongs to Module platform/web; delete Module web, or list it in spec.apply.takeOverFrom',
  ],
  [
    's.platform.crs1',
    'ConfigMap default/x belongs to ClusterResourceSet platform/crs1; delete ClusterResourceSet crs1, or list it in spec.apply.takeOverFrom',
  ],
  [
    'b.platform.listed',
    'ConfigMap default/x belongs to BootstrapModule platform/listed, which took it; remove it from one of the two',
  ],
  ['m.other.web', 'ConfigMap default/x belongs to Module other/web; remove it from one of the two'],
  [
    'x.platform.argo.c0.appgroup.web',
    'ConfigMap default/x belongs to x.platform.argo.c0.appgroup.web (Inventory theirs); remove it from one of the two',
  ],
  [
    undefined,
    'ConfigMap default/x belongs to another unit (Inventory theirs); remove it from one of the two',
  ],
])('the words where it is that of %s', (unit, text) => {
  expect(ownedText(REF, of(unit), asking('BootstrapModule/listed'))).toBe(text)
})

it.each([['s.platform.crs1'], ['x.platform.argo.c0.appgroup.web'], [undefined]])(
  'the advice about an object of %s names no second Module',
  (unit) => {
    const { reason, on, facts, message } = ownedBlocker(objectWaitRef(REF, 'c1'), of(unit), asking())
    const advice = adviceOf({ reason, on, facts })
    expect(advice).toContain('from the manifests of one of the two')
    expect(`${message} ${advice}`).not.toContain('Modules')
  },
)
