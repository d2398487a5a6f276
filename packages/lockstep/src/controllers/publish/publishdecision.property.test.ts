import { expect, it } from 'vitest'
import { publishInputs } from '../../../../../test/arbitrary/arbitrarymodule.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { jsonEqual } from '../../../../kube/src/object/index.ts'
import { reasonTable } from '../../api/reasons/reasontable.ts'
import { buildOrder } from '../../decisions/order/buildorder.ts'
import { decidePublish } from './publishdecision.ts'

it('a module is published or says why not, whatever its spec and its source', () => {
  decidesAlike(publishInputs, decidePublish, {
    'with one of the reasons, and a message': (_, decision) => {
      if (decision.ok) return
      expect(Object.keys(reasonTable)).toContain(decision.error.reason)
      expect(decision.error.message.length).toBeGreaterThan(10)
    },
    'nothing new only where something was published': ({ current }, decision) => {
      if (decision.ok && decision.value.type === 'unchanged') expect(current).toBeDefined()
    },
    'as a new revision whose bundle has objects and an order': ({ module, current }, decision) => {
      if (!decision.ok || decision.value.type === 'unchanged') return
      const { bundle, revision } = decision.value
      expect(revision.revision).not.toBe(current?.revision)
      if (bundle) expect(buildOrder(bundle.objects).ok).toBe(true)
      if (bundle && !module.spec.apply.allowEmpty) expect(bundle.objects.length).toBeGreaterThan(0)
    },
    'with its inputs and bundle kept while release and source stay as they are written': (
      { module, current },
      decision,
    ) => {
      const isFrozen =
        current !== undefined &&
        module.spec.release !== undefined &&
        jsonEqual([module.spec.release, module.spec.source], [current.release, current.spec.source])
      if (!isFrozen || !decision.ok || decision.value.type === 'unchanged') return
      const { bundle, revision } = decision.value
      expect(bundle).toBeUndefined()
      expect([revision.inputs, revision.bundle]).toEqual([current.inputs, current.bundle])
    },
  })
})
