/** The writes of a promotion by Git: pushes, branches and pull requests. */

import { type Clock, ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { Promotion } from '../../api/kinds/index.ts'
import {
  messageOf,
  type PromotionEffect,
  type PromotionState,
  type PromotionStep,
  titleOf,
  withKey,
} from '../../decisions/promotion/index.ts'
import type { GitAccess } from '../../gitproviders/gitaccess.ts'
import type { CallOptions, Pull } from '../../gitproviders/gitprovider.ts'
import type { GitProviderError } from '../pipeline/index.ts'
import type { GitChange } from './gitchange.ts'
import { withSharedTimeout } from './lease/sharedtimeout.ts'
import type { PerformResult, ProviderResult } from './strategies/strategy.ts'

interface GitEffectsOptions {
  readonly forge: GitAccess
  readonly promotion: Stored<Promotion>
  readonly view: PromotionState
  readonly clock: Pick<Clock, 'steady'>
  readonly change: GitChange
  readonly base: string
  /** The branch of the pull request; a push does not use it. */
  readonly branch: string
}

export class GitEffects {
  private readonly o: GitEffectsOptions
  /** The pull request in the answer of the provider. */
  private opened: Pull | undefined

  constructor(o: GitEffectsOptions) {
    this.o = o
  }

  tell(number: number, comment: string, o: CallOptions): ProviderResult<void> {
    return this.o.forge.host!.edit(number, { comment }, o).then(done)
  }

  async perform(effect: PromotionEffect, o: CallOptions): ProviderResult<PerformResult> {
    const { clock, forge, view, change, branch } = this.o
    const left = withSharedTimeout(clock, o)
    const { repository, host } = forge
    const { commit = '', base = '' } = view.status.intent ?? {}
    switch (effect.type) {
      case 'Push':
      case 'MoveBranch': {
        const made = await change.on(base, o)
        if (!made.ok) return made
        if (made.value.type !== 'Made' || made.value.commit !== commit) return ok('other')
        const expect = effect.type === 'MoveBranch' ? effect.from : host ? 'absent' : base
        const pushed = await repository.push(host ? branch : this.o.base, commit, expect, left())
        return pushed.ok && pushed.value === 'same' ? ok('same') : done(pushed)
      }
      case 'OpenPull': {
        const title = titleOf(view.id)
        const opened = await host!.open({ head: branch, title, body: this.body() }, o)
        if (opened.ok) this.opened = opened.value
        return done(opened)
      }
      case 'RepairPull': {
        const read = await host!.pull(effect.number, o)
        if (!read.ok) return read
        const body = withKey(read.value.body, view.key)
        return done(await host!.edit(effect.number, { title: titleOf(view.id), body }, left()))
      }
      case 'ClosePull':
        return done(await host!.edit(effect.number, { state: 'closed', comment: effect.comment }, o))
      case 'Merge':
        return host!.merge(
          effect.number,
          {
            expectHead: commit,
            method: view.settings.pullRequest?.mergeMethod ?? 'merge',
            message: messageOf(view.id),
          },
          o,
        )
      case 'RemoveBranch':
        return done(await repository.remove(branch, effect.expect, o))
      case 'ApplyModules':
      case 'Notify':
        return ok(undefined)
    }
  }

  /** The number of a new pull request is recorded immediately, because lists may not contain it yet. */
  after(effect: PromotionEffect): PromotionStep | undefined {
    if (effect.type !== 'OpenPull' || !this.opened) return undefined
    const { number, url, state } = this.opened
    return { type: 'Phase', to: 'Open', result: { pullRequest: { number, url, state } } }
  }

  private body(): string {
    const { id, key } = this.o.view
    const { namespace } = this.o.promotion.metadata
    const { pipelineRef } = this.o.promotion.spec
    const text = `Pipeline ${namespace}/${pipelineRef.name} promotes ${id.identity} to ${id.revision} in ${id.environment}.`
    return withKey(text, key)
  }
}

const done = <T>(r: Result<T, GitProviderError>): Result<void, GitProviderError> => (r.ok ? ok(undefined) : r)
