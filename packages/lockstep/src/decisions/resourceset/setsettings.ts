/** What annotations ask of a ClusterResourceSet: they stay where a definition is replaced, which drops fields it does not know. */

import { blocked, type NewBlocker } from '../../api/blocker.ts'
import {
  type ClusterResourceSet,
  type DependsOnEdge,
  SET,
  SET_STRATEGIES,
  type SetMode,
} from '../../api/kinds/index.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import { SET_API_VERSION } from '../graph/index.ts'
import type { Amount } from '../rollout/policy.ts'
import {
  amount,
  anyText,
  duration,
  edgesOf,
  faulty,
  nameOfSet,
  oneOf,
  type SettingFault,
  type SettingReader,
  yesOrNo,
} from './settingreader.ts'

/** Of a setting that means nothing in the mode, whatever is written, this is its default. */
export interface SetSettings {
  readonly mode: SetMode
  /** Longest time between two checks. */
  readonly intervalMs: number
  readonly prune: boolean
  readonly allowEmpty: boolean
  readonly drift: 'Revert' | 'Report' | 'Ignore'
  readonly deletionPolicy: 'Orphan' | 'Delete'
  /** Graph: one over all sources. Listed: a source after the one before it is healthy. */
  readonly ordering: 'Graph' | 'Listed'
  readonly healthTimeoutMs: number
  readonly dependsOn: readonly DependsOnEdge[]
  /** Of the clusters; a percentage is at least one. */
  readonly maxUnavailable: Amount
  /** What is there before our first write. */
  readonly existing: 'Keep' | 'Take' | 'Fail'
  /** Another value applies everything once more. */
  readonly reapply: string | undefined
  /** The set whose objects this one inherits. */
  readonly takeOverFrom: string | undefined
  readonly write: 'Apply' | 'MergePatch'
  readonly replaceImmutable: boolean
}

export interface SettingProblem extends NewBlocker {
  /** Its name, or `spec.strategy`. */
  readonly annotation: string
}

/** A set, as facts refer to it. */
export const setObjectRef = ({
  metadata: { namespace = '', name = '' },
}: Pick<ClusterResourceSet, 'metadata'>): WaitRefOf<'Object'> => ({
  kind: 'Object',
  name,
  namespace,
  object: { apiVersion: SET_API_VERSION, kind: 'ClusterResourceSet' },
})

/** What decides whether anything is done at all; known whatever else is wrong. */
export interface SetSwitches {
  /** Undefined: the value is bad, so that the set is neither taken over nor handed back. */
  readonly managed: boolean | undefined
  /** Also where the value is bad. */
  readonly paused: boolean
  readonly assumeInactive: boolean
}

export interface ReadSettings {
  /** Undefined while there are problems: those that were valid last stay in force. */
  readonly settings: SetSettings | undefined
  readonly problems: readonly SettingProblem[]
  readonly switches: SetSwitches
}

const interval = duration('30s', '24h')
/** As `Module.spec.health.timeoutSeconds`. */
const healthTimeout = duration('1s', '8760h')
const drift = oneOf('Revert', 'Report', 'Ignore')
const deletionPolicy = oneOf('Orphan', 'Delete')
const ordering = oneOf('Graph', 'Listed')
const existing = oneOf('Keep', 'Take', 'Fail')
/** What is left to others cannot be looked after. */
const existingLookedAfter: SettingReader<'Take' | 'Fail'> = (text) =>
  text === 'Keep'
    ? faulty(text, 'Continuous manages every object that it delivers; write Take or Fail')
    : oneOf('Take', 'Fail')(text)
const write = oneOf('Apply', 'MergePatch')

/** A value that is bad is never taken for the default. What means nothing in the mode is not looked at. */
export function settingsOf(set: ClusterResourceSet): ReadSettings {
  const annotations = new Annotations(set)
  const switches = annotations.switches()
  const mode = annotations.mode(set.spec.strategy)
  const settings = mode && annotations.settings(mode)
  const { problems } = annotations
  return { settings: problems.length === 0 ? settings : undefined, problems, switches }
}

/** Of a set on which nothing is annotated. */
export const defaultsOf = (mode: SetMode): SetSettings => new Annotations({ metadata: {} }).settings(mode)

