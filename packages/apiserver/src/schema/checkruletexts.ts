import { isArray, isObject, member } from '@lockstep/kube/object'
import { invalid, notSupported, required } from './invalidfield.ts'
import type { RawSchema } from './rawschema.ts'
import { text } from './rawschema.ts'
import { namedField } from './rules/namedfield.ts'
import type { FieldError, Schema } from './schematypes.ts'

const RULES = 'x-kubernetes-validations'
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/** What can be said about CEL rules without compiling them (apiextensions-apiserver `apiextensions/validation`). */
export function checkRuleTexts(s: RawSchema, path: string, out: FieldError[]): void {
  const rules = member(s, RULES)
  if (!isArray(rules)) return
  for (const [i, rule] of rules.entries())
    if (isObject(rule)) checkRule(s, rule, `${path}.${RULES}[${i}]`, out)
}

function checkRule(s: RawSchema, rule: RawSchema, path: string, out: FieldError[]): void {
  const body = text(rule, 'rule').trim()
  const message = text(rule, 'message')
  const shown = message.trim()
  if (body === '') out.push(required(`${path}.rule`, 'rule is not specified'))
  else if (message !== '' && shown === '')
    out.push(invalid(`${path}.message`, message, 'must be non-empty if specified'))
  else if (hasBreak(shown)) out.push(invalid(`${path}.message`, message, 'must not contain line breaks'))
  else if (hasBreak(body) && shown === '')
    out.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'))
  const expression = text(rule, 'messageExpression')
  if (expression !== '' && expression.trim() === '')
    out.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'))
  const reason = member(rule, 'reason')
  if (typeof reason === 'string' && !REASONS.includes(reason))
    out.push(notSupported(`${path}.reason`, reason, REASONS))
  const fieldPath = text(rule, 'fieldPath')
  if (fieldPath !== '' && fieldPath.trim() === '')
    out.push(invalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'))
  if (hasBreak(fieldPath)) out.push(invalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'))
  if (fieldPath !== '' && namedField(fieldPath, s as Schema) === undefined)
    out.push(invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'))
}

const hasBreak = (s: string): boolean => /[\r\n]/.test(s)
