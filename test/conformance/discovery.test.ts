import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { builtinResources } from '../../packages/apiserver/src/schema/builtinresource.ts'
import { canRun, sharedData } from '../shareddata.ts'

const FACTS = sharedData('corpus/openapi/builtin-resources.json')

describe.runIf(canRun('recorded discovery', FACTS))('recorded discovery', () => {
  it('agrees on names, scope, verbs and subresources', () => {
    const recorded = JSON.parse(readFileSync(FACTS, 'utf8')) as { [key: string]: unknown }[]
    for (const r of builtinResources()) {
      const facts = recorded.find(
        (f) => f.group === r.group && f.version === r.version && f.plural === r.plural,
      )
      expect([...r.verbs].sort()).toEqual([...((facts?.verbs as string[]) ?? [])].sort())
      expect(facts).toMatchObject({ kind: r.kind, singular: r.singular, namespaced: r.namespaced })
      expect(facts?.shortNames, r.plural).toEqual(r.shortNames)
      expect(Object.keys(r.subresources ?? {}).sort()).toEqual(Object.keys(facts?.subresources ?? {}).sort())
    }
  })
})
