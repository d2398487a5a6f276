import { expect, it } from 'vitest'
import { ClaimSet } from '../../decisions/ownership/index.ts'
import { ClusterClaims } from './clusterclaims.ts'

const X = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'x' }
const ref = { kind: 'Module', namespace: 'team', name: 'own' } as const
const giver = { kind: 'Module', namespace: 'team', name: 'giver' } as const
const set = new ClaimSet(['ConfigMap shop/x'], {
  namespace: undefined,
  values: new Map(),
  isNamespaced: () => true,
})
const own = {
  ref,
  createdAt: '',
  aim: set,
  admitted: set,
  kept: [set],
  unread: undefined,
  takesFrom: [giver],
}
const claims = (takes: boolean): ClusterClaims =>
  new ClusterClaims({ holder: ref, own: [], units: [], unsettled: [], foreign: [] }, own, takes)

it('a Module that is being deleted takes nothing, though its removal has not begun', () => {
  expect(claims(true).holderDecision(X, giver)).toBe('Take')
  expect(claims(true).takesFrom(X, giver, false)).toBe(true)
  expect(claims(false).holderDecision(X, giver)).toBe('Wait')
  expect(claims(false).takesFrom(X, giver, false)).toBe(false)
})
