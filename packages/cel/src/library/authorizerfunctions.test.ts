import { describe, expect, it } from 'vitest'
import { compile, freshBudget } from '../program/celprogram.ts'
import { anything } from '../program/celschema.ts'
import type { AccessQuestion } from './authorizerfunctions.ts'
import { authorizerValue, requestResourceValue } from './authorizerfunctions.ts'
import { LIBRARY_TYPES } from './parsesignature.ts'

const DECLARED = {
  object: anything,
  authorizer: { ...anything, type: LIBRARY_TYPES.authorizer! },
  'authorizer.requestResource': { ...anything, type: LIBRARY_TYPES.resourcecheck! },
}

/** Evaluates with an authorizer that allows `get`, and remembers what it was asked. */
function run(text: string) {
  const asked: AccessQuestion[] = []
  const ask = (q: AccessQuestion) => {
    asked.push(q)
    return { allowed: q.verb === 'get', reason: `asked for ${q.verb}` }
  }
  const program = compile(text, DECLARED)
  if (!program.ok) return { asked, wrong: program.error.map((p) => p.message) }
  const budget = freshBudget()
  const bindings = {
    object: 'get',
    authorizer: authorizerValue(ask),
    'authorizer.requestResource': requestResourceValue(ask, { resource: 'pods', namespace: 'n', name: 'p' }),
  }
  const result = program.value.evaluate(bindings, budget)
  return { asked, value: result.ok ? result.value : result.error.message, cost: 10_000_000 - budget.left }
}

const whole = { verb: 'get', group: '', resource: '', subresource: '', namespace: '', name: '' }

describe('authorizer', () => {
  it.each([
    ["authorizer.path('/healthz').check('get').allowed()", { ...whole, path: '/healthz' }],
    [
      "authorizer.group('apps').resource('deployments').subresource('scale').namespace('n').name('d').check('get').allowed()",
      { ...whole, group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'n', name: 'd' },
    ],
    [
      "authorizer.serviceAccount('n', 'bot').group('').resource('pods').check(object).allowed()",
      { ...whole, resource: 'pods', account: { namespace: 'n', name: 'bot' } },
    ],
    [
      "authorizer.requestResource.subresource('log').check('get').allowed()",
      { ...whole, resource: 'pods', subresource: 'log', namespace: 'n', name: 'p' },
    ],
  ])('%s', (text, question) => {
    expect(run(text)).toMatchObject({ value: true, asked: [question] })
  })

  it('says why, and asks nothing before it is told the verb', () => {
    expect(run("authorizer.path('/x').check('put').reason()")).toMatchObject({ value: 'asked for put' })
    expect(run("authorizer.path('/x') == authorizer.path('/y')").asked).toEqual([])
    expect(run("authorizer.path('/x').check('put').errored()")).toMatchObject({ value: false })
  })

  it('costs so much that two questions fit into an expression', () => {
    const question = "authorizer.path('/x').check('get').allowed()"
    expect(run(`${question} && ${question}`)).toMatchObject({ value: true })
    expect(run(`${question} && ${question} && ${question}`)).toMatchObject({
      value: 'operation cancelled: actual cost limit exceeded',
    })
    expect(run(question).cost).toBeGreaterThan(350_000)
  })

  it.each([
    [
      "authorizer.check('get')",
      "found no matching overload for 'check' applied to 'kubernetes.authorization.Authorizer.(string)'",
    ],
    [
      "authorizer.group('x').check('get')",
      "found no matching overload for 'check' applied to 'kubernetes.authorization.GroupCheck.(string)'",
    ],
    ['authorizer.other', "undefined field 'other'"],
  ])('is refused: %s', (text, problem) => {
    expect(run(text).wrong).toEqual([problem])
  })

  it('is no account with a name that none has', () => {
    expect(run("authorizer.serviceAccount('N', 'x').path('/').check('get').allowed()")).toMatchObject({
      value: 'Invalid service account namespace: N',
    })
  })
})
