import { expect, it } from 'vitest'
import { nextClusterIdentity } from './clusteridentity.ts'

const at = (uid: string, objectUid: string) => ({ uid, objectUid })

it.each([
  ['first contact', undefined, at('1', 'a'), undefined, at('1', 'a')],
  ['the same', at('1', 'a'), at('1', 'a'), undefined, at('1', 'a')],
  ['another object for the same cluster', at('1', 'a'), at('1', 'b'), undefined, at('1', 'b')],
  ['the object leads elsewhere: a mistake', at('1', 'a'), at('2', 'a'), undefined, at('1', 'a')],
  ['… that a person accepts', at('1', 'a'), at('2', 'a'), '2', at('2', 'a')],
  ['… another one than was accepted', at('1', 'a'), at('3', 'a'), '2', at('1', 'a')],
  ['an object that was made anew: a new cluster', at('1', 'a'), at('2', 'b'), undefined, at('2', 'b')],
  [
    'written down without the object: nobody knows whether it was made anew',
    { uid: '1', objectUid: undefined },
    at('2', 'b'),
    undefined,
    { uid: '1', objectUid: undefined },
  ],
])('%s', (_, known, seen, accepted, expected) => {
  expect(nextClusterIdentity(known, seen, accepted)).toEqual(expected)
})
