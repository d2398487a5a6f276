import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NOW, oldUnitStatus, unitReports } from '../../../../../test/arbitrary/arbitrarystatus.ts'
import { units } from '../../../../../test/arbitrary/arbitraryunit.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { InventoryStatus } from '../../api/kinds/inventory/status.ts'
import type { UnitScope } from './unitscope.ts'
import { inventoryStatus } from './unitstatus.ts'

const scopes = fc.tuple(units, oldUnitStatus, fc.boolean()).map(([input, status, isAdmitted]) => {
  const { admitted, ...rest } = input.inventory.spec
  const spec = isAdmitted ? { ...rest, admitted } : rest
  return { inventory: { ...input.inventory, spec, status }, record: undefined } as Pick<
    UnitScope,
    'inventory' | 'record'
  >
})

it('a unit has a status, whatever is reported', () => {
  decidesAlike(fc.tuple(scopes, unitReports), ([scope, report]) => inventoryStatus(scope, report, NOW), {
    'that says one of ready, reconciling and stalled, as reported': ([, report], status) => {
      const isTrue = status.conditions!.filter((c) => c.status === 'True').map((c) => c.type)
      const expected = { Ready: 'Ready', Failed: 'Stalled' }[report.state] ?? 'Reconciling'
      expect(isTrue.filter((t) => ['Ready', 'Stalled', 'Reconciling'].includes(t))).toEqual([expected])
      expect(status.blockers?.length ?? 0).toBe(Math.min(10, report.blockers.length))
    },
    'that is verified only where all was delivered at this gate digest': (
      [{ inventory }, report],
      status,
    ) => {
      const { admitted } = inventory.spec
      const isTold = report.health !== undefined && admitted !== undefined
      const was = inventory.status?.verifiedGateDigest
      if (isTold && report.delivered) expect(status.verifiedGateDigest).toBe(admitted.gateDigest)
      else if (isTold && was !== admitted.gateDigest) expect(status.verifiedGateDigest).toBeUndefined()
      else expect(status.verifiedGateDigest).toBe(was)
    },
    'that says of waves what is reported of what is admitted, and takes it back where nothing is known': (
      [scope, report],
      status,
    ) => {
      const { spec, status: old } = scope.inventory
      const said = ({ doneBeforeWave, admittedSerial }: Partial<InventoryStatus>) => [
        doneBeforeWave,
        admittedSerial,
      ]
      if (report.health === undefined || !spec.admitted) expect(said(status)).toEqual(said(old ?? {}))
      else expect(said(status)).toEqual([report.doneBeforeWave, spec.admitted.serial])
      const disowned = inventoryStatus(scope, { ...report, health: undefined, disowned: true }, NOW)
      if (spec.admitted) expect(said(disowned)).toEqual([undefined, spec.admitted.serial])
    },
    'that is the same for the same report, however late': ([scope, report], status) => {
      const later = { ...scope, inventory: { ...scope.inventory, status } }
      expect(inventoryStatus(later, report, '2026-06-01T00:00:00Z')).toEqual(status)
    },
  })
})
