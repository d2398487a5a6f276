/** The change of a promotion: bytes of scalars on a commit, and the commit that this makes. */

import { ok, type Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { Promotion } from '../../api/kinds/index.ts'
import {
  type EditRefusal,
  type EditResult,
  edit,
  editFileFilter,
  FLOOR_COMMITS,
  messageOf,
  type PromotionId,
  type PromotionState,
  trailersOf,
} from '../../decisions/promotion/index.ts'
import type { GitAccess } from '../../gitproviders/gitaccess.ts'
import type { CallOptions } from '../../gitproviders/gitprovider.ts'
import type { CommitId } from '../../gitproviders/gitrepository.ts'
import type { PreparedChange, ProviderResult } from './strategies/strategy.ts'

export interface ChangeCommit {
  readonly commit: CommitId
  readonly tree: string
  /** So many files change. */
  readonly files: number
}

export type ChangeResult =
  | ({ readonly type: 'Made' } & ChangeCommit)
  | Extract<PreparedChange, { readonly type: 'Present' | 'Refused' }>

export class GitChange {
  private readonly forge: GitAccess
  private readonly promotion: Stored<Promotion>
  private readonly view: PromotionState
  private readonly person: string

  constructor(forge: GitAccess, promotion: Stored<Promotion>, view: PromotionState, person: string) {
    this.forge = forge
    this.promotion = promotion
    this.view = view
    this.person = person
  }

  /** That of another promotion of the same environment. */
  of(id: PromotionId): GitChange {
    return new GitChange(this.forge, this.promotion, { ...this.view, id }, this.person)
  }

  /** The commit of an intent, made again: equal input gives an equal id, so that nothing has to be kept between processes. */
  async on(base: CommitId, o: CallOptions): ProviderResult<ChangeResult> {
    const edited = await this.at(base, o)
    if (!edited.ok) return edited
    if (!edited.value.ok) return ok({ type: 'Refused', refusals: edited.value.error })
    const { changed } = edited.value.value
    if (changed.size === 0) return ok({ type: 'Present' })
    const made = await this.forge.repository.commit(
      {
        base,
        files: changed,
        message: messageOf(this.view.id),
        person: this.person,
        date: this.promotion.metadata.creationTimestamp ?? '1970-01-01T00:00:00Z',
      },
      o,
    )
    return made.ok ? ok({ type: 'Made', ...made.value, files: changed.size }) : made
  }

  /** What it changes there. */
  async at(commit: CommitId, o: CallOptions): ProviderResult<Result<EditResult, EditRefusal[]>> {
    const { settings, id } = this.view
    const edits = settings.edits ?? [{ marker: true }]
    const files = await this.forge.repository.files(commit, editFileFilter(edits), o)
    if (!files.ok) return files
    const { namespace = '' } = this.promotion.metadata
    const { name } = this.promotion.spec.pipelineRef
    return ok(
      edit({
        edits,
        files: files.value,
        revision: id.revision,
        where: this.forge.where,
        marker: `${namespace}:${name}:${id.environment}`,
        facts: { identity: id.identity, environment: id.environment, epoch: id.epoch },
      }),
    )
  }

  async isAt(commit: CommitId, o: CallOptions): ProviderResult<boolean> {
    const edited = await this.at(commit, o)
    return edited.ok ? ok(edited.value.ok && edited.value.value.changed.size === 0) : edited
  }

  /**
   * What is at the head of its branch, where a promotion of this very key has made it: its object was lost, with its pipeline or
   * in a restore, and this one is younger. It has our key, one parent, and the tree that we make of that; only its date is another.
   */
  async madeBefore(
    head: CommitId,
    o: CallOptions,
  ): ProviderResult<(ChangeCommit & { readonly base: CommitId }) | undefined> {
    const read = await this.forge.repository.history(head, undefined, 1, o)
    if (!read.ok) return read
    const [commit] = read.value
    const [base, ...others] = commit?.parents ?? []
    if (!commit || base === undefined || others.length > 0) return ok(undefined)
    if (trailersOf(commit.message)?.key !== this.view.key) return ok(undefined)
    const again = await this.on(base, o)
    if (!again.ok) return again
    if (again.value.type !== 'Made' || again.value.tree !== commit.tree) return ok(undefined)
    return ok({ base, commit: head, tree: commit.tree, files: again.value.files })
  }

  /**
   * The commit at the base that an earlier object of this very promotion has pushed there. That the value is gone since says that
   * somebody has taken it back: with this as its intent the lookup sees that, and nothing is pushed once more. A pull request says
   * so itself.
   */
  async pushedBefore(
    head: CommitId,
    o: CallOptions,
  ): ProviderResult<(ChangeCommit & { readonly base: CommitId }) | undefined> {
    const read = await this.forge.repository.history(head, undefined, FLOOR_COMMITS, o)
    if (!read.ok) return read
    const found = read.value.find((c) => trailersOf(c.message)?.key === this.view.key)
    const base = found?.parents[0]
    if (!found || base === undefined) return ok(undefined)
    const again = await this.on(base, o)
    if (!again.ok) return again
    const files = again.value.type === 'Made' ? again.value.files : 0
    return ok({ base, commit: found.id, tree: found.tree, files })
  }
}
