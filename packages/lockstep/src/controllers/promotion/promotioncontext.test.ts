import { expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { pipelineSpec } from '../../api/kinds/pipeline/spec.ts'
import { silent } from '../../decisions/promotion/promotion.cases.ts'
import { promotionView } from '../cache/promotionhistory.ts'
import { heldBack, promotionContextOf } from './promotioncontext.ts'

const spec = pipelineSpec.parse({
  identity: 'app',
  appRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'app' },
  environments: [{ name: 'prod', targets: [{ namespace: 'prod' }], promotion: { strategy: 'manual' } }],
})
const [prod] = spec.environments
const promotion = (epoch: number, revision: string, phase: string) => ({
  metadata: { namespace: 'ns', name: `app-prod-${epoch}` },
  spec: { identity: 'app', environment: 'prod', epoch, revision, settings: prod!.promotion! },
  status: { phase, since: '1970-01-01T00:01:00Z' },
})
const done = promotion(1, 'v2', 'Succeeded')
const open = promotion(2, 'v3', 'Open')
const hub = { promotions: { store: { by: () => [done, open] } } } as never

function held(
  state: 'Ready' | 'Unreadable',
  revision: string,
  { left, arrived = 'app-prod-1', nowMs = 0 }: { left?: string; arrived?: string; nowMs?: number } = {},
) {
  const target = { namespace: 'prod', cluster: undefined, state, revision, blocker: silent }
  const status = {
    environments: [
      {
        name: 'prod',
        arrived,
        left,
        targets: [{ namespace: 'prod', ready: true, revision: 'v2' }],
      },
    ],
  }
  const pipeline = { metadata: { namespace: 'ns', name: 'app' }, spec, status }
  const around = promotionContextOf({ hub }, open as never, pipeline as never, prod!, {
    targets: [target as never],
    sources: [],
    consents: { holds: [], approvals: [] },
    nowMs,
  })
  return heldBack({ env: createSimEnv('held') }, promotionView(open as never), around)?.blocker.on?.[0]?.name
}

it('nothing is merged over what was led elsewhere, or may have been: before anybody has made a Hold of that', () => {
  expect(held('Ready', 'v2')).toBeUndefined()
  expect(held('Ready', 'v1')).toBe('app-prod-1-left')
  expect(held('Unreadable', 'v2')).toBe('podinfo')
  // It was said, and somebody has deleted it.
  expect(held('Ready', 'v1', { left: 'app-prod-1' })).toBeUndefined()
})

it('nor over what is elsewhere right after a success, before anybody can know whether it was there', () => {
  const arrived = 'app-prod-0'
  expect(held('Ready', 'v1', { arrived, nowMs: 100_000 })).toBe('app-prod-1-left')
  expect(held('Ready', 'v2', { arrived, nowMs: 100_000 })).toBeUndefined()
  expect(held('Ready', 'v1', { arrived, nowMs: 180_000 })).toBeUndefined()
})
