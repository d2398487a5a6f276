/** Strategy module: what a promotion writes into the spec of a Module, and what follows from how its Modules are. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { JsonObject } from '@lockstep/kube/object'
import type { GitSource, HelmSource } from '../../api/kinds/index.ts'
import {
  type NewerPromotion,
  type PromotionHold,
  type PromotionState,
  type PromotionStep,
  whileHeld,
} from './promotionstate.ts'

/** Of the Modules that a promotion has written: its key. */
export const PROMOTION_ANNOTATION = 'lockstep.dev/promotion'

export interface ModuleSource {
  readonly git?: { readonly ref: GitSource['ref'] } | undefined
  readonly helm?: Pick<HelmSource, 'version' | 'digest'> | undefined
  readonly [other: string]: unknown
}

export interface ModuleObservation {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly source: ModuleSource
  /** Of its spec. */
  readonly release: string | undefined
  /** The key in its annotation. */
  readonly promotion: string | undefined
}

export interface ModuleVersion {
  readonly revision: string
  /** Undefined: releases are left alone, or the source has none. */
  readonly release: string | undefined
}

export interface ModuleEdit {
  /** Of the spec, and nothing else of it. */
  readonly spec: JsonObject
  /** For people. */
  readonly from: string
  readonly to: string
  /** The spec says it already. */
  readonly isThere: boolean
}

export const moduleVersionOf = (
  { id, settings }: Pick<PromotionState, 'id' | 'settings'>,
  release: string | undefined,
): ModuleVersion => ({
  revision: id.revision,
  release: (settings.module?.release ?? 'Follow') === 'Follow' ? release : undefined,
})

interface ModuleField {
  readonly spec: JsonObject
  readonly from: string
  readonly to: string
}

/**
 * The version field of a Module by its source, and `spec.release` where both sides have one. A source without a version of its
 * own has only the release. The error names what a range, a branch or a name has to become.
 */
export function moduleEdit(module: ModuleObservation, wanted: ModuleVersion): Result<ModuleEdit, string> {
  const { source, release } = module
  const version = versionField(source, wanted.revision)
  if (!version.ok) return err(`${promotedModuleText(module)} ${version.error}`)
  const follows = wanted.release !== undefined && release !== undefined
  if (!version.value && !follows)
    return err(
      `${promotedModuleText(module)} has no version in its source, and there is no release to follow; set spec.release there and where ${wanted.revision} comes from, or use pull-request`,
    )
  const releases: readonly ModuleField[] = follows
    ? [{ spec: { release: wanted.release }, from: release, to: wanted.release }]
    : []
  const fields = [...(version.value ? [version.value] : []), ...releases]
  return ok({
    spec: Object.assign({}, ...fields.map((f) => f.spec)),
    from: fields.map((f) => f.from).join(', release '),
    to: fields.map((f) => f.to).join(', release '),
    isThere: fields.every((f) => f.from === f.to),
  })
}

/** `Module prod/podinfo`. Which of the two kinds it is, its pipeline says. */
export const promotedModuleText = ({
  namespace,
  name,
}: Pick<ModuleObservation, 'namespace' | 'name'>): string => `Module ${namespace}/${name}`

function versionField(
  { git, helm }: ModuleSource,
  revision: string,
): Result<ModuleField | undefined, string> {
  if (git) return gitField(git.ref, revision)
  return helm ? chartField(helm, revision) : ok(undefined)
}

/** Its revisions are `1.18.2@sha256:9b1c…`. Where the version has a digest beside it, both move. */
function chartField(
  { version, digest }: NonNullable<ModuleSource['helm']>,
  revision: string,
): Result<ModuleField, string> {
  if (!/^v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]*)?$/.test(version))
    return err(`follows the range ${version} of a chart; write one version into source.helm.version`)
  const { name, hex } = partsOf(revision)
  if (name === '') return err(`names a version of a chart, and ${revision} has none`)
  const helm = (to: JsonObject) => ({ source: { helm: to } })
  if (digest === undefined) return ok({ spec: helm({ version: name }), from: version, to: name })
  if (hex === '')
    return err(
      `pins its version to a digest, and ${revision} does not say to which; ask for the whole revision, or remove helm.digest`,
    )
  const to = `sha256:${hex}`
  return ok({
    spec: helm({ version: name, digest: to }),
    from: `${version}@${digest}`,
    to: `${name}@${to}`,
  })
}

