/** The index of claims has entries of revisions, not of clusters; a question reads those of the Modules that have the object. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ok } from '@lockstep/kube/env'
import { describe, expect, it } from 'vitest'
import {
  claimStore,
  claimsOf,
  MODULES,
  OBJECTS,
  REVISIONS,
  storedRevision,
} from '../../../../../test/arbitrary/claimedrevisions.ts'
import { claimKeysOf, keysOfObject } from '../../decisions/ownership/index.ts'
import { revisionRecordOf } from '../cache/revisions.ts'
import { ClaimReader } from './claimreader.ts'

const store = claimStore()
const records = [...store.all()]
const MIB = 1024 * 1024
/** Bytes of an entry, far above what the deep tier measures: a key, shared by the revisions that have it, and a member of its set. */
const ENTRY_BYTES = 500

describe('the index of claims of 60 Modules with 50 objects (acceptance 36)', () => {
  it('has an entry an object, Namespace and kind of each revision, whatever the number of clusters', () => {
    expect(records.length).toBe(MODULES * REVISIONS)
    const entries = records.reduce(
      (sum, r) => sum + claimKeysOf({ claims: r.claims, namespace: undefined }).length,
      0,
    )
    expect(entries).toBe(MODULES * REVISIONS * (OBJECTS + 3))
    expect(entries * ENTRY_BYTES).toBeLessThan(20 * MIB)
  })

  it('answers a question with the revisions of the one Module that has the object', () => {
    const deployment = {
      group: 'apps',
      kind: 'Deployment',
      namespace: 'app-7',
      name: 'component-with-a-name-3',
    }
    const namespace = { group: '', kind: 'Namespace', name: 'app-7' }
    const read = (keys: readonly string[]): string[] =>
      keys.flatMap((key) => [...store.by('claim', key)].map((r) => r.module.name))
    expect(new Set(read(keysOfObject(deployment, undefined)))).toEqual(new Set(['m7']))
    expect(read(keysOfObject(deployment, undefined)).length).toBe(REVISIONS)
    // Those with the Namespace, and those with something in it.
    expect(read(keysOfObject(namespace, { namespace: 'app-7' })).length).toBe(2 * REVISIONS)
  })
})

const place = { view: {}, served: () => undefined } as never

describe('claims of a revision', () => {
  const counted = () => {
    const asked: string[] = []
    const get = async (_: string, digest: string) => {
      asked.push(digest)
      return ok({
        objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'shop' } }],
      })
    }
    return { asked, reader: new ClaimReader({ get } as never) }
  }
  const x = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'x' }

  it('that has none recorded are read from its bundle once, for all clusters', async () => {
    const { asked, reader } = counted()
    const record = revisionRecordOf(storedRevision(0, 0))
    const first = await reader.setOf(record, place, undefined)
    expect(first?.match(x)).toEqual({ type: 'Owned' })
    expect(await reader.setOf(record, place, undefined)).toBe(first)
    expect(asked).toEqual([record.bundle])
  })

  it('are parsed once, and go with the revision', async () => {
    const { asked, reader } = counted()
    let record = revisionRecordOf(storedRevision(1, 0, claimsOf(1)))
    let unread = revisionRecordOf(storedRevision(2, 0))
    expect(await reader.setOf(record, place, undefined)).toBe(await reader.setOf(record, place, undefined))
    expect(await reader.setOf(unread, place, undefined)).toBe(await reader.setOf(unread, place, undefined))
    const kept = [record, unread].map((r) => new WeakRef(r))
    const sets = await Promise.all(
      [record, unread].map(async (r) => new WeakRef((await reader.setOf(r, place, undefined))!)),
    )
    record = unread = undefined as never
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    // A reference that was read in this turn of the event loop is kept until the next one.
    await new Promise((resolve) => setImmediate(resolve))
    collect()
    expect([...kept, ...sets].map((ref) => ref.deref())).toEqual([undefined, undefined, undefined, undefined])
    expect(asked.length).toBe(1)
    expect(await reader.setOf(revisionRecordOf(storedRevision(3, 0)), place, undefined)).toBeDefined()
  })
})
