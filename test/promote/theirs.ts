/** What the pipeline-controller of weaveworks does at a Git host: one branch for all revisions, on which it goes on. */

import { weaveBranch } from '../../packages/lockstep/src/decisions/weave/weavepull.ts'
import type { HostedPull } from '../../packages/simulators/src/githost/hostedpull.ts'
import { NAMESPACE } from '../fleet/simfleet.ts'
import { appFile, type PipelineStory } from './pipelinestory.ts'

/** As it opens one; one that is open gets another commit, and another title. */
export async function openTheirs(
  story: PipelineStory,
  environment: string,
  version: string,
  mark = `${NAMESPACE}/podinfo/${environment}`,
): Promise<HostedPull> {
  const head = weaveBranch({ namespace: NAMESPACE, pipeline: 'podinfo', environment })
  const files = { [`apps/${environment}.yaml`]: appFile(environment, version) }
  await story.during(story.repository.push(head, files, 'promoting version'))
  const title = `Promote ${NAMESPACE}/podinfo in ${environment} to ${version}`
  const body = `<details>\n<summary>metadata</summary>\n!!! DO NOT EDIT !!!\n\n${mark}\n</details>`
  const done = await story.during(story.repository.open({ head, base: 'main', title, body }))
  const number = done.kind === 'exists' ? done.number : done.kind === 'opened' ? done.pull.number : 0
  const pull = await story.during(story.repository.edit(number, { title }))
  if (!pull) throw new Error(`the host has not opened ${title}: ${done.kind}`)
  return pull
}