/** Its revisions are `v2.0.0@sha1:9b1c…` of a tag, and `sha1:9b1c…` of a commit; people ask for `v2.0.0`. */
function gitField(ref: GitSource['ref'], revision: string): Result<ModuleField, string> {
  const { tag, commit } = ref
  const moving = (['semver', 'branch', 'name'] as const).find((k) => ref[k] !== undefined)
  if (moving !== undefined) return err(`follows ${moving} ${ref[moving]}; use ref.tag`)
  const { name, hex } = partsOf(revision)
  const git = (to: JsonObject) => ({ source: { git: { ref: to } } })
  if (tag === undefined) {
    if (hex === '') return err(`names a commit, and ${revision} does not say which; use ref.tag`)
    return ok({ spec: git({ commit: hex }), from: commit ?? '', to: hex })
  }
  if (name === '') return err(`names a tag, and ${revision} has none; use ref.commit`)
  if (commit === undefined) return ok({ spec: git({ tag: name }), from: tag, to: name })
  if (hex === '')
    return err(
      `pins its tag to a commit, and ${revision} does not say to which; ask for the whole revision, or remove ref.commit`,
    )
  return ok({
    spec: git({ tag: name, commit: hex }),
    from: `${tag}@sha1:${commit}`,
    to: `${name}@sha1:${hex}`,
  })
}

/** Empty: it does not say. */
function partsOf(revision: string): { readonly name: string; readonly hex: string } {
  const end = revision.lastIndexOf('@')
  const [, hex] = /^sha(?:1|256):([0-9a-f]{40}|[0-9a-f]{64})$/.exec(revision.slice(end + 1)) ?? []
  return hex === undefined ? { name: revision, hex: '' } : { name: revision.slice(0, Math.max(0, end)), hex }
}

export interface ModuleFound {
  readonly namespace: string
  readonly name: string
  /** Undefined: it is not there. */
  readonly module: ModuleObservation | undefined
}

export interface ModulesInput {
  readonly promotion: PromotionState
  readonly newer: NewerPromotion | undefined
  readonly wanted: ModuleVersion
  /** All of its targets, as they are now. */
  readonly found: readonly ModuleFound[]
  readonly held: PromotionHold | undefined
  readonly nowMs: number
}

/** Modules whose spec does not say it yet. */
export const pendingModules = ({
  found,
  wanted,
}: Pick<ModulesInput, 'found' | 'wanted'>): ModuleObservation[] =>
  found.flatMap(({ module }) => {
    if (!module) return []
    const edit = moduleEdit(module, wanted)
    return edit.ok && edit.value.isThere ? [] : [module]
  })

/** What is written is found again by its key and its fields: the same first try and after any crash. */
export function afterModules({ promotion, newer, wanted, found, held, nowMs }: ModulesInput): PromotionStep {
  const intended = promotion.status.intent?.modules ?? []
  const isOther = (f: ModuleFound): boolean =>
    !intended.some((m) => m.namespace === f.namespace && m.name === f.name && m.uid === f.module?.uid)
  const pending = pendingModules({ found, wanted })
  const isOurs = ({ promotion: key }: ModuleObservation): boolean => key === promotion.key
  const written = found.filter(({ module }) => module && isOurs(module)).length
  // One was made anew, or the targets are others by now: nothing is written that was not stored before.
  if (found.some(isOther)) {
    const isHeld = held && !newer && written === 0 && promotion.phase === 'Applying'
    return isHeld ? whileHeld(held, nowMs) : { type: 'Rebuild', previous: undefined, isBegun: written > 0 }
  }
  const back = pending.find(isOurs)
  if (back)
    return {
      type: 'Phase',
      to: 'Failed',
      reason: 'RevertedInGit',
      message: `${promotedModuleText(back)} had ${wanted.revision}, and it was taken back there; it is not done again`,
    }
  if (pending.length === 0)
    return {
      type: 'Phase',
      to: 'Converging',
      result: written === 0 ? { alreadyAtRevision: true } : { modules: written },
    }
  // What has begun is brought to its end: half of the Modules would be at each revision.
  if (newer && written === 0)
    return {
      type: 'Phase',
      to: 'Superseded',
      reason: 'NewerRevision',
      message: `no Module was written: ${newer.revision} follows in Promotion ${newer.name}`,
    }
  if (promotion.phase !== 'Applying') return { type: 'Phase', to: 'Applying' }
  if (held && written === 0) return whileHeld(held, nowMs)
  return { type: 'Effect', effect: { type: 'ApplyModules' } }
}
