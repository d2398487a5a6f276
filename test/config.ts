/** One configuration of vitest for all tiers. A tier is the suffix of a test file: `x.test.ts`, `x.full.test.ts`, `x.deep.test.ts`. */
import { availableParallelism } from 'node:os'
import type { ViteUserConfig } from 'vitest/config'
import { nativeSources } from './native.ts'
import { LongestFirst } from './sequence.ts'
import type { Tier } from './tier.ts'

const MINUTE = 60_000
const ALL = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts']
const REAL = 'test/real/**'
const FULL = '**/*.full.test.ts'
const DEEP = '**/*.deep.test.ts'

/** Files of the short and full tiers that the deep tier plays again: with more inputs, a crash at every write, or a clock. */
const DEEPER = [
  'packages/*/src/**/*property.test.ts',
  'packages/lockstep/src/controllers/module/recount{,.full}.test.ts',
  'test/fleet/*property{,.full}.test.ts',
  'test/fleet/{budgetraces,continuoustakeover,deletionwaits,hookcrash,manyassignments,modecrash,oneslot,rolloutcrash,setbindings,setoutage,setrest,takeoverraces}{,.full}.test.ts',
  'test/integration/{fleet,platform}{,.full}.test.ts',
  'test/promote/deathsrun{,.full}.test.ts',
  'test/simulation/random{,.full}.test.ts',
  'test/e2e/{cli,examples,firstrun,resourcesets}{,.full}.test.ts',
]

interface Files {
  readonly include: string[]
  readonly exclude: string[]
}

export const filesOf: Readonly<Record<Tier, Files>> = {
  short: { include: ALL, exclude: [REAL, FULL, DEEP] },
  full: { include: ALL, exclude: [REAL, DEEP] },
  deep: { include: [DEEP, ...DEEPER], exclude: [REAL] },
  real: { include: ['test/real/**/*.test.ts'], exclude: [] },
}

const inputsOf: Readonly<Record<Tier, string>> = { short: '60', full: '1000', deep: '10000', real: '100' }

/** The tier of a run: the one that `LOCKSTEP_TIER` names, else the one of the file that the command names, else short. */
export function tierOf(args: readonly string[]): Tier {
  const named = process.env.LOCKSTEP_TIER
  if (named !== undefined) {
    if (!(named in filesOf)) throw new Error(`LOCKSTEP_TIER=${named}: use ${Object.keys(filesOf).join(', ')}`)
    return named as Tier
  }
  if (args.some((a) => a.includes('test/real'))) return 'real'
  if (args.some((a) => a.includes('.deep') || a.includes('test/deep'))) return 'deep'
  return args.some((a) => a.includes('.full')) ? 'full' : 'short'
}

export async function configOf(tier: Tier): Promise<ViteUserConfig> {
  const { include, exclude } = filesOf[tier]
  return {
    plugins: await nativeSources(),
    test: {
      include,
      exclude: [...exclude, 'node_modules/**'],
      env: {
        LOCKSTEP_TIER: tier,
        LOCKSTEP_RUNS: process.env.LOCKSTEP_RUNS ?? inputsOf[tier],
        ...(tier === 'deep' ? { LOCKSTEP_EVERY_WRITE: '1' } : {}),
      },
      setupFiles: ['test/setup.ts'],
      pool: 'forks',
      // Short and full tests change nothing that another test reads: a worker loads modules once.
      isolate: tier === 'deep' || tier === 'real',
      // Many files wait for processes and timers: one worker more than processors keeps them busy, and two make each other slower.
      maxWorkers: tier === 'short' || tier === 'full' ? availableParallelism() + 1 : '100%',
      // Concurrent cases on one fleet mostly wait: five at a time left the processor idle half of the time.
      maxConcurrency: tier === 'short' || tier === 'full' ? 12 : 5,
      sequence: { sequencer: LongestFirst },
      ...(tier === 'real' ? { globalSetup: ['test/real/setup.ts'] } : {}),
      // A test that hangs ends; a busy machine must not end one.
      testTimeout: { short: MINUTE, full: 3 * MINUTE, real: MINUTE, deep: 60 * MINUTE }[tier],
      hookTimeout: tier === 'deep' ? 2 * MINUTE : MINUTE,
      reporters: ['default'],
    },
  }
}
