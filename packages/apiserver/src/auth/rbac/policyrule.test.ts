import { describe, expect, it } from 'vitest'
import type { Attributes } from '../attributes.ts'
import { allows, compacted, missing, type PolicyRule } from './policyrule.ts'

const of = (apiGroups: string, resources: string, verbs: string, names?: string): PolicyRule => ({
  apiGroups: apiGroups.split(' '),
  resources: resources.split(' '),
  verbs: verbs.split(' '),
  ...(names && { resourceNames: names.split(' ') }),
})
const on = (verb: string, resource: string, name = '', group = ''): Attributes => {
  const [plural = '', subresource = ''] = resource.split('/')
  return { verb, group, resource: plural, subresource, namespace: 'n', name }
}

describe('a rule', () => {
  it.each([
    ['its verb', of('apps', 'deployments', 'get list'), on('list', 'deployments', '', 'apps'), true],
    ['another verb', of('apps', 'deployments', 'get list'), on('watch', 'deployments', '', 'apps'), false],
    ['another group', of('apps', 'deployments', '*'), on('get', 'deployments', '', 'x.io'), false],
    ['every group', of('*', 'deployments', '*'), on('approve', 'deployments', '', 'x.io'), true],
    ['a resource, not what is below it', of('', 'pods', '*'), on('get', 'pods/log'), false],
    ['what is below it, not the resource', of('', 'pods/log', '*'), on('get', 'pods'), false],
    ['a subresource of all', of('', '*/scale', '*'), on('get', 'things/scale'), true],
    ['everything', of('', '*', '*'), on('get', 'pods/log'), true],
    ['a name', of('', 'pods', '*', 'a b'), on('get', 'pods', 'b'), true],
    ['another name', of('', 'pods', '*', 'a b'), on('get', 'pods', 'c'), false],
    ['no name where names are named', of('', 'pods', '*', 'a b'), on('list', 'pods'), false],
    ['a path', { nonResourceURLs: ['/a'], verbs: ['get'] }, { verb: 'get', path: '/a' }, true],
    [
      'what is below a path',
      { nonResourceURLs: ['/a/*'], verbs: ['get'] },
      { verb: 'get', path: '/a/b/c' },
      true,
    ],
    [
      'not the path itself',
      { nonResourceURLs: ['/a/*'], verbs: ['get'] },
      { verb: 'get', path: '/a' },
      false,
    ],
    ['no path by a rule for resources', of('*', '*', '*'), { verb: 'get', path: '/a' }, false],
  ] as const)('%s', (_, rule, attributes, allowed) => {
    expect(allows(rule as PolicyRule, attributes as Attributes)).toBe(allowed)
  })
})

describe('what rules have more than others', () => {
  it('is told with the verbs of one resource together', () => {
    const wanted = [of('', 'pods secrets', 'get list'), { nonResourceURLs: ['/a'], verbs: ['get', 'put'] }]
    expect(compacted(missing([of('', 'pods', 'get')], wanted))).toEqual([
      of('', 'pods', 'list'),
      of('', 'secrets', 'get list'),
      { nonResourceURLs: ['/a'], verbs: ['get'] },
      { nonResourceURLs: ['/a'], verbs: ['put'] },
    ])
  })
})
