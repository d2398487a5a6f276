/** Modules × clusters: pure, for `status` and the demo. */

import { type Stored, short10 } from '@lockstep/kube/object'
import { z } from 'zod'
import type { Module } from '../../../api/kinds/index.ts'
import { fleetRevision, unitRevision } from '../../../decisions/rollout/index.ts'
import type { Color } from '../terminal/index.ts'
import { pinsOf } from './pins.ts'
import {
  clusterState,
  type FleetSnapshot,
  goneClusterOf,
  inOrder,
  inventoryOf,
  isSelected,
  predecessorOf,
} from './snapshot.ts'

export const cellState = z.enum(['ready', 'moving', 'waiting', 'failed', 'leaving', 'unreachable', 'none'])
export type CellState = z.output<typeof cellState>

export interface MatrixCell {
  readonly state: CellState
  /** What is there: the admitted release, or the beginning of its revision. */
  readonly version: string
  /** It is not yet what is published. */
  readonly isOld: boolean
  /** Its cluster is in no inventory any more: the cell is not counted. */
  readonly isGone?: true
}

export interface MatrixRow {
  readonly module: Stored<Module>
  readonly cells: readonly MatrixCell[]
}

export const GLYPHS: Readonly<Record<CellState, string>> = {
  ready: '✔',
  moving: '◐',
  waiting: '⏸',
  failed: '✗',
  leaving: '◐',
  unreachable: '?',
  none: '·',
}

export const COLORS: Readonly<Record<CellState, Color>> = {
  ready: 'green',
  moving: 'cyan',
  waiting: 'yellow',
  failed: 'red',
  leaving: 'cyan',
  unreachable: 'red',
  none: 'dim',
}

export function matrixOf(s: FleetSnapshot, clusters: readonly string[]): MatrixRow[] {
  return inOrder(s.modules).map((module) => ({
    module,
    cells: clusters.map((cluster) => cellOf(s, module, cluster)),
  }))
}

const NONE: MatrixCell = { state: 'none', version: '', isOld: false }

export function cellOf(s: FleetSnapshot, module: Stored<Module>, cluster: string): MatrixCell {
  const view = s.clusters.find((c) => c.name === cluster)
  const isWanted = view ? isSelected(module, view) : module.spec.targets?.hub === true
  const inventory = inventoryOf(s, module.metadata.name, cluster)
  const isGoing = module.metadata.deletionTimestamp !== undefined
  if (!inventory) return isWanted && !isGoing ? { state: 'waiting', version: '', isOld: true } : NONE
  const { admitted } = inventory.spec
  const version = admitted ? (admitted.release ?? admitted.revision.replace(/^v1:/, '').slice(0, 7)) : ''
  const target = fleetRevision(module.status)
  const isOld = admitted === undefined || admitted.revision !== target
  const isAtTarget = admitted !== undefined && isMeantToBeAt(s, module, cluster, admitted.revision)
  const at = (state: CellState): MatrixCell => ({ state, version, isOld })
  if (goneClusterOf(s, cluster)) return { ...at('unreachable'), isGone: true }
  const ledger = module.status?.rollout?.ledger?.find((e) => e.cluster === cluster)
  if (isGoing || !isWanted) return at(ledger?.failed === undefined ? 'leaving' : 'failed')
  if (['Connecting', 'Unreachable', 'Refused', 'Missing'].includes(clusterState(s, cluster).state))
    return at('unreachable')
  // What is there is another's, and goes.
  if (predecessorOf(s, module, cluster)) return { state: 'waiting', version: '', isOld: true }
  const { status } = inventory
  if (status?.state === 'Failed' || (ledger?.failed !== undefined && isAtTarget)) return at('failed')
  if (!isAtTarget || status?.state === 'Blocked') return at('waiting')
  const isDone = status?.state === 'Ready' && status.admittedSerial === admitted?.serial
  return at(isDone ? 'ready' : status?.state === 'Waiting' ? 'waiting' : 'moving')
}

/** The revision is that of the pin, of the Module, or the one that `updates: Once` keeps. */
function isMeantToBeAt(s: FleetSnapshot, module: Stored<Module>, cluster: string, deployed: string): boolean {
  const pin = pinsOf(s, module).find((p) => p.clusters.includes(cluster))?.hold.spec.revision
  return pin === undefined
    ? deployed === unitRevision(module, cluster, deployed)
    : short10(deployed) === short10(pin)
}

/** Deployed and target version of a unit; empty without a Module. */
export function versionsAt(s: FleetSnapshot, module: Stored<Module> | undefined, cluster: string) {
  if (!module) return { has: '', wants: '' }
  const { spec, status } = module
  const revision = status?.currentRevision?.replace(/^v1:/, '').slice(0, 7)
  return { has: cellOf(s, module, cluster).version, wants: status?.release ?? spec.release ?? revision ?? '' }
}
