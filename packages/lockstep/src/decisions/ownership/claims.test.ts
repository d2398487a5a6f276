import { describe, expect, it } from 'vitest'
import type { ObjectReference } from '../../../../kube/src/object/index.ts'
import {
  type ClaimFate,
  type ClaimingUnit,
  type Claims,
  fateOf,
  type HolderDecision,
  holderDecision,
} from './claims.ts'
import { type ClaimBinding, ClaimSet } from './claimset.ts'

const NAMESPACED = new Set(['ConfigMap', 'PersistentVolumeClaim', 'StatefulSet', 'Widget'])
const binding = (of: Partial<ClaimBinding> = {}): ClaimBinding => ({
  namespace: undefined,
  values: new Map(),
  isNamespaced: (_, kind) => NAMESPACED.has(kind),
  ...of,
})
const setOf = (...texts: string[]) => new ClaimSet(texts, binding())

const refOf = (name: string, namespace = 'team') => ({ kind: 'Module', namespace, name })

/** Everywhere at one revision, unless said otherwise. */
function unit(name: string, claims: readonly string[], of: Partial<ClaimingUnit> = {}): ClaimingUnit {
  const set = setOf(...claims)
  return {
    ref: refOf(name),
    createdAt: '2026-01-02T00:00:00Z',
    aim: set,
    admitted: set,
    kept: [set],
    unread: undefined,
    takesFrom: [],
    ...of,
  }
}

const X: ObjectReference = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'x' }
const TEXT = 'ConfigMap shop/x'
const SHOP: ObjectReference = { group: '', kind: 'Namespace', name: 'shop' }
const giver = refOf('giver')

const view = (of: Partial<Claims>): Claims => ({
  holder: giver,
  own: [],
  units: [],
  unsettled: [],
  foreign: [],
  ...of,
})
const handedTo = (name: string, inherited = false): ClaimFate => ({
  type: 'HandOver',
  to: refOf(name),
  inherited,
})

const fates: readonly [string, ObjectReference, Partial<Claims>, ClaimFate][] = [
  ['no other unit has it', X, {}, { type: 'Delete' }],
  ['another unit has something else', X, { units: [unit('a', ['ConfigMap shop/y'])] }, { type: 'Delete' }],
  ['another unit has it', X, { units: [unit('a', [TEXT])] }, handedTo('a')],
  [
    'another unit has it in an older revision',
    X,
    { units: [unit('a', [], { kept: [setOf(), setOf(TEXT)] })] },
    handedTo('a'),
  ],
  ['another revision of its own has it', X, { own: [setOf(TEXT)] }, { type: 'Stay' }],
  [
    'its own next revision has it, and another unit too',
    X,
    { own: [setOf(TEXT)], units: [unit('a', [TEXT])] },
    { type: 'Stay' },
  ],
  [
    'a unit that lists the giver comes first',
    X,
    { units: [unit('a', [TEXT]), unit('z', [TEXT], { takesFrom: [giver] })] },
    handedTo('z'),
  ],
  [
    'then one that insists',
    X,
    { units: [unit('a', [TEXT], { aim: setOf() }), unit('b', [TEXT], { admitted: undefined })] },
    handedTo('b'),
  ],
  [
    'then a deployed one',
    X,
    { units: [unit('a', [TEXT], { admitted: undefined }), unit('b', [TEXT])] },
    handedTo('b'),
  ],
  [
    'then the older one',
    X,
    { units: [unit('a', [TEXT]), unit('b', [TEXT], { createdAt: '2026-01-01T00:00:00Z' })] },
    handedTo('b'),
  ],
  ['then by name', X, { units: [unit('b', [TEXT]), unit('a', [TEXT])] }, handedTo('a')],
  [
    'who creates it only where it is missing gets nothing',
    X,
    { units: [unit('a', [`${TEXT} IfNotPresent`])] },
    { type: 'Orphan', for: refOf('a') },
  ],
  [
    'who owns it comes before',
    X,
    { units: [unit('a', [`${TEXT} IfNotPresent`]), unit('b', [TEXT])] },
    handedTo('b'),
  ],
  [
    'a name with an unknown binding may be it',
    X,
    { units: [unit('a', [], { kept: [new ClaimSet(['ConfigMap shop/$(NAME)'], binding())] })] },
    { type: 'Wait', because: 'Binding', of: refOf('a'), detail: 'NAME' },
  ],
  [
    'a name with a known binding is it, or is not',
    X,
    {
      units: [
        unit('a', [], {
          kept: [
            new ClaimSet(
              ['ConfigMap shop/$(NAME)'],
              binding({ values: new Map([['NAME', { value: 'y' }]]) }),
            ),
          ],
        }),
      ],
    },
    { type: 'Delete' },
  ],
  [
    'a revision cannot be read',
    X,
    { units: [unit('a', [], { unread: 'a-123' })] },
    { type: 'Wait', because: 'Unread', of: refOf('a'), detail: 'a-123' },
  ],
  [
    'a spec is not published',
    X,
    { unsettled: [refOf('a')] },
    { type: 'Wait', because: 'Unpublished', of: refOf('a') },
  ],
  [
    'a known claim does not wait for that',
    X,
    { unsettled: [refOf('a')], units: [unit('b', [TEXT])] },
    handedTo('b'),
  ],
  ['a Namespace is claimed', SHOP, { units: [unit('a', ['Namespace shop'])] }, handedTo('a')],
  ['a Namespace is used', SHOP, { units: [unit('a', [TEXT])] }, handedTo('a', true)],
  [
    'a Namespace is used for a name that is unknown',
    SHOP,
    { units: [unit('a', ['ConfigMap shop/$(NAME)'])] },
    handedTo('a', true),
  ],
  ['a Namespace is not used', SHOP, { units: [unit('a', ['ConfigMap other/x'])] }, { type: 'Delete' }],
  [
    "an object that can be made again is another namespace's too",
    X,
    { foreign: [unit('a', [TEXT], { ref: refOf('a', 'others') })] },
    { type: 'Delete' },
  ],
  ...(['PersistentVolumeClaim', 'StatefulSet'] as const).map(
    (kind): [string, ObjectReference, Partial<Claims>, ClaimFate] => [
      `a ${kind} is another namespace's too`,
      { group: kind === 'StatefulSet' ? 'apps' : '', kind, namespace: 'shop', name: 'x' },
      {
        foreign: [
          unit('a', [`${kind === 'StatefulSet' ? 'apps/' : ''}${kind} shop/x`], {
            ref: refOf('a', 'others'),
          }),
        ],
      },
      { type: 'Wait', because: 'ForeignClaim', of: refOf('a', 'others') },
    ],
  ),
  [
    'a Namespace is used by another namespace',
    SHOP,
    { foreign: [unit('a', [TEXT], { ref: refOf('a', 'others') })] },
    { type: 'Wait', because: 'ForeignUse', of: refOf('a', 'others') },
  ],
]

