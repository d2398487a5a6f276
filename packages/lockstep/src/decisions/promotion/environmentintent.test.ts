import { describe, expect, it } from 'vitest'
import {
  askedWithoutPromotion,
  type EnvironmentIntent,
  type IntentDueInput,
  intentDue,
  isSourceAt,
  keepSource,
  rollbackIntent,
  type SourceObservation,
} from './environmentintent.ts'
import { silent } from './promotion.cases.ts'

const PROD = { pipeline: { namespace: 'platform', name: 'podinfo' }, environment: 'prod' }
const dev = (revision: string | undefined): SourceObservation => ({
  name: 'dev',
  unreachable: undefined,
  unsettled: undefined,
  settled: revision === undefined ? undefined : { revision },
})
const due = (o: Partial<IntentDueInput>) =>
  intentDue({
    pipeline: PROD.pipeline,
    environment: 'prod',
    intent: undefined,
    sources: [dev('v2')],
    request: undefined,
    floor: { epoch: 0, revision: undefined },
    ...o,
  })
const intentAfter = (
  before: EnvironmentIntent | undefined,
  o: Partial<IntentDueInput>,
): EnvironmentIntent | undefined => {
  const found = due({ intent: before, ...o })
  return found.type === 'Bump' ? found.intent : before
}

describe('another epoch is due', () => {
  it('when what is settled where revisions come from is another', () => {
    expect(due({})).toEqual({
      type: 'Bump',
      isStated: false,
      intent: { epoch: 1, revision: 'v2', source: 'v2' },
    })
    const intent = { epoch: 1, revision: 'v2', source: 'v2' }
    expect(due({ intent })).toEqual({ type: 'None', isAsked: false, blockers: [] })
    expect(due({ intent, sources: [dev('v3')] })).toMatchObject({ intent: { epoch: 2, revision: 'v3' } })
  })

  it('v1, v2, v1, v2: four epochs, none skipped', () => {
    let intent: EnvironmentIntent | undefined
    const epochs = ['v1', 'v2', 'v1', 'v2'].map((r) => {
      intent = intentAfter(intent, { sources: [dev(r)] })
      return [intent?.epoch, intent?.revision]
    })
    expect(epochs).toEqual([
      [1, 'v1'],
      [2, 'v2'],
      [3, 'v1'],
      [4, 'v2'],
    ])
  })

  it('when the key of the intent was used before: the same again, whatever its source says now; newer news are newer', () => {
    const intent = { epoch: 3, revision: 'v1', source: 'v2', requestID: 'r1', asked: true }
    const again = { type: 'Bump', isStated: true, intent: { ...intent, epoch: 4 } }
    expect(due({ intent, isSpent: true })).toEqual(again)
    expect(due({ intent, isSpent: true, sources: [dev(undefined)] })).toEqual(again)
    expect(due({ intent, isSpent: true, floor: { epoch: 6, revision: 'v1' } })).toMatchObject({
      intent: { epoch: 7, revision: 'v1' },
    })
    expect(due({ intent, isSpent: true, sources: [dev('v3')] })).toMatchObject({
      intent: { epoch: 4, revision: 'v3' },
    })
    expect(due({ intent, isSpent: true, request: { id: 'r2', revision: 'v5' } })).toMatchObject({
      intent: { epoch: 4, revision: 'v5', requestID: 'r2' },
    })
  })

  it('when the epoch of the intent was that of another revision: its number is spent', () => {
    const intent = { epoch: 1, revision: 'v2', source: 'v2' }
    expect(due({ intent, floor: { epoch: 1, revision: 'v1' } })).toMatchObject({
      intent: { epoch: 2, revision: 'v2' },
    })
    expect(due({ intent, floor: { epoch: 1, revision: 'v2' } })).toMatchObject({ type: 'None' })
    expect(due({ intent, floor: { epoch: 1, revision: undefined } })).toMatchObject({ type: 'None' })
  })

  it('not before something is settled, nor where several sources differ; and that is said', () => {
    expect(due({ sources: [dev(undefined)] })).toMatchObject({
      type: 'None',
      isAsked: false,
      blockers: [{ reason: 'SourceNotSettled' }],
    })
    expect(due({ sources: [dev('v2'), { ...dev('v1'), name: 'qa' }] })).toMatchObject({
      type: 'None',
      blockers: [
        { reason: 'RevisionsDiffer', message: 'sources of environment prod differ: dev at v2; qa at v1' },
      ],
    })
  })

  it('of a source that is out of reach it is said that nothing new comes from there', () => {
    const unreachable = silent
    const blockers = [
      {
        reason: 'SourceUnreachable',
        on: unreachable.on,
        facts: { because: 'NoAnswer', environments: ['dev'] },
      },
    ]
    const intent = { epoch: 1, revision: 'v2', source: 'v2' }
    expect(due({ intent, sources: [{ ...dev('v2'), unreachable }] })).toMatchObject({
      type: 'None',
      blockers,
    })
    expect(due({ sources: [{ ...dev(undefined), unreachable }] })).toMatchObject({ type: 'None', blockers })
  })

  it('when somebody asks, once for each id', () => {
    const intent = { epoch: 1, revision: 'v2', source: 'v2' }
    const asked = intentAfter(intent, { request: { id: 'r1', revision: undefined } })
    expect(asked).toEqual({ epoch: 2, revision: 'v2', source: 'v2', requestID: 'r1', asked: true })
    expect(due({ intent: asked, request: { id: 'r1', revision: undefined } })).toMatchObject({ type: 'None' })
  })

  it('an id that is spent is kept, and no later epoch was asked for with it', () => {
    const intent = { epoch: 2, revision: 'v2', source: 'v2', requestID: 'r1', asked: true }
    const request = { id: 'r1', revision: undefined }
    const later = { epoch: 3, revision: 'v3', source: 'v3', requestID: 'r1' }
    expect(intentAfter(intent, { sources: [dev('v3')], request })).toEqual(later)
    const without = intentAfter(intent, { sources: [dev('v3')] })
    expect(without).toEqual(later)
    expect(due({ intent: without, sources: [dev('v3')], request })).toMatchObject({ type: 'None' })
  })

  it('with a revision that is stated no source has to be settled, and an unchanged one starts nothing afterwards', () => {
    const request = { id: 'r1', revision: 'v0' }
    const stated = due({ sources: [dev('v2')], request })
    expect(stated).toMatchObject({
      isStated: true,
      intent: { revision: 'v0', source: 'v2', requestID: 'r1', stated: true },
    })
    const intent = stated.type === 'Bump' ? stated.intent : undefined
    expect(due({ intent, request })).toEqual({ type: 'None', isAsked: false, blockers: [] })
    expect(due({ sources: [dev(undefined)], request })).toMatchObject({ type: 'Bump' })
  })

  it('a request without a revision waits, readably, for something to be settled', () => {
    expect(due({ sources: [dev(undefined)], request: { id: 'r1', revision: undefined } })).toMatchObject({
      blockers: [{ reason: 'SourceNotSettled', message: 'waiting for environment dev: no settled revision' }],
    })
  })
})

