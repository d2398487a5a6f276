import { describe, expect, it } from 'vitest'
import { idProblem, promotionRequestOf, requestText } from './promotionrequest.ts'

const asked = (text: string) => promotionRequestOf({ 'lockstep.dev/request.prod': text }, 'prod')

describe('a request', () => {
  it('names an id, and a revision where it is not what is settled', () => {
    expect(asked('r1')).toEqual({ ok: true, value: { id: 'r1', revision: undefined } })
    expect(asked('r1=6.0.1')).toEqual({ ok: true, value: { id: 'r1', revision: '6.0.1' } })
    expect(asked('r1=main@sha1:ab=c')).toMatchObject({ value: { revision: 'main@sha1:ab=c' } })
  })

  it('of another environment is none', () => {
    expect(promotionRequestOf({ 'lockstep.dev/request.dev': 'r1' }, 'prod')).toEqual({
      ok: true,
      value: undefined,
    })
    expect(promotionRequestOf(undefined, 'prod')).toEqual({ ok: true, value: undefined })
  })

  it.each(['', '=6.0.1', 'r 1', 'r1=', '-r'])('%j is refused, with what to write', (text) => {
    const read = asked(text)
    expect(read.ok).toBe(false)
    expect(read.ok ? '' : read.error).toMatch(/write .*r1/)
  })

  it('has an id that cannot be taken for id and revision', () => {
    expect(idProblem('build-7')).toBeUndefined()
    expect(idProblem('a=b')).toBe('"a=b" is no id; write letters, digits, -, _ and .')
  })

  it('is written as it is read', () => {
    for (const text of ['r1', 'r1=6.0.1']) {
      const read = asked(text)
      expect(read.ok && read.value && requestText(read.value)).toBe(text)
    }
  })
})
