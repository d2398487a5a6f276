import { expect, it } from 'vitest'
import { joinedHeaders, sentHeaders } from './sentheaders.ts'

const impersonate = { user: 'jane', uid: '7', groups: ['dev', 'ops'], extra: { 'Team/Ä%': ['a', 'b'] } }
const headers = { authorization: 'Bearer t' }

it('an endpoint that impersonates names user, uid, groups and extra', () => {
  expect(sentHeaders({ headers, impersonate }, { accept: 'application/json' })).toEqual({
    authorization: 'Bearer t',
    'impersonate-user': 'jane',
    'impersonate-uid': '7',
    'impersonate-group': ['dev', 'ops'],
    'impersonate-extra-team%2F%C3%A4%25': ['a', 'b'],
    accept: 'application/json',
  })
})

it('a request for another user gets no group of the endpoint', () => {
  expect(sentHeaders({ headers, impersonate }, { 'impersonate-user': 'system:serviceaccount:a:b' })).toEqual({
    authorization: 'Bearer t',
    'impersonate-user': 'system:serviceaccount:a:b',
  })
})

it('no groups: no header', () => {
  expect(sentHeaders({ impersonate: { user: 'jane', groups: [] } }, {})).toEqual({
    'impersonate-user': 'jane',
  })
})

it('a server in this process gets the values of one name joined, as from a socket', () => {
  expect(joinedHeaders({ a: ['x', 'y'], b: 'z' })).toEqual({ a: 'x, y', b: 'z' })
})
