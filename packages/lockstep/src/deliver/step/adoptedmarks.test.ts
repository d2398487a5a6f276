import { describe, expect, it } from 'vitest'
import type { MarkedObject } from '../ownership/markedobjects.ts'
import { adoptedMarks, type MarksQuestion } from './adoptedmarks.ts'
import type { Stamp } from './stamp.ts'

const stamp: Stamp = { hub: 'hub', inventory: 'lost', serial: 7, contentDigest: 'd', revision: 'r' }
const marked = (name: string, inventory: string | undefined, unit = 'm.team-a.web'): MarkedObject => ({
  ref: { group: '', kind: 'ConfigMap', namespace: 'default', name },
  uid: name,
  unit,
  inventory,
})
const objects = [
  marked('a', 'lost'),
  marked('b', 'other'),
  marked('c', 'own'),
  marked('d', undefined),
  marked('e', 'lost', 'm.team-a.shop'),
]

const ask = (of: Partial<MarksQuestion>) =>
  adoptedMarks({
    unit: 'm.team-a.web',
    inventory: 'own',
    known: new Set(['own', 'third']),
    marked: objects,
    stamp: undefined,
    hub: 'hub',
    fromHub: undefined,
    ...of,
  })

describe('objects that a person adopts by their marks', () => {
  it.each<[string, Partial<MarksQuestion>, string[], Partial<Stamp> | undefined]>([
    ['the stamp is lost', {}, ['a', 'b'], undefined],
    ['the stamp names the Inventory', { stamp: { ...stamp, inventory: 'own' } }, ['a', 'b'], undefined],
    ['the stamp names a lost Inventory', { stamp }, ['a'], { inventory: 'own', hub: 'hub', serial: 0 }],
    [
      'the stamp names a lost hub',
      { stamp: { ...stamp, hub: 'gone' }, fromHub: 'gone' },
      ['a'],
      { inventory: 'own', hub: 'hub', serial: 0 },
    ],
    [
      'the stamp names a lost hub, and no Inventory exists yet',
      { stamp: { ...stamp, hub: 'gone' }, fromHub: 'gone', inventory: undefined },
      ['a'],
      { inventory: 'lost', hub: 'hub', serial: 0 },
    ],
    ['the controller rebuilds it', { stamp, inventory: undefined }, [], undefined],
    ['nothing was ever deployed', { inventory: undefined, marked: [] }, [], undefined],
    ['a hub is named that no stamp names', { fromHub: 'gone' }, ['a', 'b'], undefined],
  ])('%s', (_, of, names, next) => {
    const answer = ask(of)
    expect(answer).toMatchObject({ type: 'adopt', ...(next ? { stamp: next } : {}) })
    if (answer.type !== 'adopt') return
    expect(answer.objects.map((o) => o.uid)).toEqual(names)
    expect(answer.stamp === undefined).toBe(next === undefined)
  })

  it.each<[string, Partial<MarksQuestion>, string]>([
    ['another hub is at work', { stamp: { ...stamp, hub: 'gone' } }, 'add --from-hub gone'],
    ['another hub is named', { stamp: { ...stamp, hub: 'gone' }, fromHub: 'x' }, 'add --from-hub gone'],
    ['the Inventory of the stamp exists', { stamp: { ...stamp, inventory: 'third' } }, 'lockstep status'],
    ['neither an Inventory nor a stamp exists', { inventory: undefined }, 'when the unit is assigned'],
  ])('are refused: %s', (_, of, suggestion) => {
    expect(ask(of)).toMatchObject({ type: 'refused', suggestion: expect.stringContaining(suggestion) })
  })
})
