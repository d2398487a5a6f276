import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../test/arbitrary/decision.ts'
import { publishInputs } from '../../test/arbitrary/module.ts'
import { reasons } from '../api/reasons.ts'
import { buildOrder } from '../core/order/build.ts'
import { jsonEqual } from '../object/object.ts'
import { decidePublish } from './publish.ts'

describe('what is published, whatever the module and its source', () => {
  it('is a revision whose bundle has an order, or a reason with a message', () => {
    decidesAlike(publishInputs, decidePublish, ({ module, current }, decision) => {
      if (!decision.ok) {
        expect(Object.keys(reasons)).toContain(decision.error.reason)
        expect(decision.error.message.length).toBeGreaterThan(10)
        return
      }
      if (decision.value.type === 'unchanged') {
        expect(current).toBeDefined()
        return
      }
      const { bundle, revision } = decision.value
      expect(revision.revision).not.toBe(current?.revision)
      if (bundle) expect(buildOrder(bundle.objects).ok).toBe(true)
      if (bundle && !module.spec.apply.allowEmpty) expect(bundle.objects.length).toBeGreaterThan(0)
    })
  })

  it('keeps inputs and bundle while release and source stay as they are written', () => {
    decidesAlike(publishInputs, decidePublish, ({ module, current }, decision) => {
      const isFrozen =
        current !== undefined &&
        module.spec.release !== undefined &&
        jsonEqual([module.spec.release, module.spec.source], [current.release, current.spec.source])
      if (!isFrozen || !decision.ok || decision.value.type === 'unchanged') return
      const { bundle, revision } = decision.value
      expect(bundle).toBeUndefined()
      expect([revision.inputs, revision.bundle]).toEqual([current.inputs, current.bundle])
    })
  })
})