/** What it is asked to be; a mode that is none is none that anybody can build on. */
export const modeOf = (set: ClusterResourceSet): SetMode =>
  new Annotations(set).mode(set.spec.strategy) ?? 'ApplyOnce'

/** Collects what is wrong while it reads. */
class Annotations {
  readonly problems: SettingProblem[] = []
  private readonly name: string | undefined
  private readonly ref: WaitRefOf<'Object'>
  private readonly texts: Readonly<Record<string, string>>

  constructor({ metadata }: Pick<ClusterResourceSet, 'metadata'>) {
    this.name = metadata.name
    this.ref = setObjectRef({ metadata })
    this.texts = metadata.annotations ?? {}
  }

  switches(): SetSwitches {
    const paused = this.texts[SET.paused]
    return {
      managed: this.texts[SET.managed] === undefined ? false : this.optional(SET.managed, yesOrNo),
      paused: paused === undefined ? false : (this.optional(SET.paused, yesOrNo) ?? true),
      assumeInactive: this.read(SET.assumeInactive, yesOrNo, false),
    }
  }

  /** The annotation wins; upstream's webhook defaults the field, and where it is not, nobody does. */
  mode(strategy: string | undefined): SetMode | undefined {
    const read = oneOf(...SET_STRATEGIES)
    if (this.texts[SET.mode] !== undefined) return this.optional(SET.mode, read)
    const found = read(strategy || 'ApplyOnce')
    if (found.ok) return found.value
    this.say('spec.strategy', { ...found.error, error: `${found.error.error}, or set ${SET.mode}` })
    return undefined
  }

  settings(mode: SetMode): SetSettings {
    const isContinuous = mode === 'Continuous'
    /** What only some modes look at. */
    const only = <T>(holds: boolean, annotation: string, read: SettingReader<T>, otherwise: T): T =>
      holds ? this.read(annotation, read, otherwise) : otherwise
    return {
      mode,
      intervalMs: this.read(SET.interval, interval, 600_000),
      prune: only(isContinuous, SET.prune, yesOrNo, false),
      allowEmpty: only(isContinuous, SET.allowEmpty, yesOrNo, false),
      drift: only(isContinuous, SET.drift, drift, 'Revert'),
      deletionPolicy: only(isContinuous, SET.deletionPolicy, deletionPolicy, 'Orphan'),
      ordering: only(isContinuous, SET.ordering, ordering, 'Graph'),
      healthTimeoutMs: only(isContinuous, SET.healthTimeout, healthTimeout, 600_000),
      dependsOn: only<readonly DependsOnEdge[]>(isContinuous, SET.dependsOn, edgesOf, []),
      maxUnavailable: this.read<Amount>(SET.maxUnavailable, amount, isContinuous ? '10%' : '100%'),
      existing: this.read(
        SET.existing,
        isContinuous ? existingLookedAfter : existing,
        mode === 'ApplyOnce' ? 'Keep' : 'Take',
      ),
      reapply: this.optional(SET.reapply, anyText),
      takeOverFrom: isContinuous ? this.predecessor() : undefined,
      write: only(mode === 'Reconcile', SET.write, write, 'Apply'),
      replaceImmutable: only(mode !== 'ApplyOnce', SET.replaceImmutable, yesOrNo, false),
    }
  }

  private predecessor(): string | undefined {
    const name = this.optional(SET.takeOverFrom, nameOfSet)
    if (name === undefined || name !== this.name) return name
    this.say(SET.takeOverFrom, {
      value: JSON.stringify(name),
      error: 'is this ClusterResourceSet itself; name another',
    })
    return undefined
  }

  private read<T>(annotation: string, read: SettingReader<T>, otherwise: T): T {
    return this.optional(annotation, read) ?? otherwise
  }

  private optional<T>(annotation: string, read: SettingReader<T>): T | undefined {
    const text = this.texts[annotation]
    if (text === undefined) return undefined
    const found = read(text)
    if (found.ok) return found.value
    this.say(annotation, found.error)
    return undefined
  }

  private say(annotation: string, fault: SettingFault): void {
    const facts = { annotation, path: fault.path, value: fault.value, error: fault.error }
    this.problems.push({ annotation, ...blocked('InvalidSetting', [this.ref], facts) })
  }
}
