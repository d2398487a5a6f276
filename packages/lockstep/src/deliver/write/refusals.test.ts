import { describe, expect, it } from 'vitest'
import type { RequestError } from '../../../../kube/src/client/requesterror.ts'
import type { ObjectReference } from '../../../../kube/src/object/index.ts'
import { deletionRefusal, refusal } from './refusals.ts'

const WITHHELD = 'refused (the text of the server is withheld: the object holds values of a Secret)'

const SECRET: ObjectReference = { group: '', kind: 'Secret', namespace: 'app', name: 'x' }
const VALUE = 'hunter2'
const base = { cluster: 'edge', verb: 'apply', ref: SECRET, wrote: 'no' } as const
const forbidden = (message: string): RequestError => ({ ...base, kind: 'Forbidden', message })
const server = (status: number, message: string): RequestError => ({
  ...base,
  kind: 'Server',
  status,
  message,
})
const invalid = (message: string, cause?: string): RequestError => ({
  ...base,
  kind: 'Invalid',
  message,
  causes: cause === undefined ? [] : [{ field: '.data.password', message: cause }],
})

const RIGHT = 'User "lockstep" cannot patch resource "secrets" in API group "" in the namespace "app"'

describe('a refusal of a Secret', () => {
  it.each<[string, RequestError, string]>([
    [
      'a webhook, 403',
      forbidden(`admission webhook "p.example.com" denied the request: ${VALUE} is too weak`),
      'admission webhook "p.example.com" denied the request',
    ],
    [
      'a policy, 422',
      invalid(
        `secrets "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${VALUE}`,
      ),
      `secrets "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request`,
    ],
    ['a lacking right', forbidden(`secrets "x" is forbidden: ${RIGHT}: RBAC says ${VALUE}`), RIGHT],
    [
      'a quota',
      forbidden(`secrets "x" is forbidden: exceeded quota: few, requested: ${VALUE}`),
      'exceeded quota: few',
    ],
    ['words of anybody, 403', forbidden(`${VALUE} is too weak`), WITHHELD],
    ['words before the policy names itself', forbidden(`${VALUE}: denied the request`), WITHHELD],
    ['causes', invalid('', `Invalid value: ${VALUE}`), 'the text of the server is withheld'],
    ['a server out of order', server(500, `cannot decode ${VALUE}`), WITHHELD],
  ])('%s: says who, and nothing that is in it', (_, error, words) => {
    for (const { message, facts } of [refusal(error, { ref: SECRET }), deletionRefusal(error, SECRET)]) {
      expect(message).not.toContain(VALUE)
      expect(JSON.stringify(facts)).not.toContain(VALUE)
      expect(message).toContain(words)
    }
  })
})

describe('a field that cannot change', () => {
  const ref = { ...SECRET, kind: 'ConfigMap' }
  const said = (cause: string) => refusal(invalid('', cause), { ref })
  it.each([
    [
      'Invalid value: {"a": "b: c", "d": "is immutable: no"}: field is immutable',
      '.data.password is immutable',
    ],
    [
      'Forbidden: field is immutable when `immutable` is set',
      '.data.password: Forbidden: field is immutable when `immutable` is set',
    ],
    ['Invalid value: "x": cannot change roleRef', '.data.password: cannot change roleRef'],
  ])('is named without all that is in it: %s', (cause, words) => {
    expect(said(cause)).toMatchObject({ reason: 'ImmutableField', message: `ConfigMap app/x: ${words}` })
  })

  it('what is not valid is shown: a person looks for it', () => {
    expect(said('Invalid value: 99999: must be between 1 and 65535')).toMatchObject({
      reason: 'ApplyFailed',
      message: 'ConfigMap app/x: .data.password: Invalid value: 99999: must be between 1 and 65535',
    })
  })
})

it('an error of the server is not the content: the write is tried again', () => {
  const ref = { ...SECRET, kind: 'ConfigMap' }
  const because = (e: RequestError) => refusal(e, { ref }).facts?.because
  expect(because(server(500, 'failed calling webhook "p.example.com"'))).toBe('Unavailable')
  expect(because(server(400, 'cannot decode'))).toBe('Refused')
  expect(because(invalid('', 'must be a number'))).toBe('Refused')
})

it('of what a Secret was the source of nothing is told that is in it, whatever it is itself', () => {
  const ref = { ...SECRET, kind: 'ConfigMap' }
  const refused = invalid('', `Invalid value: "${VALUE}"`)
  expect(refusal(refused, { ref, fromSecret: true }).message).toBe(
    'ConfigMap app/x: Invalid at .data.password (the text of the server is withheld: the object holds values of a Secret)',
  )
  expect(refusal(refused, { ref }).message).toContain(VALUE)
  expect(refusal(refused, { ref, fromSecret: true, showsSecrets: true }).message).toContain(VALUE)
})

it('of anything else all is told', () => {
  const ref = { ...SECRET, kind: 'ConfigMap' }
  expect(refusal(forbidden('denied the request: because'), { ref }).message).toBe(
    'ConfigMap app/x: denied the request: because',
  )
  expect(deletionRefusal(forbidden('denied the request: because'), ref).message).toBe(
    'ConfigMap app/x cannot be removed: the cluster refuses it: denied the request: because',
  )
})

it('a credential that is not taken any more says nothing about what is delivered: it is tried again', () => {
  const refused: RequestError = { ...base, kind: 'Unauthorized' }
  expect(refusal(refused, { ref: SECRET })).toMatchObject({ reason: 'ClusterUnreachable', transient: true })
})