describe('whoever asks in vain is told why', () => {
  it('where no environment is before it, and no revision is named', () => {
    const request = { id: 'r1', revision: undefined }
    const message =
      'Pipeline podinfo: lockstep.dev/request.prod: no environment comes before it; name a revision, such as r1=6.0.1'
    const told = { type: 'None', isAsked: true, blockers: [{ reason: 'InvalidAnnotation', message }] }
    expect(due({ sources: [], request })).toMatchObject(told)
    expect(due({ sources: [] })).toEqual({ type: 'None', isAsked: false, blockers: [] })
    const intent = { epoch: 1, revision: 'v1', requestID: 'r1' }
    expect(due({ sources: [], request, intent })).toEqual({ type: 'None', isAsked: false, blockers: [] })
  })

  it('where nothing is ever promoted', () => {
    const request = { id: 'r1', revision: 'v1' }
    expect(askedWithoutPromotion(PROD, request, undefined)).toMatchObject([
      {
        reason: 'InvalidAnnotation',
        message:
          'Pipeline podinfo: lockstep.dev/request.prod: the environment has no promotion; set it, or remove the annotation',
      },
    ])
    const intent = { epoch: 1, revision: 'v1', requestID: 'r1' }
    expect(askedWithoutPromotion(PROD, request, intent)).toEqual([])
    expect(askedWithoutPromotion(PROD, undefined, undefined)).toEqual([])
  })
})

