import { expect, it } from 'vitest'
import { pipelineSpec } from '../../api/kinds/pipeline.ts'
import { createSimEnv } from '../../env/sim/sim.ts'
import { circumstancesOf, heldBack, viewOf } from './circumstances.ts'

const spec = pipelineSpec.parse({
  ...{ identity: 'app', appRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'app' } },
  environments: [{ name: 'prod', targets: [{ namespace: 'prod' }], promotion: { strategy: 'manual' } }],
})
const [prod] = spec.environments
const promotion = (epoch: number, revision: string, phase: string) => ({
  metadata: { namespace: 'ns', name: `app-prod-${epoch}` },
  spec: { identity: 'app', environment: 'prod', epoch, revision, settings: prod!.promotion! },
  status: { phase },
})
const done = promotion(1, 'v2', 'Succeeded')
const open = promotion(2, 'v3', 'Open')
const hub = { promotions: { store: { by: () => [done, open] } } } as never

function held(state: 'Ready' | 'Unreadable', revision: string, left?: string) {
  const target = { namespace: 'prod', cluster: undefined, state, revision, message: 'cluster eu is silent' }
  const status = {
    environments: [
      {
        name: 'prod',
        arrived: 'app-prod-1',
        left,
        targets: [{ namespace: 'prod', ready: true, revision: 'v2' }],
      },
    ],
  }
  const pipeline = { metadata: { namespace: 'ns', name: 'app' }, spec, status }
  const around = circumstancesOf({ hub }, open as never, pipeline as never, prod!, {
    ...{ targets: [target as never], consents: { holds: [], approvals: [] }, nowMs: 0 },
  })
  return heldBack({ env: createSimEnv('held') }, viewOf(open as never), around)?.text
}

it('nothing is merged over what was led elsewhere, or may have been: before anybody has made a Hold of that', () => {
  expect(held('Ready', 'v2')).toBeUndefined()
  expect(held('Ready', 'v1')).toBe('Hold app-prod-1-left')
  expect(held('Unreadable', 'v2')).toBe('prod: cluster eu is silent')
  // It was said, and somebody has deleted it.
  expect(held('Ready', 'v1', 'app-prod-1')).toBeUndefined()
})
