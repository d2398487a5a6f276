/** An object on the hub that changes hands: only where the account of its receiver may update it. */
import { expect, it } from 'vitest'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { defineKind } from '../../packages/kube/src/object/kind.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { accountsAdmin, clusterRoleBindingKind } from './accountrights.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { Story } from './steps.ts'

const module = (name: string) =>
  ({
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      serviceAccountName: name,
      source: {
        inline: {
          objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: NAMESPACE } }],
        },
      },
      targets: { hub: true },
    },
  }) as unknown as KubeObject

const adminOf = (account: string): KubeObject =>
  ({
    ...accountsAdmin(),
    metadata: { name: `admin-${account}` },
    subjects: [{ kind: 'ServiceAccount', namespace: NAMESPACE, name: account }],
  }) as KubeObject

const accountKind = defineKind<KubeObject>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
})
const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'b', namespace: NAMESPACE } }

const apply = async (story: Story, body: KubeObject): Promise<void> => {
  const kind = body.kind === 'Module' ? moduleKind : clusterRoleBindingKind
  must(await story.during(story.fleet.hub.apply(kind as never, body, USER)))
}

const holder = (story: Story): string[] => {
  const { metadata } = story.fleet.objects('configmaps').find((o) => o.metadata.name === 'x')!
  return [metadata.uid ?? '', metadata.labels?.[UNIT_LABEL] ?? '']
}

it('stays with its giver, which names the account, until that has the right', async () => {
  const story = await Story.begin('receiver rights', [])
  const binding = { name: accountsAdmin().metadata.name! }
  must(await story.during(story.fleet.hub.delete(clusterRoleBindingKind, binding, USER)))
  await apply(story, adminOf('a'))
  await apply(story, module('a'))
  expect(await story.until(() => story.isReady('a'), 60)).toBe(true)
  const [uid] = holder(story)
  must(await story.during(story.fleet.hub.apply(accountKind, account, USER)))
  await apply(story, module('b'))
  await story.pass(30)
  await story.deleteModule('a')
  await story.pass(30)
  expect(story.blockers('a').join()).toMatch(
    new RegExp(`^Forbidden: .*${NAMESPACE}:b.* cannot patch .*configmaps`),
  )
  expect(holder(story)).toEqual([uid, `m.${NAMESPACE}.a`])
  expect(story.inventory('b', 'hub')?.spec.intents).toBeUndefined()
  await apply(story, adminOf('b'))
  expect(await story.until(() => story.isReady('b'), 120)).toBe(true)
  expect(holder(story)).toEqual([uid, `m.${NAMESPACE}.b`])
  expect(story.fleet.oracles.violations).toEqual([])
})
