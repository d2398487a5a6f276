/** A kind that is not served for a while: what is of it and is to go goes once it is. */
import { describe, expect, it } from 'vitest'
import { crdKind } from '../../packages/kube/src/kinds/types.ts'
import { must } from './simfleet.ts'
import { edge, listed, publish, ready, USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const definition = (served: boolean) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.x.test' },
  spec: {
    group: 'x.test',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [{ name: 'v1', served, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
})

it('within seconds of being served again', async () => {
  const story = await Story.begin('served again', ['edge'])
  const serve = async (served: boolean): Promise<void> => {
    const patch = { spec: { versions: definition(served).spec.versions } }
    must(await story.during(edge(story).patch(crdKind, { name: 'gadgets.x.test' } as never, patch, USER)))
  }
  must(await story.during(edge(story).create(crdKind, definition(true) as never, USER)))
  const gadget = 'apiVersion: x.test/v1\nkind: Gadget\nmetadata: {name: g, namespace: default}\n'
  await publish(story, [gadget, configManifest('stays', '1')])
  await ready(story)
  await serve(false)
  await publish(story, [configManifest('stays', '1')])
  await story.pass(5)
  expect(listed(story)).toEqual(['g', 'stays'])
  await serve(true)
  expect(await story.until(() => listed(story).join() === 'stays', 20)).toBe(true)
  await ready(story)
})

describe('a kind that somebody else defines after a while', () => {
  const GADGET = 'apiVersion: x.test/v1\nkind: Gadget\nmetadata: {name: g, namespace: default}\n'
  /** Looks at definitions; with `refused` there is no right to them. */
  function looks(story: Story, refused = false): { count: number } {
    const { api } = story.fleet.clusters.get('edge')!
    const seen = { count: 0 }
    story.fleet.env.net.serve('https://edge.test', async (request) => {
      if (request.method !== 'GET' || !request.url.includes('/customresourcedefinitions'))
        return api.handle(request)
      seen.count++
      return refused ? FORBIDDEN : api.handle(request)
    })
    return seen
  }
  const FORBIDDEN = {
    status: 403,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'Status', reason: 'Forbidden', message: 'no right', code: 403 }),
  }
  const isThere = (story: Story) => () => story.live('edge', 'gadgets.x.test', 'g') !== undefined

  it('is delivered within 3 s of that; definitions are watched until then, not before and not for ever', async () => {
    const story = await Story.begin('defined late', ['edge'])
    const seen = looks(story)
    await publish(story, [GADGET, configManifest('stays', '1')])
    await story.pass(1)
    expect(seen.count).toBe(0)
    await story.pass(600)
    expect(seen.count).toBeGreaterThan(0)
    must(await story.during(edge(story).create(crdKind, definition(true) as never, USER)))
    expect(await story.until(isThere(story), 3)).toBe(true)
    await ready(story)
    await story.pass(120)
    const before = seen.count
    await story.pass(3600)
    expect(seen.count).toBe(before)
  })

  it('without the right to definitions it is asked what is served, and nobody insists', async () => {
    const story = await Story.begin('defined unseen', ['edge'])
    const seen = looks(story, true)
    await publish(story, [GADGET])
    await story.pass(600)
    expect(seen.count).toBe(1)
    must(await story.during(edge(story).create(crdKind, definition(true) as never, USER)))
    expect(await story.until(isThere(story), 61)).toBe(true)
  })
})
