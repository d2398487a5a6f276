/**
 * Health rules are data: what a kind's own status says, and what it means. The constructors only save words; what they
 * give is plain JSON, read by `../health/tablehealth.ts`.
 */
import type { HealthProfile, HealthState } from '../state/healthstate.ts'

export interface KindRules {
  /** `cert-manager.io`, or `*.crossplane.io`: that group and those below it. */
  readonly group: string
  readonly kinds: '*' | readonly string[]
  /** In the order in which they are asked; the first that is true speaks. If none is, the generic part does. */
  readonly rules: readonly KindRule[]
  /** Only in this profile. */
  readonly profile?: HealthProfile
}

export interface KindRule {
  /** Absent: always. */
  readonly when?: RuleTest
  readonly state: HealthState
  /**
   * A text with `{…}` in it: `{condition.message}` or `{condition.reason}` of the condition that the test has found,
   * `{conditions.Ready.reason}` of another one, a path such as `{status.phase}`, `{status.message|what to say without}`, or
   * CEL that gives a text. Absent: `{condition.message}`.
   */
  readonly message?: string
}

/** What is asked of an object; all members that are there have to hold. */
export interface RuleTest {
  /**
   * Conditions by type and status: `Ready=False`, `Synced=False/ReconcileError|Paused` with one of these reasons,
   * `Ready!=True`, `Ready` for one of any status, `!Ready` for one that is not there; several with ` & ` between. The first
   * is the one that messages mean.
   */
  readonly conditions?: string
  /** The value at the path is one of these texts, numbers or booleans; none of them: it is absent, null or empty. */
  readonly path?: string
  readonly in?: readonly (string | number | boolean)[]
  /** The conditions found are about an older generation; without `conditions` the status is, or any condition. */
  readonly isStale?: true
  /** CEL over `object`, `metadata`, `spec` and `status`; the last two are empty where they are absent. */
  readonly cel?: string
}

/** By conditions, as in `Test.conditions`. */
export const on = (conditions: string, state: HealthState, message?: string): KindRule => ({
  when: { conditions },
  state,
  ...(message === undefined ? {} : { message }),
})

/** By CEL. */
export const when = (cel: string, state: HealthState, message = ''): KindRule => ({
  when: { cel },
  state,
  message,
})

type ValueWords = Readonly<Partial<Record<HealthState, readonly (string | number | boolean)[]>>>

/** By the word at a path: `words('status.phase', { Healthy: ['Running'] })`. The message is the word itself. */
export const words = (path: string, meaning: ValueWords, message = `{${path}}`): KindRule[] =>
  Object.entries(meaning).map(([state, values]) => ({
    when: { path, in: values },
    state: state as HealthState,
    message,
  }))

/** Nothing is at the path yet. */
export const absent = (path: string, state: HealthState, message = ''): KindRule => ({
  when: { path, in: [] },
  state,
  message,
})

/** Its controller has not seen the last change. */
export const stale = (message: string): KindRule => ({
  when: { isStale: true },
  state: 'Progressing',
  message,
})

/**
 * Kinds without `status.observedGeneration` whose condition is known to be written again after every change. Not all are:
 * an ACME issuer that stays registered keeps its condition, and so do some of Crossplane's resources.
 */
export const observedBy = (condition: string, group: string, kinds: KindRules['kinds']): KindRules => ({
  group,
  kinds,
  profile: 'Lockstep',
  rules: [
    {
      when: { conditions: condition, isStale: true },
      state: 'Progressing',
      message: `${condition} is about an older generation`,
    },
  ],
})

export const otherwise = (state: HealthState, message = ''): KindRule => ({ state, message })
