/**
 * Traps of the chart (clustergroup 0.9.55) by their names, which stay: `lockstep check clustergroup` tells them. Idle: no trap of
 * the chart, but nothing of it is rendered here.
 */
export type Trap = 'G1' | 'G2' | 'G3' | 'G4' | 'G5' | 'G6' | 'G7' | 'G8' | 'V3' | 'Idle'

/** What belongs to something that is said. */
export interface TrapDetails {
  /** What to do; absent: what is said tells it. */
  readonly todo?: string
  readonly trap?: Trap
}
