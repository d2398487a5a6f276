import { expect, it } from 'vitest'
import { contentOfSpec } from './contentofspec.ts'

const git = (more: object = {}) => ({ url: 'https://x/a', ref: { branch: 'main' }, ...more })

it('how a chart is reached is no content', () => {
  const helm = { repository: 'https://x', chart: 'web', version: '^1' }
  const reached = { secretRef: { name: 'a' }, certSecretRef: { name: 'b' }, passCredentials: true }
  expect(contentOfSpec({ source: { helm: { ...helm, ...reached } } } as never)).toEqual({ source: { helm } })
})

it('how a source is reached is no content, also of further repositories', () => {
  const spec = {
    source: {
      interval: '1m',
      timeout: '10s',
      ignore: '*.md',
      git: git({ path: 'a', secretRef: { name: 'g' } }),
      refs: [{ name: 'env', git: git({ secretRef: { name: 'g' } }) }],
    },
    render: { namespace: 'a', helm: { valuesFiles: ['$env/a.yaml'] } },
    targets: { hub: true },
  }
  expect(contentOfSpec(spec as never)).toEqual({
    source: { ignore: '*.md', git: git({ path: 'a' }), refs: [{ name: 'env', git: git() }] },
    render: spec.render,
  })
})
