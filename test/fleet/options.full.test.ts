/** What single objects say of their own delivery, against what their module says. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { must } from './simfleet.ts'
import { dataOf, edge, KEY, liveOf, publish, ready, reasons, said, USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

describe('a nonce of kapp', () => {
  it('is the digest of the content: the object changes whenever another one does, and only then', async () => {
    const story = await Story.begin('nonce', ['edge'])
    const text = (v: string) =>
      [said('x', '1', 'kapp.k14s.io/nonce', ''), configManifest('z', v)].join('---\n')
    await publish(story, text('1'))
    await ready(story)
    const nonce = () => liveOf(story)!.metadata.annotations!['kapp.k14s.io/nonce']
    const first = nonce()
    expect(first).toBe(story.inventory('m', 'edge')!.status!.contentDigest)
    const from = story.fleet.commits.length
    await publish(story, text('1'), { attempt: 1 })
    await ready(story)
    expect([nonce(), story.writes('edge', from)]).toEqual([first, []])
    await publish(story, text('2'))
    await ready(story)
    expect(nonce()).not.toBe(first)
    expect(nonce()).toBe(story.inventory('m', 'edge')!.status!.contentDigest)
  })
})

describe('one object of its own kind of strictness', () => {
  it.each([
    ['Validate=false', 'Warn'],
    ['ServerSideApply=true', 'Strict'],
  ])('%s: the server is asked to be %s', async (option, word) => {
    const story = await Story.begin(`validate ${option}`, ['edge'])
    const asked = new Set<string | null>()
    story.fleet.env.net.wire('https://edge.test', {
      async before({ path }) {
        if (path.includes('/configmaps/x'))
          asked.add(new URL(path, 'https://x').searchParams.get('fieldValidation'))
        return undefined
      },
    })
    await publish(story, said('x', '1', 'argocd.argoproj.io/sync-options', option))
    await ready(story)
    expect([...asked]).toEqual([word])
  })

  it.each([
    ['lockstep.dev/replace-immutable', 'true'],
    ['argocd.argoproj.io/sync-options', 'Force=true'],
    ['kustomize.toolkit.fluxcd.io/force', 'Enabled'],
    ['kapp.k14s.io/update-strategy', 'fallback-on-replace'],
  ])('%s: made anew though the module does not allow it', async (key, word) => {
    const story = await Story.begin(`anew ${key}`, ['edge'])
    const sealed = (v: string) => `${said('x', v, key, word)}immutable: true\n`
    await publish(story, sealed('1'))
    await ready(story)
    const { uid } = liveOf(story)!.metadata
    await publish(story, sealed('2'))
    await ready(story)
    expect(dataOf(story)).toEqual({ value: '2' })
    expect(liveOf(story)!.metadata.uid).not.toBe(uid)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('create-strategy of kapp: taken over though the module adopts nothing', async () => {
    const story = await Story.begin('adopt', ['edge'])
    const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: KEY, data: { other: 'stays' } }
    must(await story.during(edge(story).create(configMapKind, theirs, USER)))
    const never = { apply: { adopt: 'Never' } }
    await publish(story, configManifest('x', '1'), never)
    expect(await story.until(() => reasons(story)[0]?.startsWith('AdoptionRefused') === true)).toBe(true)
    await publish(story, said('x', '1', 'kapp.k14s.io/create-strategy', 'fallback-on-update'), never)
    await ready(story, 200)
    expect(dataOf(story)).toEqual({ other: 'stays', value: '1' })
  })
})

describe('wait rules of kapp', () => {
  const config = (unblock: string) => `apiVersion: kapp.k14s.io/v1alpha1
kind: Config
metadata: {name: rules}
waitRules:
- conditionMatchers:
  - {type: Done, status: "True", success: true}
  - {type: Broken, status: "True", failure: true}
  - {type: Going, status: "True", ${unblock}}
  resourceMatchers: [{apiGroupKindMatcher: {apiGroup: example.com, kind: Widget}}]
`
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions: [{name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
  const widget = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: default}\n'
  const kind = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true }

  it('say when an object is well; unblockChanges lets others go on before that', async () => {
    const story = await Story.begin('waitrules', ['edge'])
    const after = said('z', '1', 'lockstep.dev/depends-on', 'example.com/namespaces/default/Widget/w')
    await publish(story, [config('unblockChanges: true'), definition, widget, after].join('---\n'))
    expect(
      await story.until(() => story.live('edge', 'widgets.example.com', 'w') !== undefined),
      JSON.stringify([story.blockers('m'), reasons(story)]),
    ).toBe(true)
    await story.pass(20)
    expect(liveOf(story, 'z'), reasons(story).join()).toBeUndefined()
    const say = async (type: string) =>
      must(
        await story.during(
          edge(story).patch(
            kind,
            { name: 'w', namespace: 'default' },
            { status: { conditions: [{ type, status: 'True' }] } },
            { ...USER, subresource: 'status' },
          ),
        ),
      )
    await say('Going')
    expect(await story.until(() => liveOf(story, 'z') !== undefined, 20)).toBe(true)
    expect(story.isReady('m')).toBe(false)
    await say('Done')
    await ready(story)
  })
})
