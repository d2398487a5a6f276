import { describe, expect, it } from 'vitest'
import { requestErrorText } from './requesterror.ts'
import { statusErrorFromResponse } from './statuserror.ts'

const CONTEXT = {
  cluster: 'c1',
  verb: 'get',
  ref: { group: '', version: 'v1', kind: 'Pod', namespace: 'default', name: 'web' },
} as const

const textOf = (status: number, body: string, contentType?: string): string =>
  requestErrorText(
    statusErrorFromResponse(
      CONTEXT,
      status,
      contentType === undefined ? {} : { 'content-type': contentType },
      body,
    ),
  ).replace(/^get .*?web: /, '')

const status = (message: string, more: object = {}): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, ...more })

describe('A16: the text of a server', () => {
  it.each([
    ['text', 'secret-of-the-body', 'text/plain', '(text/plain, 18 bytes, not shown)'],
    [
      'HTML',
      '<html>secret-of-the-body</html>',
      'text/html; charset=utf-8',
      '(text/html, 31 bytes, not shown)',
    ],
    [
      'JSON of another kind',
      '{"message":"secret-of-the-body"}',
      'application/json',
      '(application/json, 32 bytes, not shown)',
    ],
    [
      'cut JSON',
      '{"kind":"Status","message":"secret-of',
      'application/json',
      '(application/json, 37 bytes, not shown)',
    ],
    ['a type that is none', 'x', 'te\u001bxt', '(no content type, 1 bytes, not shown)'],
    ['no type', 'x', undefined, '(no content type, 1 bytes, not shown)'],
    ['nothing', '', 'text/html', '(no body)'],
  ])('is not repeated where it is %s', (_, body, type, shown) => {
    for (const code of [500, 502, 403, 400, 409, 422]) {
      const text = textOf(code, body, type)
      expect(text).toContain(shown)
      expect(text).not.toContain('secret')
    }
    expect(textOf(500, body, type)).toBe(`500 ${shown}`)
  })

  it.each([
    ['ESC and OSC', '\u001b]0;owned\u0007\u001b[2J\u202e', '\\x1b]0;owned\\x07\\x1b[2J\\u202e'],
    ['lines', 'a\nb\tc', 'a\\x0ab\\x09c'],
  ])('of a Status has no %s', (_, message, shown) => {
    expect(textOf(500, status(message))).toBe(`500 ${shown}`)
    expect(textOf(403, status(message))).toBe(shown)
    const causes = [{ field: message, message }]
    expect(textOf(422, status('x', { details: { causes } }))).toBe(`${shown}: ${shown}`)
  })

  it('of a Status of 3 MB is 160 characters', () => {
    for (const unit of ['y', '\u001b']) {
      const message = unit.repeat(3_000_000)
      const causes = [{ field: message, message, reason: 'FieldManagerConflict' }]
      for (const code of [500, 403, 409, 422]) {
        const error = statusErrorFromResponse(CONTEXT, code, {}, status(message, { details: { causes } }))
        const longest = Math.max(
          ...[...JSON.stringify(error).matchAll(/"([^"]*)"/g)].map(
            (m) => m[1]!.replaceAll('\\\\', '\\').length,
          ),
        )
        expect(longest).toBeLessThanOrEqual(160)
      }
    }
  })

  it('of a long refusal keeps who may not do what, and the finding at the end', () => {
    const user = `User "system:serviceaccount:team-a:deliver" cannot list resource "storageclasses" in API group "storage.k8s.io" at the cluster scope`
    expect(textOf(403, status(`storageclasses.storage.k8s.io is forbidden: ${user}`))).toBe(user)
    const denied = `joe may not orphan objects of Module team-a/web (annotation lockstep.dev/orphan-clusters): a role must allow the verb delete on it`
    const policy = `modules.lockstep.dev "web" is forbidden: ValidatingAdmissionPolicy 'lockstep-orphans' with binding 'lockstep-orphans' denied request: ${denied}`
    expect(textOf(403, status(policy))).toBe(denied)
    const message = `Invalid value: ${'x'.repeat(5000)}: field is immutable`
    const causes = [{ field: 'spec.template', message }]
    expect(textOf(422, status('x', { details: { causes } }))).toMatch(
      /^spec\.template: Invalid value: x+…x+: field is immutable$/,
    )
  })
})
