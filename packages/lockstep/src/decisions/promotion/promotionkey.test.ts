import { describe, expect, it } from 'vitest'
import { branchEpoch, branchName, keyOfPromotion, type PromotionId, promotionName } from './promotionkey.ts'
import { keyInBody, messageOf, promotionMarker, trailersOf, withKey } from './trailers.ts'

const id: PromotionId = { identity: 'podinfo', environment: 'prod', epoch: 7, revision: '6.0.1' }
const key = keyOfPromotion(id)

describe('the key of a promotion', () => {
  it('is the digest of its four parts, and nothing else', () => {
    // printf 'v1\npodinfo\nprod\n7\n6.0.1' | sha256sum
    expect(key).toBe('e4c7044568fe81b0efd8b0b0489df0eae39c75648403cea5c453193bda57b29f')
  })

  it('keeps apart what names alone do not', () => {
    const names = [
      { ...id, identity: 'a-b', environment: 'c' },
      { ...id, identity: 'a', environment: 'b-c' },
    ].map(promotionName)
    expect(new Set(names).size).toBe(2)
    expect(names[0]!.slice(0, -8)).toBe(names[1]!.slice(0, -8))
  })

  it('names an object and a branch', () => {
    expect(promotionName(id)).toBe(`podinfo-prod-7-${key.slice(0, 8)}`)
    expect(branchName(id)).toBe(`lockstep/podinfo/prod/7-${key.slice(0, 8)}`)
    expect(branchEpoch(branchName(id))).toEqual({ identity: 'podinfo', environment: 'prod', epoch: 7 })
  })

  it.each([
    'main',
    'lockstep/podinfo/prod',
    'lockstep/podinfo/prod/0-12345678',
    'lockstep/a/b/1-1234567',
    'x/lockstep/a/b/1-12345678',
  ])('branch %s is none of ours', (name) => expect(branchEpoch(name)).toBeUndefined())
})

describe('what a promotion is recognised by', () => {
  it('a commit, by its trailers', () => {
    expect(messageOf(id)).toBe(
      `Promote podinfo to 6.0.1 in prod\n\nLockstep-Promotion: ${key}\nLockstep-Environment: prod\nLockstep-Revision: 6.0.1\nLockstep-Epoch: 7\n`,
    )
    expect(trailersOf(messageOf(id))).toEqual({ key, environment: 'prod', revision: '6.0.1', epoch: 7 })
  })

  it('also where a squash has indented them below its own text', () => {
    const squashed = `Promote podinfo (#7)\n\n* ${messageOf(id).trimEnd().replaceAll('\n', '\n  ')}\n\nCo-authored-by: A <a@example.com>\n`
    expect(trailersOf(squashed)).toMatchObject({ key, epoch: 7 })
  })

  it('not by a text that only speaks of it', () => {
    expect(trailersOf('Revert "Promote podinfo"\n\nThis reverts commit 1234.')).toBeUndefined()
    expect(trailersOf('Lockstep-Promotion: 1234')).toBeUndefined()
  })

  it('a pull request, by the end of its body, whatever people write above it', () => {
    const body = withKey('Please look at this.', key)
    expect(body).toBe(`Please look at this.\n\n${promotionMarker(key)}`)
    expect(keyInBody(`${body}\n\nlgtm`)).toBe(key)
    expect(keyInBody('nothing')).toBeUndefined()
  })

  it('another key takes the place of the one before', () => {
    const other = keyOfPromotion({ ...id, epoch: 8 })
    const body = withKey(withKey('text', key), other)
    expect(keyInBody(body)).toBe(other)
    expect(body).not.toContain(key)
  })
})
