/**
 * What is in a Secret that is a source stays there: nobody reads of it who may not read Secrets, on the hub, on clusters, in
 * logs or in meters.
 */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, encodeJson, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { manifest, sources, yaml } from './setstory.ts'
import { TakeoverStory } from './takeoverstory.ts'

const CLUSTERS = ['c1', 'c2']
const VALUE = 'hunter2'
const base64 = (text: string): string => bytesToBase64(new TextEncoder().encode(text))
const secret = (value: string) => manifest('Secret', 'one', { data: { password: base64(value) } })
const map = (name: string, value: string, labels: Record<string, string> = {}) =>
  manifest('ConfigMap', name, {
    metadata: { name, namespace: 'default', labels },
    data: { password: value },
  })

/** Two keys: of the whole source alone Cluster API has a hash. */
const contentOf = (value: string): Record<string, string> => ({
  'a.yaml': yaml(secret(value)),
  'b.yaml': yaml(map('two', value)),
})

/** Values in all forms, and what they would be known by to whoever guesses them. */
function forbidden(values: readonly string[]): string[] {
  const plain = values.flatMap((v) => {
    const content = contentOf(v)
    return [
      v,
      base64(v),
      ...Object.values(content),
      encodeJson(content),
      encodeJson(secret(v)),
      encodeJson(map('two', v)),
    ]
  })
  const hashes = plain.flatMap((text) =>
    ['sha256', 'sha1', 'md5'].flatMap((how) => {
      const digest = createHash(how).update(text).digest()
      return [digest.toString('hex').slice(0, 10), digest.toString('base64').slice(0, 12)]
    }),
  )
  return [VALUE, ...values.map(base64), ...hashes]
}

/** What is delivered is on the cluster; who owns it, and what is written beside it, anybody may read. */
const besideData = ({ metadata, status }: KubeObject) => ({ metadata, status })

function readable(story: TakeoverStory): string {
  const { commits, env } = story.fleet
  return encodeJson({
    hub: commits.filter((c) => c.cluster === 'hub' && c.resource !== 'secrets').map((c) => c.next),
    hubSecrets: commits
      .filter((c) => c.cluster === 'hub' && c.resource === 'secrets')
      .flatMap((c) => (c.next?.type === 'lockstep.dev/bundle' ? [c.next.metadata] : [])),
    clusters: commits
      .filter((c) => c.cluster !== 'hub' && c.next)
      .map((c) => besideData(c.next as KubeObject)),
    events: commits.filter((c) => c.resource.startsWith('events')).map((c) => c.next),
    logs: env.lines,
    meters: env.meters.read(),
  } as never)
}

const annotationsOf = (mode: string): Record<string, string> =>
  mode === 'Continuous' ? { [SET.mode]: mode } : {}

describe.each(['ApplyOnce', 'Reconcile', 'Continuous'])(
  '%s: taken over, delivered, refused, given back',
  (mode) => {
    it('no value of a source that is a Secret, and no hash of one, is anywhere else', async () => {
      const story = await TakeoverStory.with(`secret ${mode}`, '1.13', CLUSTERS)
      const strategy = mode === 'Continuous' ? 'Reconcile' : mode
      const values = [`${VALUE}-first`, `${VALUE}-second`, `${VALUE}-third`]
      await story.source('secret-b', contentOf(values[0]!))
      await story.appliedUpstream('crs1', sources('secret-b'), strategy, CLUSTERS)
      await story.annotate('crs1', annotationsOf(mode))
      await story.takeOver('crs1')
      expect(await story.until(() => story.isTaken('crs1'), 120)).toBe(true)
      await story.pass(30)
      // Another content, and what a user changes of it.
      await story.source('secret-b', contentOf(values[1]!))
      await story.pass(30)
      await story.editOn('c1', configMapKind, 'two', { data: { password: 'theirs' } })
      await story.pass(60)
      // Refused by the server, in whose words the value is; not readable; and well again.
      const bad = { ...contentOf(values[2]!), 'c.yaml': yaml(map('three', 'x', { l: `${values[2]} !` })) }
      await story.source('secret-b', bad)
      await story.set('crs2', sources('secret-b'), { strategy, annotations: annotationsOf(mode) })
      await story.takeOver('crs2')
      await story.pass(120)
      await story.source('secret-b', { 'a.yaml': `value: "${values[2]}\nkey: [${values[2]}` })
      await story.pass(60)
      await story.source('secret-b', contentOf(values[2]!))
      await story.pass(60)
      // Given back.
      for (const s of ['crs1', 'crs2']) await story.annotate(s, { [SET.managed]: null })
      await story.pass(120)
      const text = readable(story)
      expect(text).toContain('two')
      const leaks = forbidden(values).filter((f) => text.includes(f))
      expect(leaks.map((l) => `${l}: ${aroundOf(text, l)}`)).toEqual([])
    })
  },
)

const aroundOf = (text: string, leak: string): string => {
  const at = text.indexOf(leak)
  return text.slice(Math.max(0, at - 300), at + 100)
}
