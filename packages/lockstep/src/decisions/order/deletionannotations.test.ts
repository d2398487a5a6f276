import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { type DeletionAnnotations, deletionAnnotationsReader } from './deletionannotations.ts'
import type { Dialects } from './dialect/dialects.ts'

const OPTIONS = 'argocd.argoproj.io/sync-options'

const said = (annotations: Record<string, string>, labels = {}, dialects?: Dialects): DeletionAnnotations => {
  const o: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations, labels } }
  const { prune, delete: isDeleted, confirm } = deletionAnnotationsReader(dialects)(o)
  return { prune, delete: isDeleted, confirm }
}

const both = { prune: false, delete: false, confirm: [] }

describe('what a live object says of its deletion', () => {
  it.each<[string, Record<string, string>, Partial<DeletionAnnotations>]>([
    ['nothing', {}, { prune: true, delete: true, confirm: [] }],
    ['ours', { 'lockstep.dev/prune': 'Disabled' }, both],
    ['Prune=false', { [OPTIONS]: 'Prune=false' }, { prune: false, delete: true, confirm: [] }],
    ['Delete=false', { [OPTIONS]: 'Delete=false' }, { prune: true, delete: false, confirm: [] }],
    ['both', { [OPTIONS]: 'Prune=false,Delete=false' }, both],
    ['confirm', { [OPTIONS]: 'Prune=confirm' }, { prune: true, delete: true, confirm: ['Prune'] }],
    ['Helm', { 'helm.sh/resource-policy': 'keep' }, both],
    ['kapp', { 'kapp.k14s.io/delete-strategy': 'orphan' }, both],
    ['Flux', { 'kustomize.toolkit.fluxcd.io/prune': 'Disabled' }, both],
    ['cli-utils', { 'cli-utils.sigs.k8s.io/on-remove': 'keep' }, both],
  ])('%s', (_, annotations, leaving) => {
    expect(said(annotations)).toEqual(leaving)
  })

  it('labels of Flux count, labels of others do not', () => {
    expect(said({}, { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' })).toEqual(both)
    expect(said({}, { 'lockstep.dev/prune': 'Disabled' }).prune).toBe(true)
  })

  it('an annotation that nobody understands takes nothing from one that says to keep it', () => {
    expect(said({ [OPTIONS]: 'Prune=false', 'argocd.argoproj.io/hook': 'sometimes' }).prune).toBe(false)
    expect(said({ 'helm.sh/resource-policy': 'retain', 'lockstep.dev/prune': 'Disabled' }).prune).toBe(false)
  })

  it('tools that do not count say nothing; ours always does', () => {
    expect(said({ [OPTIONS]: 'Prune=false' }, {}, ['Helm']).prune).toBe(true)
    expect(said({ 'lockstep.dev/prune': 'Disabled' }, {}, []).prune).toBe(false)
  })
})
