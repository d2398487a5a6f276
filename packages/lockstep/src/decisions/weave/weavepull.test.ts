import { describe, expect, it } from 'vitest'
import { isWeavePull, weaveBranch } from './weavepull.ts'

const PLACE = { namespace: 'apps', pipeline: 'podinfo', environment: 'prod' }
const bodyOf = (mark: string) =>
  `<details>\n<summary>metadata</summary>\n!!! DO NOT EDIT !!!\n\n${mark}\n</details>`
const BODY = bodyOf('apps/podinfo/prod')

describe('a pull request of the pipeline-controller of weaveworks', () => {
  it.each<[string, string, string, boolean]>([
    ['as it is opened', 'promotion-apps-podinfo-prod', BODY, true],
    ['with what people wrote above', 'promotion-apps-podinfo-prod', `Looks good.\r\n${BODY}`, true],
    ['with the line ends of a browser', 'promotion-apps-podinfo-prod', BODY.replaceAll('\n', '\r\n'), true],
    ['on another branch', 'promotion-apps-podinfo-dev', BODY, false],
    ['of another pipeline', 'promotion-apps-podinfo-prod', bodyOf('apps-podinfo/prod/x'), false],
    ['of a longer name', 'promotion-apps-podinfo-prod', bodyOf('apps/podinfo/prod2'), false],
    ['without what it is of', 'promotion-apps-podinfo-prod', 'Bump', false],
    ['that talks about it', 'promotion-apps-podinfo-prod', 'see apps/podinfo/prod', false],
  ])('%s', (_, head, body, is) => {
    expect(isWeavePull({ head, body }, PLACE)).toBe(is)
  })

  it('has a branch that two pipelines may have', () => {
    const of = (pipeline: string, environment: string) =>
      weaveBranch({ namespace: 'n', pipeline, environment })
    expect(of('a-b', 'c')).toBe(of('a', 'b-c'))
  })
})