describe('after a restore', () => {
  it('an epoch that was lost here is taken up again where it was for this very revision', () => {
    const floor = { epoch: 5, revision: 'v2' }
    expect(due({ floor })).toMatchObject({ intent: { epoch: 5, revision: 'v2' } })
    expect(due({ floor, intent: { epoch: 3, revision: 'v2', source: 'v2' } })).toMatchObject({
      intent: { epoch: 5 },
    })
  })

  it('an id that the newest Promotion that was asked for has is spent, and is kept', () => {
    const request = { id: 'r1', revision: 'v1' }
    const o = { lastAsked: { epoch: 3, id: 'r1' }, floor: { epoch: 4, revision: 'v2' } }
    const spent = { epoch: 4, revision: 'v2', source: 'v2', requestID: 'r1' }
    expect(due({ ...o, request })).toEqual({ type: 'Bump', isStated: false, intent: spent })
    expect(due(o)).toMatchObject({ intent: spent })
    const intent = { epoch: 2, revision: 'v0', source: 'v0', requestID: 'r0' }
    expect(due({ ...o, intent })).toMatchObject({ intent: spent })
    expect(due({ ...o, request, sources: [dev(undefined)] })).toMatchObject({ type: 'None', isAsked: false })
    expect(due({ ...o, request: { id: 'r2', revision: 'v1' } })).toMatchObject({
      isStated: true,
      intent: { epoch: 5, revision: 'v1', requestID: 'r2', asked: true },
    })
  })

  it('one that was asked for is taken up again as that, and nothing else of its id', () => {
    const o = { lastAsked: { epoch: 3, id: 'r1' }, floor: { epoch: 3, revision: 'v1' } }
    const asked = { epoch: 3, revision: 'v1', requestID: 'r1', asked: true }
    expect(due({ ...o, request: { id: 'r1', revision: 'v1' } })).toMatchObject({
      isStated: true,
      intent: { ...asked, source: 'v2', stated: true },
    })
    const settled = { id: 'r1', revision: undefined }
    expect(due({ ...o, request: settled, sources: [dev('v1')] })).toMatchObject({ intent: asked })
    expect(due({ ...o, request: settled })).toEqual({
      type: 'Bump',
      isStated: false,
      intent: { epoch: 4, revision: 'v2', source: 'v2', requestID: 'r1' },
    })
  })

  it('and else is left behind', () => {
    expect(due({ floor: { epoch: 5, revision: 'v1' } })).toMatchObject({ intent: { epoch: 6 } })
    expect(due({ floor: { epoch: 5, revision: undefined } })).toMatchObject({ intent: { epoch: 6 } })
  })
})

describe('a rollback', () => {
  const to = { revision: 'v1', release: undefined }

  it('is another epoch of the same source, so that nothing follows it by itself', () => {
    const intent = { epoch: 4, revision: 'v2', source: 'v2' }
    const failed = { name: 'podinfo-prod-4-x', revision: 'v2', epoch: 4 }
    const back = rollbackIntent(intent, to, failed, { epoch: 4, revision: 'v2' })
    expect(back).toEqual({ epoch: 5, revision: 'v1', source: 'v2', rollbackOf: 'podinfo-prod-4-x' })
    expect(due({ intent: back })).toEqual({ type: 'None', isAsked: false, blockers: [] })
    expect(due({ intent: back, sources: [dev('v3')] })).toMatchObject({
      intent: { epoch: 6, revision: 'v3' },
    })
  })

  it('to a release has that, too', () => {
    const failed = { name: 'podinfo-prod-4-x', revision: 'v2', epoch: 4 }
    const intent = { epoch: 4, revision: 'v2', source: 'v2', release: '2026.11' }
    const back = rollbackIntent(intent, { ...to, release: '2026.10' }, failed, { epoch: 4, revision: 'v2' })
    expect(back).toMatchObject({ revision: 'v1', release: '2026.10' })
  })

  it('what waited behind the failure is due once more after it', () => {
    const failed = { name: 'podinfo-prod-4-x', revision: 'v2', epoch: 4 }
    const intent = { epoch: 5, revision: 'v3', source: 'v3' }
    const back = rollbackIntent(intent, to, failed, { epoch: 5, revision: 'v3' })
    expect(back).toEqual({ epoch: 6, revision: 'v1', source: 'v2', rollbackOf: failed.name })
    expect(due({ intent: back, sources: [dev('v3')] })).toMatchObject({
      intent: { epoch: 7, revision: 'v3' },
    })
  })
})

describe('the source of a revision that somebody states', () => {
  const at = (revision: string | undefined) => ({ revision })

  it('is what is settled there, unless a read of its targets says something else', () => {
    expect(isSourceAt('v2', [at('v2'), at('v2')])).toBe(true)
    expect(isSourceAt('v2', [at('v2'), at('v3')])).toBe(false)
    expect(isSourceAt('v2', [at(undefined)])).toBe(true)
    expect(isSourceAt(undefined, [at('v3')])).toBe(false)
  })

  it('stays what it was then, so that the same is not new after that', () => {
    const before = { epoch: 2, revision: 'v2', source: 'v2' }
    const stated = { epoch: 3, revision: 'v1', source: 'v1', requestID: 'r1', asked: true, stated: true }
    expect(keepSource(stated, before)).toEqual({ ...stated, source: 'v2' })
    expect(due({ intent: keepSource(stated, before) })).toMatchObject({ type: 'None' })
    expect(keepSource(stated, undefined)).not.toHaveProperty('source')
  })
})
