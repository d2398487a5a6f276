/** What a module's source needs from outside the hub, as its resolution sees it: an answer, or why there is none yet. */

import type { Result } from '@lockstep/kube/env'
import type { GitSource, HelmSource, KustomizeRender } from '../../api/kinds/index.ts'
import type { ResolvedRef } from '../git/gitref.ts'
import type { TemplateRequest, TemplateResult } from '../helm/templaterequest.ts'
import type { ResolvedChart } from '../helmrepository/resolvedchart.ts'
import type { SourceFailure } from './sourcefailure.ts'
import type { SourceTree } from './sourcetree.ts'

export interface KustomizeBuild {
  readonly render: KustomizeRender
  /** `spec.source.ignore`. */
  readonly ignore: string | undefined
}

/** Output of kustomize. */
export interface BuiltTree {
  /** A stream of YAML documents. */
  readonly text: string
  readonly warnings: readonly string[]
}

export interface SourceFetcher {
  /** The commit that the reference is now. */
  commit(git: GitSource): Result<ResolvedRef, SourceFailure>
  /** The files of that commit below the path: manifests and what says which of them count. */
  tree(git: GitSource, picked: ResolvedRef): Result<SourceTree, SourceFailure>
  /** Output of kustomize for the files of that commit. */
  kustomized(git: GitSource, picked: ResolvedRef, build: KustomizeBuild): Result<BuiltTree, SourceFailure>
  /** What Helm makes of a chart. */
  templated(chart: TemplateRequest): Result<TemplateResult, SourceFailure>
  /** The version of a chart that it is now, and its digest. */
  chart(helm: HelmSource): Result<ResolvedChart, SourceFailure>
  /** The files of that version; `Chart.yaml` is at the root of the tree. */
  chartTree(helm: HelmSource, picked: ResolvedChart): Result<SourceTree, SourceFailure>
}
