import { expect, it } from 'vitest'
import { createSimEnv } from '../sim/simenv.ts'
import { ProblemLog } from './problemlog.ts'

it('a problem has a line when it begins, when its reason changes, and when it ends', async () => {
  const env = createSimEnv('problems')
  const problems = new ProblemLog(env)
  problems.end('a', 'Well', 'a is back')
  problems.begin('a', 'Away', 'a is away', { of: 'x' })
  problems.begin('a', 'Away', 'a is still away')
  env.clock.at(env.clock.steady() + 5000, () => {})
  await env.clock.run(() => false, 5000)
  problems.begin('a', 'Refused', 'a refuses')
  problems.begin('b', 'Away', 'b is away')
  problems.forget('b')
  problems.end('b', 'Well', 'b is back')
  problems.end('a', 'Well', 'a is back')
  problems.end('a', 'Well', 'a is back')
  expect(env.lines).toEqual([
    { level: 'warn', message: 'a is away', fields: { reason: 'Away', of: 'x' } },
    { level: 'warn', message: 'a refuses', fields: { reason: 'Refused' } },
    { level: 'warn', message: 'b is away', fields: { reason: 'Away' } },
    { level: 'info', message: 'a is back', fields: { reason: 'Well', took: 5 } },
  ])
})
