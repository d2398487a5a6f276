/** A clone as `git clone` and `npm ci` leave it: sources and packages, nothing built. */
import { type ChildProcess, execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Ran } from './lockstep.ts'

/** A program in place of ours, in the same files: for what is about building, whatever is built. */
const SMALL = {
  'packages/lockstep/src/cli/commands/version/version.ts':
    "export const summary = 'Show the version of Lockstep and of its API'\n",
  'packages/lockstep/src/cli/kit/leader/thread.ts': '',
  'packages/lockstep/src/cli/main.ts': `import { summary } from './commands/version/version.ts'
export const main = (args: string[]) => console.log(args.includes('--help') ? summary : 'lockstep 0.0.0 (small)')
`,
}

export interface Clone {
  readonly root: string
  /** What is in its folder beside what was cloned. */
  readonly more: () => string[]
  remove(): void
}

/** All packages; a small program has of each one source and what describes it. */
export const PACKAGES = readdirSync('packages').filter((name) => existsSync(`packages/${name}/package.json`))
const PARTS = ['packages', 'package.json']
/** The parts of a small program that build it. */
const SMALL_PARTS = [
  'packages/lockstep/bin',
  ...PACKAGES.map((name) => `packages/${name}/package.json`),
  'package.json',
]

const emptySource = (name: string): [string, string] => [`packages/${name}/src/index.ts`, '']

export function makeClone(program: 'whole' | 'small' = 'whole'): Clone {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-clone-'))
  for (const part of program === 'whole' ? PARTS : SMALL_PARTS)
    cpSync(resolve(part), join(root, part), { recursive: true })
  if (program === 'small')
    for (const [path, text] of [...PACKAGES.map(emptySource), ...Object.entries(SMALL)]) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
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
    join(clone.root, 'packages/lockstep/bin/lockstep.js'),
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
