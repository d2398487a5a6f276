/**
 * Reasons that simulated hubs have stored, and that ended there while their object was written on. `scripts/test.js full`
 * names a folder; each process appends to a file of its own, and the end of the run asks for every reason of the table.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import { reasonTable } from '../../packages/lockstep/src/api/reasons/reasontable.ts'

const folder = process.env.LOCKSTEP_REASONS
const noted = new Set<string>()

/** A write to a hub. */
export function noteReasons({ old, next }: Pick<CommitRecord, 'old' | 'next'>): void {
  if (folder === undefined) return
  const [before, after] = [old, next].map((o) => reasonsIn(o && at(o, 'status')))
  for (const reason of after!) if (!before!.has(reason)) note(`created ${reason}`)
  for (const reason of before!) if (!after!.has(reason)) note(`ended ${reason}`)
}

function note(line: string): void {
  if (noted.has(line)) return
  noted.add(line)
  appendFileSync(join(folder!, `${process.pid}.txt`), `${line}\n`)
}

/** Reasons of blockers, conditions and failed units, wherever a status has them. */
function reasonsIn(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value !== 'object' || value === null) return found
  for (const [name, member] of Object.entries(value)) {
    // A unit that failed has the text of its reason: `failed: HookFailed: hook Job ...`.
    const reason = isReasonMember(name) && typeof member === 'string' ? member.split(':', 1)[0]! : ''
    if (Object.hasOwn(reasonTable, reason)) found.add(reason)
    else reasonsIn(member, found)
  }
  return found
}

const isReasonMember = (name: string): boolean => name === 'reason' || name === 'failed'
