import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes, first. Started last, one worker would run alone; a fresh clone has no recorded durations. */
const LONGEST = [
  'test/simulation/random.',
  'test/integration/fleet.',
  'test/e2e/examples.',
  'test/e2e/firstrun.',
  'test/e2e/',
  'test/integration/',
  'test/simulation/',
  'test/promote/',
  'test/fleet/',
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const found = LONGEST.findIndex((name) => moduleId.includes(name))
  return found < 0 ? LONGEST.length : found
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...(await super.sort(files))].sort((a, b) => rankOf(a) - rankOf(b))
  }

  /** Deals the files like cards, the longest folders first, so that each shard gets its part of each folder. */
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard!
    const dealt = [...files].sort((a, b) => rankOf(a) - rankOf(b) || (a.moduleId < b.moduleId ? -1 : 1))
    return dealt.filter((_, n) => n % count === index - 1)
  }
}
