/** A kind that is not served for a while: what is of it and is to go goes once it is. */
import { expect, it } from 'vitest'
import { crdKind } from '../../src/api/kinds/foreign.ts'
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
