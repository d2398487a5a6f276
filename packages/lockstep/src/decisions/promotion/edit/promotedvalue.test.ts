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
    ['epoch', 'edits[2].valueExpr: must give a string, not int'],
    ['revision +', /^edits\[2\]\.valueExpr: 1:11: Syntax error: .*$/],
    ['revison', /^edits\[2\]\.valueExpr: 1:1: undeclared reference to 'revison' .*$/],
    ["revision.split('.')[9]", 'edits[2].valueExpr: index out of bounds: 9'],
    ['odd', 'edits[2].valueExpr: its value is not a string'],
  ])('%s does not compile, or gives no text', (expression, message) => {
    const made = valueFor(expression, '6.0.1', { odd: 1 })
    expect(made).toEqual({
      ok: false,
      error: expect.objectContaining({
        reason: 'InvalidExpression',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    })
  })

  it.each([
    [
      "revision + '\\n'",
      '6.0.1',
      'edits[2].valueExpr in o/r@main: the value cannot be written: has the character U+000A at 6; correct the expression, or set valueExpr',
    ],
    [
      "''",
      '6.0.1',
      'edits[2].valueExpr in o/r@main: the value cannot be written: is empty; correct the expression, or set valueExpr',
    ],
    [
      undefined,
      'a\tb',
      'edits[2].valueExpr in o/r@main: revision "a\\tb" cannot be written: has the character U+0009 at 2; correct the expression, or set valueExpr',
    ],
  ])('%s cannot be written', (expression, revision, message) => {
    expect(valueFor(expression, revision)).toMatchObject({
      ok: false,
      error: { reason: 'EditRefused', message },
    })
  })
})
