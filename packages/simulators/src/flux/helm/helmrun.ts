/** What the parts of a run of a HelmRelease share. */
import type { FluxController } from '../fluxcontext.ts'
import type { HelmReleaseSpec } from '../fluxkind.ts'
import type { After } from '../fluxqueue.ts'
import type { FluxSubject } from '../fluxsubject.ts'
import type { Patcher } from '../patcher.ts'

export interface HelmRun {
  readonly c: FluxController
  readonly subject: FluxSubject
  readonly patcher: Patcher
  readonly spec: HelmReleaseSpec
}

/** How a run ended: what comes next, and whether its generation counts as observed. */
export interface HelmEnd {
  readonly after: After
  readonly observed: boolean
}

export const failing: HelmEnd = { after: 'backoff', observed: false }
export const again: HelmEnd = { after: 'backoff', observed: false }
export const stalled: HelmEnd = { after: 'done', observed: true }
