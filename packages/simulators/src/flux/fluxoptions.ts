/** What the simulated Flux may be told. Everything has the default of Flux's own flags and feature gates. */
import type { FluxKind, SimulatedUnitKind } from './fluxkind.ts'

/** The versions whose source code the simulation follows. */
export const FLUX = {
  sourceController: '1.9.4',
  kustomizeController: '1.9.4',
  helmController: '1.6.3',
  helm: '4.2.4',
} as const

export interface FluxGates {
  /** Built-in checks beside `readyExpr`, not instead of them. */
  readonly AdditiveCELDependencyCheck: boolean
  /** Sources are read from the API server, not from the cache. */
  readonly DirectSourceFetch: boolean
  readonly StrictPostBuildSubstitutions: boolean
  readonly DisableFailFastBehavior: boolean
  readonly DisableConfigWatchers: boolean
}

/** How long things take, milliseconds. */
export interface FluxDelays {
  /** From an event to the run. */
  readonly notice: number
  /** One request of a controller to the API server. */
  readonly request: number
  /** The source-controller asks a Git or OCI server. */
  readonly pull: number
  /** An artifact is fetched and built. */
  readonly build: number
  /** One object is applied. */
  readonly apply: number
  /** Health is looked at again (`ssa.WaitOptions`). */
  readonly poll: number
}

/** A write of a controller to the status of an object of Flux, before it is made. */
export interface StatusWrite {
  /** 1, 2, 3, … over all objects. */
  readonly n: number
  readonly kind: FluxKind
  readonly namespace: string
  readonly name: string
  /** The helper writes conditions first, metadata next, the rest of the status last. */
  readonly part: 'conditions' | 'metadata' | 'status'
}

export interface FluxOptions {
  /** Names the random stream: equal names and seeds give equal runs. */
  readonly name: string
  readonly gates?: Partial<FluxGates>
  readonly delays?: Partial<FluxDelays>
  /** `--requeue-dependency`. */
  readonly requeueDependencyMs?: number
  /** `--concurrent`, of each controller. */
  readonly concurrent?: number
  /** `--interval-jitter-percentage`, as a part of 1. */
  readonly jitter?: number
  /** How far what a controller knows of objects of a kind is behind the API server. */
  readonly lagMs?: (kind: FluxKind, reader: SimulatedUnitKind | 'source') => number
  /** Whether a status write fails. */
  readonly refuse?: (write: StatusWrite) => boolean
}

export type FluxSettings = Required<Omit<FluxOptions, 'gates' | 'delays'>> & {
  readonly gates: FluxGates
  readonly delays: FluxDelays
}

export const settingsOf = (o: FluxOptions): FluxSettings => ({
  requeueDependencyMs: 30_000,
  concurrent: 4,
  jitter: 0.05,
  lagMs: () => 0,
  refuse: () => false,
  ...o,
  gates: {
    AdditiveCELDependencyCheck: false,
    DirectSourceFetch: false,
    StrictPostBuildSubstitutions: true,
    DisableFailFastBehavior: false,
    DisableConfigWatchers: false,
    ...o.gates,
  },
  delays: { notice: 5, request: 2, pull: 200, build: 50, apply: 10, poll: 5000, ...o.delays },
})
