/** The revision that one unit must reach. Pure. */
import type { Module } from '../../api/kinds/index.ts'
import { fleetRevision, isRolledBack } from './targetrevision.ts'

/** Revision of a unit without a pin: the one of its Module, or what `updates: Once` keeps. `deployed`: the admitted revision. */
export function unitRevision(
  { spec, status }: Pick<Module, 'spec' | 'status'>,
  cluster: string,
  deployed: string | undefined,
): string | undefined {
  const { cause, ledger } = status?.rollout ?? {}
  const rolledBackFrom = cause && isRolledBack(cause) ? status?.currentRevision : undefined
  const isDeploying = ledger?.some((e) => e.cluster === cluster) === true
  const isKept = spec.rollout?.updates === 'Once' && !isDeploying && deployed !== rolledBackFrom
  return (isKept ? deployed : undefined) ?? fleetRevision(status)
}
