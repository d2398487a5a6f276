/** What upstreams know, as the resolution of a source sees it. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { revisionText } from '../git/gitref.ts'
import { chartOrigin } from '../helm/templaterequest.ts'
import { chartRevision } from '../helmrepository/resolvedchart.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'
import type { SourceFetcher } from './sourcefetcher.ts'
import type { FetchResult, Requester } from './sourcepoller.ts'
import type { UpstreamSources } from './upstreams.ts'

/** What is not known yet is a failure that ends by itself. `again` hears when to look again. */
export function upstreamFetcher(
  upstreams: UpstreamSources,
  asking: Requester,
  again: (ms: number) => void,
): SourceFetcher {
  const answer = <T>(found: FetchResult<T>, what: string): Result<T, SourceFailure> => {
    if (found.againInMs !== undefined) again(found.againInMs)
    if (found.state === 'Working') {
      const facts = found.before
        ? ({ state: 'Queued', ...found.before } as const)
        : ({ state: 'Fetching' } as const)
      return err(fault('Fetching', { ...facts, place: what }, true))
    }
    return found.state === 'Known' ? ok(found.value) : err(found.failure)
  }
  return {
    commit: (git) => answer(upstreams.commit(git, asking), `git ${git.url}`),
    chart: (helm) => answer(upstreams.chart(helm, asking), `helm ${helm.repository}: chart ${helm.chart}`),
    chartTree: (helm, picked) =>
      answer(
        upstreams.chartTree(helm, picked, asking),
        `helm ${helm.repository}: chart ${helm.chart} ${chartRevision(picked)}`,
      ),
    kustomized: (git, picked, build) =>
      answer(upstreams.kustomized(git, picked, build, asking), `git ${git.url}: ${revisionText(picked)}`),
    templated: (question) => answer(upstreams.templated(question, asking), chartOrigin(question.chart)),
    tree: (git, picked) =>
      answer(upstreams.tree(git, picked, asking), `git ${git.url}: ${revisionText(picked)}`),
  }
}