describe('what becomes of an object that its holder would delete', () => {
  it.each(fates)('%s', (_, ref, of, fate) => {
    const contents = ref.kind === 'Namespace' ? { namespace: ref.name } : undefined
    expect(fateOf({ ref, contents }, view(of))).toEqual(fate)
  })

  it('is the same in whatever order the others are known', () => {
    const units = [unit('b', [TEXT]), unit('a', [TEXT]), unit('c', [TEXT], { takesFrom: [giver] })]
    const answers = [units, [...units].reverse()].map((of) =>
      fateOf({ ref: X, contents: undefined }, view({ units: of })),
    )
    expect(answers[0]).toEqual(answers[1])
  })

  it('is decided by the claims of objects without namespace as the cluster has them', () => {
    const claims = new ClaimSet(['ConfigMap x', 'Namespace shop'], binding({ namespace: 'shop' }))
    const units = [unit('a', [], { kept: [claims] })]
    const of = (ref: ObjectReference) => fateOf({ ref, contents: undefined }, view({ units }))
    expect(of(X)).toEqual(handedTo('a'))
    expect(of(SHOP)).toEqual(handedTo('a'))
    expect(of({ group: '', kind: 'ConfigMap', name: 'x' })).toEqual({ type: 'Delete' })
  })
})

const own = unit('own', [TEXT])
const lists = (name: string) => ({ takesFrom: [refOf(name)] })

const decisions: readonly [string, ClaimingUnit, ClaimingUnit | undefined, HolderDecision][] = [
  ['its Module is gone', own, undefined, 'Take'],
  ['it does not want it any more', own, unit('other', []), 'Take'],
  ['it wants it, too', own, unit('other', [TEXT]), 'Wait'],
  ['it may want it', own, unit('other', [], { aim: undefined, kept: [], unread: 'other-1' }), 'Wait'],
  ['it is listed', unit('own', [TEXT], lists('other')), unit('other', [TEXT]), 'Take'],
  ['it lists this one', own, unit('other', [TEXT], lists('own')), 'HandedOver'],
  [
    'both list each other',
    unit('own', [TEXT], lists('other')),
    unit('other', [TEXT], lists('own')),
    'HandedOver',
  ],
  ['this one is moving to a revision without it', unit('own', [TEXT], { aim: setOf() }), undefined, 'Yield'],
]

describe('what a unit does with an object of its bundle that another one holds', () => {
  it.each(decisions)('%s', (_, unitOfBundle, holder, decision) => {
    expect(holderDecision(X, unitOfBundle, holder)).toBe(decision)
  })
})
