/** A clone as `git clone` and `npm ci` leave it: sources and packages, nothing built. */
import { type ChildProcess, execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Ran } from './lockstep.ts'

export interface Clone {
  readonly root: string
  /** What is in its folder beside what was cloned. */
  readonly more: () => string[]
  remove(): void
}

const PARTS = ['bin', 'src', 'package.json']

export function makeClone(): Clone {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-clone-'))
  for (const part of PARTS) cpSync(resolve(part), join(root, part), { recursive: true })
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  return {
    root,
    more: () => readdirSync(root).filter((name) => ![...PARTS, 'node_modules'].includes(name)),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

export interface CloneRun {
  readonly env?: Readonly<Record<string, string>>
  /** Flags for Node itself. */
  readonly node?: readonly string[]
  /** What Node is started by: a program and its arguments. */
  readonly through?: readonly string[]
  readonly started?: (child: ChildProcess) => void
}

/** Runs the bin of a clone. */
export function runClone(clone: Clone, args: readonly string[], o: CloneRun = {}): Promise<Ran> {
  const line = [
    ...(o.through ?? []),
    process.execPath,
    ...(o.node ?? []),
    join(clone.root, 'bin/lockstep.js'),
    ...args,
  ]
  const env = { PATH: process.env.PATH, HOME: join(clone.root, 'home'), LANG: 'C.UTF-8', ...o.env }
  return new Promise((done) => {
    const child = execFile(line[0]!, line.slice(1), { env, timeout: 60_000 }, (error, out, err) =>
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err }),
    )
    o.started?.(child)
  })
}
