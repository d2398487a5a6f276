import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../../../../kube/src/object/index.ts'
import { promotedValue } from './promotedvalue.ts'

const valueFor = (valueExpr: string | undefined, revision = '6.0.1', more: Record<string, JsonValue> = {}) =>
  promotedValue({ marker: true, ...(valueExpr === undefined ? {} : { valueExpr }) }, 2, {
    edits: [],
    files: [],
    marker: 'a:b:prod',
    revision,
    facts: { identity: 'podinfo', environment: 'prod', epoch: 7, ...more },
    where: 'o/r@main',
  })

describe('promotedValue', () => {
  it.each([
    [undefined, '6.0.1'],
    ['revision', '6.0.1'],
    ["'v' + revision", 'v6.0.1'],
    ["identity + '-' + environment + '-' + string(epoch)", 'podinfo-prod-7'],
    ["revision.split('.')[0]", '6'],
    ['images.app', 'ghcr.io/a/app'],
  ])('%s: %s', (expression, value) => {
    expect(valueFor(expression, '6.0.1', { images: { app: 'ghcr.io/a/app' } })).toEqual({ ok: true, value })
  })

  it.each([
    ['epoch', 'edits[2].valueExpr: must give a string, not int; correct the expression'],
    ['revision +', /^edits\[2\]\.valueExpr: 1:11: Syntax error: .*; correct the expression$/],
    ['revison', /^edits\[2\]\.valueExpr: 1:1: undeclared reference to 'revison' .*; correct the expression$/],
    ["revision.split('.')[9]", 'edits[2].valueExpr: index out of bounds: 9; correct the expression'],
    ['odd', 'edits[2].valueExpr: its value is no text; correct the expression'],
  ])('%s does not compile, or gives no text', (expression, message) => {
    const made = valueFor(expression, '6.0.1', { odd: 1 })
    expect(made).toEqual({
      ok: false,
      error: {
        reason: 'InvalidExpression',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      },
    })
  })

  it.each([
    [
      "revision + '\\n'",
      '6.0.1',
      'edits[2].valueExpr: its value has the character U+000A at 6, and cannot be written; correct the expression',
    ],
    ["''", '6.0.1', 'edits[2].valueExpr: its value is empty, and cannot be written; correct the expression'],
    [
      undefined,
      'a\tb',
      'the revision "a\\tb" has the character U+0009 at 2, and cannot be written; give edits[2].valueExpr',
    ],
  ])('%s cannot be written', (expression, revision, message) => {
    expect(valueFor(expression, revision)).toEqual({ ok: false, error: { reason: 'EditRefused', message } })
  })
})
